//! Where contenders come to life: each in a library context of its own, all in one libcrypto.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use wirespeed_cipher::{Algorithm, BlockCipher, Route};
use wirespeed_cpu::Features;
use wirespeed_libcrypto::{Cipher, Context, Library};
use wirespeed_measure::Contestant;

use crate::case::Case;
use crate::contender::{Absent, Contender};
use crate::digest::Hashing;
use crate::direct::Direct;
use crate::evp::Evp;
use crate::material::Material;
use wirespeed_cipher::Subject;

/// The libcrypto and the features that contenders may use.
pub struct Arena {
    library: Result<Library, Absent>,
    features: Features,
    /// One context for each contender through EVP, made when first asked for.
    contexts: Mutex<HashMap<Contender, Result<Context, Absent>>>,
}

impl Arena {
    /// An arena; without a library the kernels still run directly.
    pub fn new(library: Result<Library, Absent>, features: Features) -> Self {
        Self { library, features, contexts: Mutex::new(HashMap::new()) }
    }

    /// The features that routes may use.
    pub const fn features(&self) -> Features {
        self.features
    }

    /// The libcrypto in use, or why there is none.
    pub const fn library(&self) -> Result<&Library, &Absent> {
        self.library.as_ref()
    }

    /// Whether a contender is here, and why not.
    pub fn presence(&self, contender: Contender) -> Result<(), Absent> {
        match contender {
            Contender::Kernels(route) => self.native(route),
            Contender::Provider(route) if route != Route::Libcrypto => {
                self.native(route)?;
                self.context(contender).map(|_| ())
            }
            Contender::Host | Contender::Ladder | Contender::Provider(_) => {
                self.context(contender).map(|_| ())
            }
        }
    }

    /// Whether a contender knows an algorithm.
    pub fn knows(&self, contender: Contender, subject: Subject) -> bool {
        let own = |route| match subject {
            Subject::Cipher(algorithm) => {
                wirespeed_native::kernels(route, algorithm.cipher(), self.features).is_ok()
            }
            Subject::Digest(digest) => {
                wirespeed_native::hash(route, digest.compression(), self.features).is_ok()
            }
            Subject::Foreign(_) => false,
        };
        match contender {
            Contender::Kernels(route) => own(route),
            Contender::Provider(route) if route != Route::Libcrypto => own(route),
            Contender::Host | Contender::Ladder | Contender::Provider(_) => {
                self.context(contender).is_ok_and(|context| match subject {
                    Subject::Cipher(algorithm) => context.fetch(algorithm.name(), None).is_ok(),
                    Subject::Digest(digest) => context.digest(digest.name(), None).is_ok(),
                    Subject::Foreign(_) => false,
                })
            }
        }
    }

    fn native(&self, route: Route) -> Result<(), Absent> {
        let found = BlockCipher::ALL
            .map(|cipher| wirespeed_native::kernels(route, cipher, self.features).map(|_| ()));
        let any = found.into_iter().reduce(|any, one| any.or_else(|why| one.map_err(|_| why)));
        any.unwrap_or(Ok(())).map_err(|why| Absent(why.to_string()))
    }

    fn context(&self, contender: Contender) -> Result<Context, Absent> {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.entry(contender).or_insert_with(|| self.make_context(contender)).clone()
    }

    fn make_context(&self, contender: Contender) -> Result<Context, Absent> {
        let library = self.library.clone()?;
        let told = |why: wirespeed_libcrypto::Error| Absent(why.to_string());
        let context = Context::new(library).map_err(told)?;
        let init = match contender {
            Contender::Host => {
                context.load("default").map_err(told)?;
                return Ok(context);
            }
            Contender::Ladder => wirespeed_provider::init,
            Contender::Provider(route) | Contender::Kernels(route) => {
                wirespeed_provider::builtin(route)
            }
        };
        // SAFETY: both are our own provider's entry points, and part of this program.
        #[expect(unsafe_code, reason = "a provider's entry point is a C function")]
        unsafe { context.add_builtin(Self::PROVIDER, init) }.map_err(told)?;
        context.load(Self::PROVIDER).map_err(told)?;
        Ok(context)
    }

    /// The name under which our provider is loaded.
    const PROVIDER: &str = "wirespeed";

    /// An absence unless a contender's own provider serves it.
    fn own(contender: Contender, provider: &str, subject: Subject) -> Result<(), Absent> {
        let expected = if contender == Contender::Host { "default" } else { Self::PROVIDER };
        if provider == expected {
            Ok(())
        } else {
            Err(Absent(format!("{provider} serves {subject} itself")))
        }
    }

    /// Brings a contender to life for a case.
    pub fn runner(&self, contender: Contender, case: Case) -> Result<Runner, Absent> {
        self.runner_on(contender, case, Arc::new(Material::of(case)))
    }

    pub(crate) fn runner_on(
        &self,
        contender: Contender,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Runner, Absent> {
        let absent = |why: &dyn fmt::Display| Absent(why.to_string());
        let failed = |why: wirespeed_libcrypto::Error| absent(&why);
        let inner = match (contender, case.subject) {
            (Contender::Kernels(route), Subject::Cipher(algorithm)) => {
                let kernels = wirespeed_native::kernels(route, algorithm.cipher(), self.features)
                    .map_err(|why| absent(&why))?;
                Inner::Direct(Box::new(Direct::new(kernels, algorithm, case, material)))
            }
            (Contender::Kernels(route), Subject::Digest(digest)) => {
                let kernels = wirespeed_native::hash(route, digest.compression(), self.features)
                    .map_err(|why| absent(&why))?;
                Inner::Hashing(Box::new(Hashing::on(kernels, digest, case, material)))
            }
            (_, Subject::Foreign(_)) => return Err(Absent("nobody here runs it".to_owned())),
            (_, Subject::Cipher(algorithm)) => {
                let cipher = self.context(contender)?.fetch(algorithm.name(), None);
                let cipher = cipher.map_err(failed)?;
                Self::own(contender, cipher.provider(), case.subject)?;
                let evp = Evp::new(&cipher, algorithm, case, material);
                Inner::Evp(Box::new(evp.map_err(failed)?))
            }
            (_, Subject::Digest(digest)) => {
                let digest = self.context(contender)?.digest(digest.name(), None);
                let digest = digest.map_err(failed)?;
                Self::own(contender, &digest.provider(), case.subject)?;
                let hashing = Hashing::through_evp(&digest, case, material);
                Inner::Hashing(Box::new(hashing.map_err(failed)?))
            }
        };
        Ok(Runner { inner, bytes: case.size as u64 })
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arena({:?})", self.library())
    }
}

/// A contender at work on a case.
pub struct Runner {
    inner: Inner,
    bytes: u64,
}

enum Inner {
    Direct(Box<Direct>),
    Evp(Box<Evp>),
    Hashing(Box<Hashing>),
}

impl Runner {
    /// A cipher of any provider at work on a case of it.
    pub fn on(cipher: &Cipher, algorithm: Algorithm, case: Case) -> Result<Self, Absent> {
        let evp = Evp::new(cipher, algorithm, case, Arc::new(Material::of(case)));
        let inner = Inner::Evp(Box::new(evp.map_err(|why| Absent(why.to_string()))?));
        Ok(Self { inner, bytes: case.size as u64 })
    }

    /// The bytes and the tag of one message, for comparing contenders.
    pub fn result(&mut self) -> Result<(Vec<u8>, [u8; 16]), Absent> {
        match &mut self.inner {
            Inner::Direct(direct) => Ok(direct.result()),
            Inner::Evp(evp) => evp.result().map_err(|why| Absent(why.to_string())),
            Inner::Hashing(hashing) => {
                let hash = hashing.result().map_err(|why| Absent(why.to_string()))?;
                Ok((hash, [0; 16]))
            }
        }
    }
}

impl Contestant for Runner {
    fn run(&mut self, calls: u64) {
        match &mut self.inner {
            Inner::Direct(direct) => direct.run(calls),
            Inner::Evp(evp) => evp.run(calls),
            Inner::Hashing(hashing) => hashing.run(calls),
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
