//! One loaded provider: its core, its route, its list of algorithms.

mod entries;

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::Arc;

use wirespeed_af_alg::Interface;
use wirespeed_cipher::{Algorithm, Digest, HashKernels, Hasher, Route, Subject};
use wirespeed_cpu::{Feature, Features};
use wirespeed_fork::SetOnce;
use wirespeed_plan::{Fingerprint, LibcryptoCode, Plan};
use wirespeed_stats::{Counters, Tally};

use crate::boundary::digest::Context;
use crate::boundary::host_context::{HostContext, HostContexts};
use crate::boundary::host_digest::HostDigest;
use crate::boundary::host_library::{Adopted, HostLibrary};
use crate::boundary::host_mac::HostMacs;
use crate::boundary::room::Rooms;
use crate::boundary::spare::Spares;
use crate::config::{Config, Digests, Routes};
use crate::digest;
use crate::digest::counted::Counted;
use crate::digest::hashing::{Base, Hashing, KernelHash};
use crate::error::{CallError, Reason};
use crate::host::{Core, Version};
use crate::offload::Offload;
use crate::offload::call::KernelCipher;
use crate::openssl::{AlgorithmEntry, Param, data_type};
use crate::params::list::Asked;
use crate::params::{END, List, entry, text};
use crate::provider::entries::{Entries, OfDigests};
use crate::routing::choice::Choice;
use crate::routing::monitor::Monitor;
use crate::routing::native::Kernels;
use crate::routing::way::Ways;
use crate::routing::{By, Monitoring, Routing};

const NAME: &CStr = c"Wirespeed";
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => unreachable!(),
    };

/// What a provider may offer, if its routes can.
pub(crate) struct Offer<'a> {
    ciphers: Vec<Algorithm>,
    /// Whether ciphers may be offered of which we have no kernels.
    delegated: bool,
    /// On kernels of our own.
    own_digests: Vec<Digest>,
    /// Whether nobody has said which hash functions.
    any_digest: bool,
    /// Whether a hash function may be offered for the kernel's sake.
    may_offload: &'a dyn Fn(Subject) -> bool,
}

#[cfg(test)]
impl Offer<'_> {
    /// These ciphers alone.
    pub(crate) fn ciphers(ciphers: &[Algorithm]) -> Self {
        let (ciphers, own_digests) = (ciphers.to_vec(), Vec::new());
        Self { ciphers, delegated: false, own_digests, any_digest: false, may_offload: &|_| false }
    }
}

/// The provider context.
pub(crate) struct Provider {
    pub(crate) core: Core,
    /// Extras that were configured and cannot be had, with reasons and mends: it serves without. Empty if there are none.
    missing: CString,
    pub(crate) version: Version,
    /// What serves; nothing on a CPU without AES instructions.
    routing: Option<Arc<Routing>>,
    /// The routes' names, or why there are none.
    routes: CString,
    /// Where the choice comes from.
    plan: CString,
    /// The names of quarantined routes, made when asked for. None is ever let out again, so of each
    /// number there is but one set.
    quarantined: [SetOnce<CString>; Route::ALL.len() + 1],
    ciphers: Box<[AlgorithmEntry]>,
    digests: Box<[AlgorithmEntry]>,
    macs: Box<[AlgorithmEntry]>,
    /// What keeps keys for the ciphers.
    secret_keys: Box<[AlgorithmEntry]>,
    /// For what of HMAC is not ours; HMAC is only on offer with it.
    host_macs: Option<Arc<HostMacs>>,
    /// Of each hash function the kernels of our own that it runs on; the others are the host's.
    own_digests: OfDigests,
    /// The kernels of HMAC.
    mac_kernels: OfDigests,
    /// The names of those hash functions.
    mac_digests: Box<[(&'static [u8], Digest)]>,
    /// The tables of delegated ciphers, which `ciphers` points into.
    _adopted: Vec<Adopted>,
    /// What contexts of ciphers have in common.
    ways: Ways,
    /// Where contexts of ciphers were that threads have freed.
    pub(crate) rooms: Rooms,
    /// Contexts of hash functions that threads have freed.
    pub(crate) spares: Spares<Context<Hasher>>,
    /// The same, where calls are counted.
    pub(crate) counted_spares: Spares<Context<Counted>>,
}

impl Provider {
    /// As openssl.cnf says.
    pub(crate) fn configured(core: Core) -> Result<Self, (Reason, String)> {
        let config = Config::read(|key| core.parameter(key))
            .map_err(|text| (Reason::InvalidArgument, text))?;
        let mut missing = Vec::new();
        let counters = config.stats.as_deref().map(counters);
        let counters = counters.and_then(|it| it.map_err(|why| missing.push(why)).ok());
        let monitoring = Monitoring { verify: config.verify, counters };
        let planned = match (&config.routes, &config.plan) {
            (Routes::Auto, Some(path)) => Some((path, Plan::read(path))),
            _ => None,
        };
        let priority = By::Priority { constant_time: None };
        let (by, plan) = match (&config.routes, &planned) {
            (Routes::Listed(routes), _) => (By::List(routes), "none: routes are listed".to_owned()),
            (Routes::Auto, None) => (priority, "none: default priority".to_owned()),
            (Routes::Auto, Some((path, Err(why)))) => {
                let path = path.display();
                let mend = "let every user read it, or run wirespeed tune and install";
                missing.push(format!("plan = {path}: {why}: the default priority serves; {mend}"));
                (priority, format!("{path} ignored: {why}"))
            }
            (Routes::Auto, Some((path, Ok(plan)))) => {
                let path = path.display();
                let version = core.version_text();
                match plan.fingerprint().difference(&Fingerprint::here(&version)) {
                    Some(difference) => {
                        // What was measured fits no more. What somebody chose stands.
                        let code = LibcryptoCode::of(&version, Features::detect());
                        let constant_time = plan.is_for_constant_time().then_some(code);
                        let by = By::Priority { constant_time };
                        (by, format!("{path} ignored: {difference}"))
                    }
                    None => (By::Plan(plan), path.to_string()),
                }
            }
        };
        let reach = |legacy| HostLibrary::reach(&core, legacy);
        let routing = Routing::new(&by, Features::detect(), &config.offloads, monitoring, reach);
        let claimed = |algorithm: &&Algorithm| match (&by, &routing) {
            (By::Plan(plan), Ok(routing)) => plan.claims(**algorithm) && routing.adds(**algorithm),
            _ => true,
        };
        let ciphers: Vec<_> = config.ciphers.iter().filter(claimed).copied().collect();
        let own_digests = own_digests(&config.digests, &by, routing.as_ref().ok());
        let may_offload = |subject: Subject| match (&config.digests, subject) {
            (Digests::All, _) => true,
            (Digests::Listed(listed), Subject::Digest(digest)) => listed.contains(&digest),
            (Digests::Listed(_), _) => false,
        };
        let delegated = config.ciphers.len() == Algorithm::ALL.len();
        let any_digest = matches!(config.digests, Digests::All);
        let offer =
            Offer { ciphers, delegated, own_digests, any_digest, may_offload: &may_offload };
        match (&by, routing) {
            (By::List(_), Err(why)) => Err((Reason::InitFail, format!("routes: {why}"))),
            (_, routing) => {
                let missing = missing.join("; ");
                if !missing.is_empty() {
                    core.raise(Reason::InitFail, Some(&missing));
                }
                let missing = CString::new(missing).unwrap_or_default();
                Ok(Self { missing, ..Self::new(core, routing, &plan, offer) })
            }
        }
    }

    /// Everything on one route.
    pub(crate) fn on_route(core: Core, route: Route) -> Result<Self, (Reason, String)> {
        let reach = |legacy| HostLibrary::reach(&core, legacy);
        let by = By::List(&[route]);
        let (features, monitoring) = (Features::detect(), Monitoring::default());
        let routing =
            Routing::new(&by, features, &Interface::ALL.map(Offload::off), monitoring, reach);
        let routing = routing.map_err(|text| (Reason::InitFail, text))?;
        let (ciphers, own_digests) = (Algorithm::ALL.to_vec(), Digest::ALL.to_vec());
        let delegated = true;
        let offer =
            Offer { ciphers, delegated, own_digests, any_digest: true, may_offload: &|_| true };
        Ok(Self::new(core, Ok(routing), "none: one route", offer))
    }

    pub(crate) fn new(
        core: Core,
        routing: Result<Routing, String>,
        plan: &str,
        offer: Offer<'_>,
    ) -> Self {
        let version = core.version();
        let routes = match &routing {
            Ok(routing) => names(routing.serving()),
            Err(reasons) => format!("none ({reasons})"),
        };
        let entries = Entries::new(offer, routing.as_ref().ok(), version);
        let adopted = entries.adopted();
        let ciphers = entries.ciphers(&adopted);
        let host_macs = entries.wants_macs().then(|| HostMacs::reach(&core)).flatten();
        let mac_kernels = entries.mac_kernels();
        Self {
            core,
            missing: CString::default(),
            version,
            macs: entries::macs(host_macs.is_some()),
            host_macs,
            secret_keys: entries::secret_keys(ciphers.len() > 1),
            ciphers,
            digests: entries.digests(),
            own_digests: entries.own_digests,
            mac_digests: digest::names(|it| mac_kernels[it as usize].is_some()),
            mac_kernels,
            _adopted: adopted,
            ways: Ways::none(),
            rooms: Rooms::none(),
            spares: Spares::none(),
            counted_spares: Spares::none(),
            routes: CString::new(routes).unwrap_or_default(),
            plan: CString::new(plan).unwrap_or_default(),
            quarantined: [const { SetOnce::new() }; Route::ALL.len() + 1],
            routing: routing.ok().map(Arc::new),
        }
    }

    /// How a new context of `algorithm` finds its route.
    #[inline(always)]
    pub(crate) fn choice<K: Kernels>(&self, algorithm: Algorithm) -> Option<Choice<K>> {
        self.routing.as_ref().map(|routing| Choice::new(&self.ways, routing, algorithm))
    }

    /// The quarantined routes by name.
    fn quarantined(&self) -> &CStr {
        let mask = self.routing.as_ref().map_or(0, |routing| routing.quarantined());
        let text = self.quarantined.get(mask.count_ones() as usize);
        text.map_or(c"", |text| {
            text.get_or_make(|| CString::new(names(Route::of_bits(mask))).unwrap_or_default())
        })
    }

    /// What a new context of the delegated cipher at that place of all subjects is made from.
    pub(crate) fn delegated(
        &self,
        subject: usize,
    ) -> Option<(HostContext, Vec<KernelCipher>, Monitor)> {
        let routing = self.routing.as_ref()?;
        let kernels = routing.offloaded(subject).iter().cloned().map(KernelCipher::new).collect();
        let subject = Subject::at(subject)?;
        let host = HostContexts::of(routing.host_library()?, subject.name())?.context()?;
        Some((host, kernels, Monitor::new(Arc::clone(routing), subject)))
    }

    /// The kernels that a hash function runs on, where they are our own.
    #[inline]
    pub(crate) fn hash_kernels(&self, digest: Digest) -> Option<&'static HashKernels> {
        self.own_digests[digest as usize]
    }

    /// The kernels of HMAC with a hash function, where nothing is computed twice and nobody else has a part in it.
    pub(crate) const fn mac_kernels(&self, digest: Digest) -> Option<&'static HashKernels> {
        self.mac_kernels[digest as usize]
    }

    /// The hash function of that name, in any case, if HMAC with it is ours. Asked for by every one-shot call.
    pub(crate) fn mac_digest(&self, name: &CStr) -> Option<Digest> {
        let name = name.to_bytes();
        let (_, digest) = self.mac_digests.iter().find(|(it, _)| it.eq_ignore_ascii_case(name))?;
        Some(*digest)
    }

    /// HMAC of the program's other providers.
    pub(crate) const fn host_macs(&self) -> Option<&Arc<HostMacs>> {
        self.host_macs.as_ref()
    }

    /// What counts the calls of a context, where calls are counted.
    pub(crate) fn tally(&self, subject: Subject) -> Option<Tally> {
        Some(Tally::new(self.routing.as_ref()?.counters()?, subject.index()))
    }

    /// A new context of a hash function.
    pub(crate) fn hashing(&self, subject: Subject) -> Option<Hashing> {
        let routing = self.routing.as_ref()?;
        let base = match subject {
            Subject::Digest(digest) if self.hash_kernels(digest).is_some() => {
                Base::Own(Box::new(Hasher::new(self.hash_kernels(digest)?, digest)))
            }
            _ => Base::Host(HostDigest::new(routing.host_library()?, subject.name())?),
        };
        let kernel = routing.offloaded(subject.index()).first().cloned().map(KernelHash::new);
        Some(Hashing::new(base, kernel, Monitor::new(Arc::clone(routing), subject)))
    }

    /// What keeps keys for ciphers, with an end. Only libcrypto 3.5 and later ask.
    pub(crate) fn secret_keys(&self) -> *const AlgorithmEntry {
        self.secret_keys.as_ptr()
    }

    /// The ciphers on offer, with an end.
    pub(crate) fn ciphers(&self) -> *const AlgorithmEntry {
        self.ciphers.as_ptr()
    }

    /// The message authentication codes on offer, with an end.
    pub(crate) fn macs(&self) -> *const AlgorithmEntry {
        self.macs.as_ptr()
    }

    /// The digests on offer, with an end.
    pub(crate) fn digests(&self) -> *const AlgorithmEntry {
        self.digests.as_ptr()
    }

    /// Answers the provider's own parameters.
    pub(crate) fn answer(&self, mut list: Asked<'_>) -> Result<(), CallError> {
        match list.iter_mut().all(|param| self.answer_one(param)) {
            true => Ok(()),
            false => Err(CallError::SILENT),
        }
    }

    /// Tells whether all is well: a parameter that nobody knows is left alone.
    fn answer_one(&self, param: &mut Param) -> bool {
        match param.name() {
            b"name" => param.set_text(NAME),
            b"version" | b"buildinfo" => param.set_text(VERSION),
            b"status" => param.set_u32(1),
            b"wirespeed-routes" => param.set_text(&self.routes),
            b"wirespeed-plan" => param.set_text(&self.plan),
            b"wirespeed-quarantined" => param.set_text(self.quarantined()),
            b"wirespeed-missing" => param.set_text(&self.missing),
            #[cfg(feature = "trace")]
            _ => crate::trace::answer(param).unwrap_or(true),
            #[cfg(not(feature = "trace"))]
            _ => true,
        }
    }
}

/// Names for people, in a row.
fn names(routes: impl IntoIterator<Item = Route>) -> String {
    routes.into_iter().map(Route::name).collect::<Vec<_>>().join(", ")
}

static GETTABLE_LIST: List<9> = List::new([
    text(c"name"),
    text(c"version"),
    text(c"buildinfo"),
    entry(c"status", data_type::INTEGER, std::ptr::null_mut(), 0),
    text(c"wirespeed-routes"),
    text(c"wirespeed-plan"),
    text(c"wirespeed-quarantined"),
    text(c"wirespeed-missing"),
    END,
]);

/// The provider's parameters: those of the default provider, and what serves.
pub(crate) fn gettable() -> *const Param {
    GETTABLE_LIST.as_ptr()
}

/// Where calls are counted.
fn counters(path: &Path) -> Result<Arc<Counters>, String> {
    Counters::open(path).map_err(|why| {
        let path = path.display();
        let mend = "let this user write it, or give a folder that all may write";
        format!("stats = {path}: {why}: nothing is counted; {mend}")
    })
}

/// The hash functions to be offered on kernels of our own.
fn own_digests(asked: &Digests, by: &By<'_>, routing: Option<&Routing>) -> Vec<Digest> {
    match (asked, by) {
        (Digests::Listed(digests), _) => digests.clone(),
        (Digests::All, By::Plan(plan)) => plan.digests().map(|(digest, _)| digest).collect(),
        (Digests::All, By::List(_)) => Digest::ALL.to_vec(),
        // Unmeasured: with SHA-NI libcrypto's code is no slower for long messages, and short ones gain only a fifth.
        // On ARM it has such code, too.
        (Digests::All, By::Priority { .. })
            if [Feature::ShaNi, Feature::Sha2].iter().any(|it| Features::detect().has(*it)) =>
        {
            Vec::new()
        }
        (Digests::All, By::Priority { .. }) => {
            let kernels = |it: &Digest| routing?.hash(it.compression());
            let suits = |it: &Digest| kernels(it).is_some_and(HashKernels::suits_every_call);
            Digest::ALL.into_iter().filter(suits).collect()
        }
    }
}
