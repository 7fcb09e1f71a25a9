//! What is put to the test: each route through each API path.

use std::sync::{Arc, LazyLock};

use libtest_mimic::{Arguments, Trial};
use wirespeed_af_alg::{Interface, Permission, Transform};
use wirespeed_cipher::{self as cipher, Route};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_cpu::{
    AesCe, AesNi, Avx2, Feature, Features, Gfni256, Gfni512, Neon, Sm4Ce, Sse2, Ssse3, Token,
    Vaes256, Vaes512,
};
use wirespeed_kernels::Absent;
use wirespeed_libcrypto::Library;

use crate::trial;

/// An API path to one route, or why there is none here.
pub(crate) struct Subject<D> {
    pub(crate) name: String,
    pub(crate) route: Route,
    pub(crate) api_path: Result<D, String>,
}

/// The kernels and the provider, on every route.
pub(crate) fn all(library: Library) -> Vec<Subject<Arc<dyn ApiPath>>> {
    let routes = here::routes().filter(|(route, _)| may_run(&format!("kernels::{route}")));
    let kernels = routes.map(|(route, obstacle)| Subject {
        name: format!("kernels::{route}"),
        route,
        api_path: unless(obstacle, || {
            let api_path = Kernels::new(route, Features::detect());
            api_path.map(|it| Arc::new(it) as _).map_err(|absent| absent.to_string())
        }),
    });
    let providers = providers(library).into_iter().map(|Subject { name, route, api_path }| {
        Subject { name, route, api_path: api_path.map(|it| Arc::new(it) as _) }
    });
    kernels.chain(providers).collect()
}

/// The provider, on every route; on `libcrypto` it hands all data to the default provider, on `kernel` and
/// `devcrypto` to Linux, all that may go there.
pub(crate) fn providers(library: Library) -> Vec<Subject<Provider>> {
    let others = [Route::Libcrypto].into_iter().chain(Route::OFFLOADS);
    let routes = here::routes().chain(others.map(|route| (route, None)));
    let routes = routes.filter(|(route, _)| may_run(&format!("provider::{route}")));
    let routes = routes.map(|(route, obstacle)| Subject {
        name: format!("provider::{route}"),
        route,
        api_path: unless(obstacle, || present(route)).map(|()| {
            Provider::routed(library, route).expect("the provider loads on a route that is there")
        }),
    });
    routes.collect()
}

/// Whether tests whose names begin so may run. What others test is not made, for each provider proves its kernels first.
pub(crate) fn may_run(name: &str) -> bool {
    static ARGUMENTS: LazyLock<Arguments> = LazyLock::new(Arguments::from_args);
    let begin = format!("{name}::");
    let is_asked_for = ARGUMENTS.filter.as_ref().is_none_or(|filter| {
        let is_a_beginning = ["kernels::", "provider::"].iter().any(|it| filter.starts_with(it));
        !is_a_beginning || begin.starts_with(filter) || filter.starts_with(&begin)
    });
    is_asked_for && !ARGUMENTS.skip.iter().any(|skipped| begin.contains(skipped))
}

/// An absent route is skipped; a provider that fails to load is not.
fn present(route: Route) -> Result<(), String> {
    if route == Route::Libcrypto {
        return Ok(());
    }
    if let Some(interface) = Interface::of(route) {
        return interface.presence(Permission::Unconfined).map_err(|why| why.to_string());
    }
    wirespeed_kernels::presence(route, Features::detect()).map_err(|absent| absent.to_string())
}

/// Whether a route that is here has an algorithm.
pub(crate) fn has(route: Route, subject: cipher::Subject) -> bool {
    use cipher::Subject;
    match (route, subject) {
        // Whole messages, which programs give in parts.
        (route, Subject::Cipher(it)) if route.is_offload() && it.mode().has_tag() => false,
        (route, _) if route.is_offload() => {
            let transform = Transform::named(subject.name());
            let has = |(interface, transform): (Interface, _)| {
                interface.presence_of(transform, None, Permission::Unconfined).is_ok()
            };
            Interface::of(route).zip(transform).is_some_and(has)
        }
        (Route::Libcrypto, _) => subject.cipher().is_some(),
        (_, Subject::Cipher(algorithm)) => {
            Kernels::new(route, Features::detect()).is_ok_and(|kernels| kernels.has(algorithm))
        }
        (_, Subject::Digest(digest)) => {
            wirespeed_kernels::hash(route, digest.compression(), Features::detect()).is_ok()
        }
        (_, Subject::Delegated(_)) => false,
    }
}

/// A machine that lacks a feature has exactly the routes that do without it: how every lesser machine is
/// tested on a big one.
pub(crate) fn denial() -> Trial {
    trial("kernels::denial", || {
        let needs: [(Route, &[Feature]); 12] = [
            (Route::Vaes512, Vaes512::NEEDS),
            (Route::Vaes256, Vaes256::NEEDS),
            (Route::Gfni512, Gfni512::NEEDS),
            (Route::Gfni256, Gfni256::NEEDS),
            (Route::AesNi, AesNi::NEEDS),
            (Route::Avx2, Avx2::NEEDS),
            (Route::Ssse3, Ssse3::NEEDS),
            (Route::Sse2, Sse2::NEEDS),
            (Route::AesCe, AesCe::NEEDS),
            (Route::Sm4Ce, Sm4Ce::NEEDS),
            (Route::Neon, Neon::NEEDS),
            (Route::Portable, &[]),
        ];
        for &denied in Feature::ALL {
            let features = Features::detect().without(denied);
            for (route, needs) in needs {
                let missing = needs.iter().find(|feature| !features.has(**feature));
                let elsewhere = wirespeed_kernels::native(route).err();
                let right = elsewhere.or(missing.map(|feature| Absent::Missing(*feature)));
                let got = Kernels::new(route, features).err();
                if got != right {
                    let denied = denied.name();
                    return Err(format!("{route} without {denied}: {got:?}, not {right:?}"));
                }
            }
        }
        Ok(())
    })
}

fn unless<T>(
    obstacle: Option<&str>,
    make: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    obstacle.map_or_else(make, |reason| Err(reason.to_owned()))
}
