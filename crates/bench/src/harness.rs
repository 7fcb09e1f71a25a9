//! Where candidates come to life: each in a library context of its own, all in one libcrypto.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use wirespeed_cipher::{Algorithm, Direction, Route, Subject};
use wirespeed_cpu::Features;
use wirespeed_libcrypto::{Cipher, Context, Library};
use wirespeed_measure::Contestant;

use crate::candidate::{Absent, Candidate};
use crate::case::Case;
use crate::digest::Hashing;
use crate::direct::Direct;
use crate::evp::Evp;
use crate::form::{Form, Kind};
use crate::material::Material;
use crate::offload::Offload;
use crate::sockets::ThisKernel;
use crate::worker::{Message, Worker};

/// The libcrypto, the features and the sockets that candidates may use.
pub struct Harness {
    library: Result<Library, Absent>,
    features: Features,
    offload: Box<dyn Offload>,
    /// An openssl.cnf that sets up [`Self::PROVIDER`].
    configuration: Option<PathBuf>,
    /// One context for each candidate through EVP, made when first asked for; and one more for the
    /// algorithms that OpenSSL has in its legacy provider.
    contexts: Mutex<HashMap<(Candidate, bool), Result<Context, Absent>>>,
}

impl Harness {
    /// A harness; without a library the kernels still run directly.
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

    /// With the openssl.cnf of [`Candidate::Configured`], which activates a provider of the name
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

    /// Whether a candidate is here, and why not. For Linux's crypto a socket is opened to see.
    pub fn presence(&self, candidate: Candidate) -> Result<(), Absent> {
        if let Some(socket) = candidate.socket() {
            return self.offload.presence(socket.interface);
        }
        match candidate {
            Candidate::Kernels(route) if route.is_own() => self.native(route),
            Candidate::Provider(route) if route != Route::Libcrypto => {
                self.presence(Candidate::Kernels(route))?;
                self.context(candidate, false).map(|_| ())
            }
            _ => self.context(candidate, false).map(|_| ()),
        }
    }

    /// Whether a candidate knows an algorithm.
    pub fn knows(&self, candidate: Candidate, subject: Subject) -> bool {
        if let Some(socket) = candidate.socket() {
            return self.offload.presence_of(socket, subject).is_ok();
        }
        match candidate {
            Candidate::Kernels(route) => self.has_kernels(route, subject),
            _ => {
                let reached = candidate.reaches();
                reached.is_none_or(|it| self.offload.presence_of(it, subject).is_ok())
                    && self.serves(candidate, subject)
            }
        }
    }

    /// Whether it is worth measuring a candidate that nobody named.
    pub fn competes(&self, candidate: Candidate, subject: Subject) -> bool {
        match (candidate.route(), subject) {
            (Some(route), Subject::Cipher(algorithm)) => {
                wirespeed_kernels::competes(route, algorithm, self.features)
            }
            _ => true,
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
            Subject::Delegated(_) => false,
        }
    }

    /// Whether a candidate's provider offers an algorithm.
    fn serves(&self, candidate: Candidate, subject: Subject) -> bool {
        let name = subject.name();
        self.context_for(candidate, subject).is_ok_and(|context| match Form::of(subject).kind {
            Kind::Hash => context.digest(name, None).is_ok(),
            Kind::Mac => candidate == Candidate::Host,
            _ => context.fetch(name, None).is_ok(),
        })
    }

    /// The proof of a candidate in the kernel by known answers: how many checks an algorithm passed, or
    /// what is wrong.
    pub fn prove_offload(&self, candidate: Candidate, subject: Subject) -> Result<usize, String> {
        let socket = candidate.reaches().ok_or_else(|| format!("{candidate}: no way to Linux"))?;
        self.offload.prove(socket, subject)
    }

    fn native(&self, route: Route) -> Result<(), Absent> {
        wirespeed_kernels::presence(route, self.features).map_err(|why| Absent(why.to_string()))
    }

    /// The context for an algorithm: the host's legacy provider is loaded only where it is needed.
    fn context_for(&self, candidate: Candidate, subject: Subject) -> Result<Context, Absent> {
        let is_legacy = matches!(subject, Subject::Delegated(delegated) if delegated.is_legacy());
        self.context(candidate, is_legacy && candidate == Candidate::Host)
    }

    fn context(&self, candidate: Candidate, legacy: bool) -> Result<Context, Absent> {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let made = contexts.entry((candidate, legacy));
        made.or_insert_with(|| self.make_context(candidate, legacy)).clone()
    }

    fn make_context(&self, candidate: Candidate, legacy: bool) -> Result<Context, Absent> {
        let library = self.library.clone()?;
        let told = |why: wirespeed_libcrypto::Error| Absent(why.to_string());
        let context = Context::new(library).map_err(told)?;
        let init = match candidate {
            Candidate::Host => {
                context.load("default").map_err(told)?;
                if legacy {
                    let absent = |why| Absent(format!("only in OpenSSL's legacy provider: {why}"));
                    context.load("legacy").map_err(absent)?;
                }
                return Ok(context);
            }
            Candidate::Priority | Candidate::Configured => wirespeed_provider::init,
            Candidate::Provider(route) | Candidate::Kernels(route) => {
                wirespeed_provider::builtin(route)
            }
            Candidate::Driver(_) | Candidate::Lanes(_) => {
                return Err(Absent("not through EVP".to_owned()));
            }
        };
        // SAFETY: both are our own provider's entry points, and part of this program.
        #[expect(unsafe_code, reason = "a provider's entry point is a C function")]
        unsafe { context.add_builtin(Self::PROVIDER, init) }.map_err(told)?;
        if candidate == Candidate::Configured {
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

    /// An absence unless a candidate's own provider serves it.
    fn own(candidate: Candidate, provider: &str, subject: Subject) -> Result<(), Absent> {
        let expected = match candidate {
            Candidate::Host => &["default", "legacy"][..],
            _ => &[Self::PROVIDER],
        };
        if expected.contains(&provider) {
            Ok(())
        } else {
            Err(Absent(format!("{provider} serves {subject} itself")))
        }
    }

    /// What candidates work on. A message to decrypt is encrypted by our portable route, or, where it is
    /// not of our own algorithms, by whoever can.
    pub(crate) fn material(&self, case: Case) -> Result<Material, Absent> {
        let is_ours = case.subject.cipher().is_some();
        let is_sealed = Form::of(case.subject).has_tag() && case.direction == Direction::Decrypt;
        if is_ours || !is_sealed {
            return Ok(Material::of(case));
        }
        let encrypt = Case { direction: Direction::Encrypt, ..case };
        let message = |candidate| {
            self.runner_on(candidate, encrypt, Arc::new(Material::plain(encrypt)))?.result()
        };
        let message =
            message(Candidate::Host).or_else(|_| message(Candidate::Kernels(Route::Kernel)));
        Ok(Material::sealed(case, &message?))
    }

    /// Brings a candidate to life for a case.
    pub fn runner(&self, candidate: Candidate, case: Case) -> Result<Runner, Absent> {
        self.runner_on(candidate, case, Arc::new(self.material(case)?))
    }

    pub(crate) fn runner_on(
        &self,
        candidate: Candidate,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Runner, Absent> {
        let worker = match (candidate.socket(), candidate, case.subject) {
            (Some(socket), ..) => self.offload.worker(socket, case, material)?,
            (_, Candidate::Kernels(route), subject) => {
                self.direct(route, subject, case, material)?
            }
            _ => self.through_evp(candidate, case, material)?,
        };
        Ok(Runner { worker: slowed(candidate, worker), bytes: case.size as u64, failure: None })
    }

    /// System calls that a candidate in the kernel makes for one call of a case: counted, on a socket
    /// without EVP, which hands each call on as it is.
    pub(crate) fn system_calls(
        &self,
        candidate: Candidate,
        case: Case,
        material: &Arc<Material>,
    ) -> Option<f64> {
        let socket = match candidate {
            Candidate::Provider(route) => Candidate::Kernels(route),
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
            Subject::Delegated(_) => return Err(Absent(format!("{route} has no kernels for it"))),
        })
    }

    fn through_evp(
        &self,
        candidate: Candidate,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Box<dyn Worker>, Absent> {
        let failed = |why: wirespeed_libcrypto::Error| Absent(why.to_string());
        let (subject, name) = (case.subject, case.subject.name());
        let context = self.context_for(candidate, subject)?;
        Ok(match Form::of(subject).kind {
            Kind::Hash => {
                let digest = context.digest(name, None).map_err(failed)?;
                Self::own(candidate, &digest.provider(), subject)?;
                Box::new(Hashing::through_evp(&digest, case, material).map_err(failed)?)
            }
            Kind::Mac if candidate == Candidate::Host => {
                let digest = name.strip_prefix("HMAC-").unwrap_or(name);
                Box::new(Hashing::hmac(&context, digest, case, material).map_err(failed)?)
            }
            Kind::Mac => {
                return Err(Absent("MACs are measured through the host's alone".to_owned()));
            }
            _ => {
                let cipher = context.fetch(name, None).map_err(failed)?;
                Self::own(candidate, cipher.provider(), subject)?;
                Box::new(Evp::new(&cipher, case, material).map_err(failed)?)
            }
        })
    }
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Harness({:?})", self.library())
    }
}

/// A route that is slower than its instructions promise, for tests: release builds never look.
fn slowed(candidate: Candidate, worker: Box<dyn Worker>) -> Box<dyn Worker> {
    #[cfg(debug_assertions)]
    if std::env::var_os("WIRESPEED_SLOW").is_some_and(|slow| *slow == *candidate.title()) {
        return Box::new(crate::worker::Slowed(worker));
    }
    let _ = candidate;
    worker
}

/// A candidate at work on a case.
pub struct Runner {
    worker: Box<dyn Worker>,
    bytes: u64,
    failure: Option<Absent>,
}

impl Runner {
    /// A cipher of any provider at work on a case of one of our own algorithms.
    pub fn on(cipher: &Cipher, algorithm: Algorithm, case: Case) -> Result<Self, Absent> {
        debug_assert_eq!(case.subject, algorithm.into());
        let evp = Evp::new(cipher, case, Arc::new(Material::of(case)));
        let worker = Box::new(evp.map_err(|why| Absent(why.to_string()))?);
        Ok(Self { worker, bytes: case.size as u64, failure: None })
    }

    /// The bytes and the tag of one message, for comparing candidates.
    pub fn result(&mut self) -> Result<Message, Absent> {
        self.worker.result()
    }

    /// System calls for one call of the case, where somebody counts them.
    fn system_calls(&mut self) -> Option<f64> {
        let calls = 64_u64.next_multiple_of(self.worker.at_once());
        let before = self.worker.system_calls()?;
        self.worker.run(calls).ok()?;
        Some((self.worker.system_calls()? - before) as f64 / calls as f64)
    }
}

impl Contestant for Runner {
    fn run(&mut self, calls: u64) {
        if self.failure.is_none() {
            self.failure = self.worker.run(calls).err();
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_ref().map(|Absent(why)| why.as_str())
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn whole(&self) -> u64 {
        self.worker.at_once()
    }
}
