//! Which plan is in effect: the one that openssl.cnf names, the one in the default place, or none.

use std::env;
use std::path::{Path, PathBuf};

use wirespeed_cipher::Route;
use wirespeed_openssl_conf::{Configuration, Configured, Entry, ThisMachine, WIRESPEED};
use wirespeed_plan::{Fingerprint, Plan};

use wirespeed_bench::Host;
use wirespeed_plan::default_file;

/// Why the plan of the default place is not used where openssl.cnf configures the module without one.
pub(crate) const UNNAMED: &str = "openssl.cnf does not name it";

/// What chooses the routes of a program that starts now.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    /// The plan's file, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Where in openssl.cnf it is named; nothing for the default place.
    pub(crate) named_at: Option<String>,
    /// The plan, if it can be read.
    pub(crate) plan: Option<Plan>,
    /// Why the plan is not used.
    pub(crate) ignored: Option<String>,
    /// `routes = …` in openssl.cnf, if it lists some: no plan is asked then.
    pub(crate) listed: Option<Listed>,
    /// `kernel = …` in openssl.cnf, if it turns Linux's crypto on.
    pub(crate) kernel: Option<Listed>,
    /// `devcrypto = …`, the same.
    pub(crate) devcrypto: Option<Listed>,
}

/// Routes or algorithms that openssl.cnf lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The list as it is written.
    pub(crate) value: String,
    /// Where.
    pub(crate) place: String,
}

impl Listed {
    /// The routes, in their order.
    pub(crate) fn routes(&self) -> Vec<Route> {
        let words = self.value.split([',', ' ', '\t']);
        words.filter_map(|word| word.parse().ok()).collect()
    }
}

impl Effect {
    /// What is in effect on this machine.
    pub(crate) fn here(host: &Host) -> Self {
        let configuration =
            configuration_file(host).and_then(|file| Configuration::read(&file, &ThisMachine).ok());
        let ours = configuration.as_ref().and_then(|it| it.provider(WIRESPEED));
        Self::with(ours.as_ref(), default_file(), &super::fingerprint(host))
    }

    fn with(ours: Option<&Configured<'_>>, default: Option<PathBuf>, here: &Fingerprint) -> Self {
        let key = |name| ours.and_then(|ours| ours.entry(name));
        let text = |entry: &Entry| entry.value.to_str().trim().to_owned();
        let named = key("plan").map(|entry| (entry.value.to_path(), entry.place.to_string()));
        let mut effect = match (named, default.filter(|file| file.exists())) {
            (Some((file, place)), _) => Self { named_at: Some(place), ..Self::of(&file, here) },
            // The module itself looks nowhere else.
            (None, Some(file)) if ours.is_some() => {
                Self { file: Some(file), ignored: Some(UNNAMED.to_owned()), ..Self::default() }
            }
            (None, Some(file)) => Self::of(&file, here),
            (None, None) => Self::default(),
        };
        let listed = |name, unless: &str| {
            key(name)
                .filter(|entry| text(entry) != unless)
                .map(|entry| Listed { value: text(entry), place: entry.place.to_string() })
        };
        effect.listed = listed("routes", "auto");
        effect.kernel = listed("kernel", "off");
        effect.devcrypto = listed("devcrypto", "off");
        effect
    }

    /// The plan of a file.
    fn of(file: &Path, here: &Fingerprint) -> Self {
        let (plan, ignored) = match Plan::read(file) {
            Ok(plan) => {
                let ignored = plan.fingerprint().difference(here);
                (Some(plan), ignored)
            }
            Err(error) => (None, Some(error.to_string())),
        };
        Self { file: Some(file.to_owned()), plan, ignored, ..Self::default() }
    }

    /// What turns a way to Linux's crypto on, if it is.
    pub(crate) fn turns_on(&self, route: Route) -> Option<&Listed> {
        match route {
            Route::Kernel => self.kernel.as_ref(),
            Route::DevCrypto => self.devcrypto.as_ref(),
            _ => None,
        }
    }

    /// Whether calls may go to Linux's crypto, and it is here.
    pub(crate) fn has_offloads(&self, host: &Host) -> bool {
        let mut on = Route::OFFLOADS.into_iter().filter(|route| self.turns_on(*route).is_some());
        on.any(|route| host.find(route).presence.is_ok())
    }

    /// The plan, if it is used.
    pub(crate) fn in_use(&self) -> Option<&Plan> {
        self.plan.as_ref().filter(|_| self.ignored.is_none() && self.listed.is_none())
    }
}

/// The file that programs of this user read, openssl(5ssl).
fn configuration_file(host: &Host) -> Option<PathBuf> {
    let file = |library: &wirespeed_libcrypto::Library| {
        Some(library.configuration_folder()?.join("openssl.cnf"))
    };
    let named = env::var_os("OPENSSL_CONF").map(PathBuf::from);
    named.or_else(|| host.harness.library().ok().and_then(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(section: &str, default: Option<&Path>) -> Effect {
        let text = format!(
            "openssl_conf = o\n[o]\nproviders = p\n[p]\nwirespeed = w\n[w]\nactivate = 1\n{section}\n"
        );
        let file = Path::new("openssl.cnf");
        let configuration = Configuration::of(text.as_bytes(), file, &ThisMachine).expect("good");
        let ours = configuration.provider(WIRESPEED).expect("listed");
        Effect::with(Some(&ours), default.map(Path::to_owned), &Fingerprint::here("3.0.18"))
    }

    fn written(name: &str, libcrypto: &str) -> PathBuf {
        let file = env::temp_dir().join(format!("wirespeed-{name}-{}", std::process::id()));
        let plan = Plan::new(Fingerprint::here(libcrypto));
        std::fs::write(&file, plan.to_string()).expect("written");
        file
    }

    #[test]
    fn openssl_cnf_comes_before_the_default_place() {
        let (named, default) = (written("named", "3.0.18"), written("default", "3.0.18"));
        let effect = with(&format!("plan = {}", named.display()), Some(&default));
        assert_eq!(effect.file.as_ref(), Some(&named));
        assert_eq!(effect.named_at.as_deref(), Some("openssl.cnf:8"));
        assert!(effect.in_use().is_some());
        let effect = with("", Some(&default));
        assert_eq!((effect.file.as_ref(), &effect.named_at), (Some(&default), &None));
        // The module takes no plan that openssl.cnf does not name.
        assert!(effect.in_use().is_none() && effect.plan.is_none());
        assert_eq!(effect.ignored.as_deref(), Some(UNNAMED));
        let effect = Effect::with(None, Some(default.clone()), &Fingerprint::here("3.0.18"));
        assert!(effect.in_use().is_some(), "where it is not installed yet");
        std::fs::remove_file(named).expect("removed");
        std::fs::remove_file(default).expect("removed");
    }

    #[test]
    fn a_plan_that_is_not_used_says_why() {
        let file = written("stale", "3.0.17");
        let key = format!("plan = {}", file.display());
        let effect = with(&key, None);
        assert!(effect.in_use().is_none());
        assert_eq!(effect.ignored.as_deref(), Some("made for libcrypto 3.0.17, this is 3.0.18"));
        let effect = with("plan = /nowhere/at/all", None);
        assert!(effect.ignored.expect("not there").starts_with("cannot be read: "));
        std::fs::remove_file(file).expect("removed");
    }

    #[test]
    fn listed_routes_come_before_any_plan() {
        let listed = with("routes = aesni, vaes256", None).listed.expect("listed");
        assert_eq!(listed.routes().first(), Some(&Route::AesNi));
        assert_eq!(listed.place, "openssl.cnf:8");
        assert_eq!(with("routes = auto", None).listed, None);
    }

    #[test]
    fn the_kernel_is_off_unless_it_is_turned_on() {
        assert_eq!(with("routes = auto", None).kernel, None);
        assert_eq!(with("kernel = off", None).kernel, None);
        let on = with("devcrypto = on", None);
        assert_eq!(Route::OFFLOADS.map(|it| on.turns_on(it).is_some()), [false, true]);
        let some = with("kernel = SHA1, AES-128-CBC@cbc-aes-geode", None).kernel.expect("on");
        assert_eq!(some.value, "SHA1, AES-128-CBC@cbc-aes-geode");
        assert_eq!(some.place, "openssl.cnf:8");
    }

    /// What openssl.cnf turns on may be gone.
    #[test]
    fn offloads_are_those_that_are_here() {
        let host = Host::discover();
        let is_here = host.find(Route::Kernel).presence.is_ok();
        assert_eq!(with("kernel = on", None).has_offloads(&host), is_here);
        assert!(!with("kernel = off", None).has_offloads(&host));
    }
}
