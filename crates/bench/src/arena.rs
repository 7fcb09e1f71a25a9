//! Where contenders come to life: each in a library context of its own, all in one libcrypto.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use wirespeed_cipher::{Algorithm, Direction, Route, Subject};
use wirespeed_cpu::Features;
use wirespeed_libcrypto::{Cipher, Context, Library};
use wirespeed_measure::Contestant;

use crate::case::Case;
use crate::contender::{Absent, Contender};
use crate::digest::Hashing;
use crate::direct::Direct;
use crate::evp::Evp;
use crate::form::{Form, Kind};
use crate::material::Material;
use crate::offload::Offload;
use crate::sockets::ThisKernel;
use crate::worker::{Message, Worker};

/// The libcrypto, the features and the sockets that contenders may use.
pub struct Arena {
    library: Result<Library, Absent>,
    features: Features,
    offload: Box<dyn Offload>,
    /// An openssl.cnf that sets up [`Self::PROVIDER`].
    configuration: Option<PathBuf>,
    /// One context for each contender through EVP, made when first asked for; and one more for the
    /// algorithms that OpenSSL has in its legacy provider.
    contexts: Mutex<HashMap<(Contender, bool), Result<Context, Absent>>>,
}

impl Arena {
    /// An arena; without a library the kernels still run directly.
    pub fn new(library: Result<Library, Absent>, features: Features) -> Self {
        Self::with_offload(library, features, Box::new(ThisKernel))
    }

    pub(crate) fn with_offload(
        library: Result<Library, Absent>,
        features: Features,
        offload: Box<dyn Offload>,
    ) -> Self {
        let contexts = Mutex::new(HashMap::new());
        Self { library, features, offload, configuration: None, contexts }
    }

    /// With the openssl.cnf of [`Contender::Configured`], which activates a provider of the name
    /// [`Self::PROVIDER`].
    pub fn with_configuration(self, configuration: PathBuf) -> Self {
        Self { configuration: Some(configuration), ..self }
    }

    /// The features that routes may use.
    pub const fn features(&self) -> Features {
        self.features
    }

    /// The libcrypto in use, or why there is none.
    pub const fn library(&self) -> Result<&Library, &Absent> {
        self.library.as_ref()
    }

    /// Whether a contender is here, and why not. For Linux's crypto a socket is opened to see.
    pub fn presence(&self, contender: Contender) -> Result<(), Absent> {
        match contender {
            _ if contender.socket().is_some() => self.offload.presence(),
            Contender::Provider(Route::Kernel) => {
                self.offload.presence()?;
                self.context(contender, false).map(|_| ())
            }
            Contender::Kernels(route) => self.native(route),
            Contender::Provider(route) if route != Route::Libcrypto => {
                self.native(route)?;
                self.context(contender, false).map(|_| ())
            }
            _ => self.context(contender, false).map(|_| ()),
        }
    }

    /// Whether a contender knows an algorithm.
    pub fn knows(&self, contender: Contender, subject: Subject) -> bool {
        if let Some(socket) = contender.socket() {
            return self.offload.presence_of(subject, socket.driver).is_ok();
        }
        match contender {
            Contender::Kernels(route) => self.has_kernels(route, subject),
            Contender::Provider(Route::Kernel) => {
                self.offload.presence_of(subject, None).is_ok() && self.serves(contender, subject)
            }
            _ => self.serves(contender, subject),
        }
    }

    /// Whether a route of ours has kernels for an algorithm.
    fn has_kernels(&self, route: Route, subject: Subject) -> bool {
        match subject {
            Subject::Cipher(algorithm) => {
                wirespeed_kernels::has(route, algorithm, self.features).is_ok()
            }
            Subject::Digest(digest) => {
                wirespeed_kernels::hash(route, digest.compression(), self.features).is_ok()
            }
            Subject::Foreign(_) => false,
        }
    }

    /// Whether a contender's provider offers an algorithm.
    fn serves(&self, contender: Contender, subject: Subject) -> bool {
        let name = subject.name();
        self.context_for(contender, subject).is_ok_and(|context| match Form::of(subject).kind {
            Kind::Hash => context.digest(name, None).is_ok(),
            Kind::Mac => contender == Contender::Host,
            _ => context.fetch(name, None).is_ok(),
        })
    }

    /// The proof of a contender in the kernel by known answers: how many checks an algorithm passed, or
    /// what is wrong.
    pub fn prove_offload(&self, contender: Contender, subject: Subject) -> Result<usize, String> {
        let driver = contender.socket().and_then(|socket| socket.driver);
        self.offload.prove(subject, driver)
    }

    fn native(&self, route: Route) -> Result<(), Absent> {
        wirespeed_kernels::presence(route, self.features).map_err(|why| Absent(why.to_string()))
    }

    /// The context for an algorithm: the host's legacy provider is loaded only where it is needed.
    fn context_for(&self, contender: Contender, subject: Subject) -> Result<Context, Absent> {
        let is_legacy = matches!(subject, Subject::Foreign(foreign) if foreign.is_legacy());
        self.context(contender, is_legacy && contender == Contender::Host)
    }

    fn context(&self, contender: Contender, legacy: bool) -> Result<Context, Absent> {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let made = contexts.entry((contender, legacy));
        made.or_insert_with(|| self.make_context(contender, legacy)).clone()
    }

    fn make_context(&self, contender: Contender, legacy: bool) -> Result<Context, Absent> {
        let library = self.library.clone()?;
        let told = |why: wirespeed_libcrypto::Error| Absent(why.to_string());
        let context = Context::new(library).map_err(told)?;
        let init = match contender {
            Contender::Host => {
                context.load("default").map_err(told)?;
                if legacy {
                    let absent = |why| Absent(format!("only in OpenSSL's legacy provider: {why}"));
                    context.load("legacy").map_err(absent)?;
                }
                return Ok(context);
            }
            Contender::Ladder | Contender::Configured => wirespeed_provider::init,
            Contender::Provider(route) | Contender::Kernels(route) => {
                wirespeed_provider::builtin(route)
            }
            Contender::Driver(_) | Contender::Lanes(_) => {
                return Err(Absent("not through EVP".to_owned()));
            }
        };
        // SAFETY: both are our own provider's entry points, and part of this program.
        #[expect(unsafe_code, reason = "a provider's entry point is a C function")]
        unsafe { context.add_builtin(Self::PROVIDER, init) }.map_err(told)?;
        if contender == Contender::Configured {
            let absent = || Absent("no configuration was given".to_owned());
            context.load_config(self.configuration.as_ref().ok_or_else(absent)?).map_err(told)?;
        } else {
            context.load(Self::PROVIDER).map_err(told)?;
        }
        Ok(context)
    }

    /// A context as programs have it that prefer us: the host's default provider, and ours forced to each of
    /// these routes beside it, which serve before it. What none of them has, the host's serves.
    pub fn joint(&self, routes: &[Route]) -> Result<Context, Absent> {
        let told = |why: wirespeed_libcrypto::Error| Absent(why.to_string());
        let context = Context::new(self.library.clone()?).map_err(told)?;
        context.load("default").map_err(told)?;
        for route in routes {
            self.native(*route)?;
            let name = Self::joint_provider(*route);
            // SAFETY: our own provider's entry point, and part of this program.
            #[expect(unsafe_code, reason = "a provider's entry point is a C function")]
            unsafe { context.add_builtin(&name, wirespeed_provider::builtin(*route)) }
                .map_err(told)?;
            context.load(&name).map_err(told)?;
        }
        context.set_default_properties("?wirespeed.preferred=yes").map_err(told)?;
        Ok(context)
    }

    /// The name under which our provider on one route is loaded into a joint context.
    pub fn joint_provider(route: Route) -> String {
        format!("{}-{route}", Self::PROVIDER)
    }

    /// The name under which our provider is loaded.
    pub const PROVIDER: &str = "wirespeed";

    /// An absence unless a contender's own provider serves it.
    fn own(contender: Contender, provider: &str, subject: Subject) -> Result<(), Absent> {
        let expected = match contender {
            Contender::Host => &["default", "legacy"][..],
            _ => &[Self::PROVIDER],
        };
        if expected.contains(&provider) {
            Ok(())
        } else {
            Err(Absent(format!("{provider} serves {subject} itself")))
        }
    }

    /// What contenders work on. A message to decrypt is encrypted by our portable route, or, where it is
    /// not of our own algorithms, by whoever can.
    pub(crate) fn material(&self, case: Case) -> Result<Material, Absent> {
        let is_ours = case.subject.cipher().is_some();
        let is_sealed = Form::of(case.subject).has_tag() && case.direction == Direction::Decrypt;
        if is_ours || !is_sealed {
            return Ok(Material::of(case));
        }
        let encrypt = Case { direction: Direction::Encrypt, ..case };
        let message = |contender| {
            self.runner_on(contender, encrypt, Arc::new(Material::plain(encrypt)))?.result()
        };
        let message =
            message(Contender::Host).or_else(|_| message(Contender::Kernels(Route::Kernel)));
        Ok(Material::sealed(case, &message?))
    }

    /// Brings a contender to life for a case.
    pub fn runner(&self, contender: Contender, case: Case) -> Result<Runner, Absent> {
        self.runner_on(contender, case, Arc::new(self.material(case)?))
    }

    pub(crate) fn runner_on(
        &self,
        contender: Contender,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Runner, Absent> {
        let worker = match (contender.socket(), contender, case.subject) {
            (Some(socket), ..) => self.offload.worker(socket, case, material)?,
            (_, Contender::Kernels(route), subject) => {
                self.direct(route, subject, case, material)?
            }
            _ => self.through_evp(contender, case, material)?,
        };
        Ok(Runner { worker: slowed(contender, worker), bytes: case.size as u64 })
    }

    /// System calls that a contender in the kernel makes for one call of a case: counted, on a socket
    /// without EVP, which hands each call on as it is.
    pub(crate) fn system_calls(
        &self,
        contender: Contender,
        case: Case,
        material: &Arc<Material>,
    ) -> Option<f64> {
        let socket = match contender {
            Contender::Provider(Route::Kernel) => Contender::Kernels(Route::Kernel),
            other => other,
        };
        socket.socket()?;
        self.runner_on(socket, case, material.clone()).ok()?.system_calls()
    }

    fn direct(
        &self,
        route: Route,
        subject: Subject,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Box<dyn Worker>, Absent> {
        Ok(match subject {
            Subject::Cipher(algorithm) => {
                let direct = Direct::new(route, self.features, algorithm, case, material);
                Box::new(direct.map_err(|why| Absent(why.to_string()))?)
            }
            Subject::Digest(digest) => {
                let kernels = wirespeed_kernels::hash(route, digest.compression(), self.features)
                    .map_err(|why| Absent(why.to_string()))?;
                Box::new(Hashing::on(kernels, digest, case, material))
            }
            Subject::Foreign(_) => return Err(Absent(format!("{route} has no kernels for it"))),
        })
    }

    fn through_evp(
        &self,
        contender: Contender,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Box<dyn Worker>, Absent> {
        let failed = |why: wirespeed_libcrypto::Error| Absent(why.to_string());
        let (subject, name) = (case.subject, case.subject.name());
        let context = self.context_for(contender, subject)?;
        Ok(match Form::of(subject).kind {
            Kind::Hash => {
                let digest = context.digest(name, None).map_err(failed)?;
                Self::own(contender, &digest.provider(), subject)?;
                Box::new(Hashing::through_evp(&digest, case, material).map_err(failed)?)
            }
            Kind::Mac if contender == Contender::Host => {
                let digest = name.strip_prefix("HMAC-").unwrap_or(name);
                Box::new(Hashing::hmac(&context, digest, case, material).map_err(failed)?)
            }
            Kind::Mac => {
                return Err(Absent("MACs are measured through the host's alone".to_owned()));
            }
            _ => {
                let cipher = context.fetch(name, None).map_err(failed)?;
                Self::own(contender, cipher.provider(), subject)?;
                Box::new(Evp::new(&cipher, case, material).map_err(failed)?)
            }
        })
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arena({:?})", self.library())
    }
}

/// A route that is slower than its instructions promise, for tests: release builds never look.
fn slowed(contender: Contender, worker: Box<dyn Worker>) -> Box<dyn Worker> {
    #[cfg(debug_assertions)]
    if std::env::var_os("WIRESPEED_SLOW").is_some_and(|slow| *slow == *contender.title()) {
        return Box::new(crate::worker::Slowed(worker));
    }
    let _ = contender;
    worker
}

/// A contender at work on a case.
pub struct Runner {
    worker: Box<dyn Worker>,
    bytes: u64,
}

impl Runner {
    /// A cipher of any provider at work on a case of one of our own algorithms.
    pub fn on(cipher: &Cipher, algorithm: Algorithm, case: Case) -> Result<Self, Absent> {
        debug_assert_eq!(case.subject, algorithm.into());
        let evp = Evp::new(cipher, case, Arc::new(Material::of(case)));
        let worker = Box::new(evp.map_err(|why| Absent(why.to_string()))?);
        Ok(Self { worker, bytes: case.size as u64 })
    }

    /// The bytes and the tag of one message, for comparing contenders.
    pub fn result(&mut self) -> Result<Message, Absent> {
        self.worker.result()
    }

    /// System calls for one call of the case, where somebody counts them.
    fn system_calls(&mut self) -> Option<f64> {
        /// With a power of two of requests in flight a whole number of system calls.
        const CALLS: u64 = 64;
        let before = self.worker.system_calls()?;
        self.worker.run(CALLS);
        Some((self.worker.system_calls()? - before) as f64 / CALLS as f64)
    }
}

impl Contestant for Runner {
    fn run(&mut self, calls: u64) {
        self.worker.run(calls);
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
