//! One loaded provider: its core, its route, its list of algorithms.

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use wirespeed_cipher::{Algorithm, Direction, Route};
use wirespeed_cpu::Features;
use wirespeed_plan::{Fingerprint, Plan};

use crate::boundary::counters::Counters;
use crate::boundary::host_library::HostLibrary;
use crate::choice::Choice;
use crate::config::{Config, Routes};
use crate::host::{Core, Version};
use crate::offer;
use crate::openssl::{AlgorithmEntry, Param, data_type};
use crate::params::{END, List, entry, text};
use crate::refusal::{Reason, Refusal};
use crate::routing::{By, Routing, Watch};

const NAME: &CStr = c"Wirespeed";
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => unreachable!(),
    };

/// The provider context.
pub(crate) struct Provider {
    pub(crate) core: Core,
    pub(crate) version: Version,
    /// What serves; nothing on a CPU without AES instructions.
    routing: Option<Arc<Routing>>,
    /// The routes' names, or why there are none.
    routes: CString,
    /// Where the choice comes from.
    plan: CString,
    /// Texts for each set of quarantined routes, made when asked for.
    quarantined: [OnceLock<CString>; 1 << Route::ALL.len()],
    algorithms: Box<[AlgorithmEntry]>,
}

impl Provider {
    /// As openssl.cnf says.
    pub(crate) fn configured(core: Core) -> Result<Self, (Reason, String)> {
        let config = Config::read(|key| core.parameter(key))
            .map_err(|text| (Reason::InvalidArgument, text))?;
        let absent = |why: String| (Reason::InitFail, format!("routes: {why}"));
        let counters = config.stats.as_ref().map(|path| {
            let counters = Counters::open(path);
            counters.map_err(|why| (Reason::InitFail, format!("stats = {path}: the file {why}")))
        });
        let watch = Watch { verify: config.verify, counters: counters.transpose()? };
        let features = Features::detect();
        let reach = || HostLibrary::reach(&core);
        let version = core.version_text();
        let (routing, plan, claimed) = match (&config.routes, &config.plan) {
            (Routes::Listed(routes), _) => {
                let routing = Routing::new(&By::List(routes), features, watch, reach);
                (Ok(routing.map_err(absent)?), "none: routes are listed".to_owned(), None)
            }
            (Routes::Auto, None) => {
                let routing = Routing::new(&By::Ladder, features, watch, reach);
                (routing, "none: ladder".to_owned(), None)
            }
            (Routes::Auto, Some(path)) => {
                let plan = Plan::read(Path::new(path))
                    .map_err(|why| (Reason::InvalidArgument, format!("plan = {path}: {why}")))?;
                match plan.fingerprint().difference(&Fingerprint::here(&version)) {
                    Some(difference) => (
                        Routing::new(&By::Ladder, features, watch, reach),
                        format!("{path} ignored: {difference}"),
                        None,
                    ),
                    None => {
                        let routing = Routing::new(&By::Plan(&plan), features, watch, reach);
                        (routing, path.clone(), Some(plan))
                    }
                }
            }
        };
        let claimed = |algorithm: &&Algorithm| {
            claimed.as_ref().is_none_or(|plan| {
                Direction::BOTH.into_iter().any(|it| plan.routes(**algorithm, it).is_some())
            })
        };
        let ciphers: Vec<_> = config.ciphers.iter().filter(claimed).copied().collect();
        Ok(Self::new(core, routing, &plan, &ciphers))
    }

    /// Everything on one route.
    pub(crate) fn on_route(core: Core, route: Route) -> Result<Self, (Reason, String)> {
        let reach = || HostLibrary::reach(&core);
        let by = By::List(&[route]);
        let routing = Routing::new(&by, Features::detect(), Watch::default(), reach);
        let routing = routing.map_err(|text| (Reason::InitFail, text))?;
        Ok(Self::new(core, Ok(routing), "none: one route", Algorithm::ALL))
    }

    pub(crate) fn new(
        core: Core,
        routing: Result<Routing, String>,
        plan: &str,
        ciphers: &[Algorithm],
    ) -> Self {
        let version = core.version();
        let routes = match &routing {
            Ok(routing) => names(&routing.serving()),
            Err(reasons) => format!("none ({reasons})"),
        };
        let offered = if routing.is_ok() { ciphers } else { &[] };
        let entries = offered.iter().map(|algorithm| AlgorithmEntry {
            names: offer::names(*algorithm).as_ptr(),
            properties: offer::PROPERTIES.as_ptr(),
            functions: offer::dispatch(*algorithm, version),
            description: std::ptr::null(),
        });
        Self {
            core,
            version,
            algorithms: entries.chain([AlgorithmEntry::END]).collect(),
            routes: CString::new(routes).unwrap_or_default(),
            plan: CString::new(plan).unwrap_or_default(),
            quarantined: [const { OnceLock::new() }; 1 << Route::ALL.len()],
            routing: routing.ok().map(Arc::new),
        }
    }

    /// How a new context of `algorithm` finds its route.
    pub(crate) fn choice(&self, algorithm: Algorithm) -> Option<Choice> {
        self.routing.as_ref().map(|routing| Choice::new(routing, algorithm))
    }

    /// The quarantined routes by name.
    fn quarantined(&self) -> &CStr {
        let mask = self.routing.as_ref().map_or(0, |routing| routing.quarantined());
        let marked = |route: &Route| mask & 1 << *route as u32 != 0;
        let routes: Vec<_> = Route::ALL.into_iter().filter(marked).collect();
        let text = self.quarantined.get(mask as usize);
        text.map_or(c"", |text| {
            text.get_or_init(|| CString::new(names(&routes)).unwrap_or_default())
        })
    }

    /// The algorithms on offer, with an end.
    pub(crate) fn algorithms(&self) -> *const AlgorithmEntry {
        self.algorithms.as_ptr()
    }

    /// Answers the provider's own parameters.
    ///
    /// # Safety
    /// `list` must be null or end with a null key, be writable, and be nobody else's.
    pub(crate) unsafe fn answer(&self, mut list: *mut Param) -> Result<(), Refusal> {
        while !list.is_null() {
            // SAFETY: the caller promises entries up to and including a null key.
            let param = unsafe { &mut *list };
            if param.is_end() {
                break;
            }
            if !self.answer_one(param) {
                return Err(Refusal::SILENT);
            }
            // SAFETY: the end has not been seen, so there is a next entry.
            list = unsafe { list.add(1) };
        }
        Ok(())
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
            #[cfg(feature = "trace")]
            _ => crate::trace::answer(param).unwrap_or(true),
            #[cfg(not(feature = "trace"))]
            _ => true,
        }
    }
}

/// Names for people, in a row.
fn names(routes: &[Route]) -> String {
    routes.iter().map(|route| route.name()).collect::<Vec<_>>().join(", ")
}

static GETTABLE_LIST: List<8> = List::new([
    text(c"name"),
    text(c"version"),
    text(c"buildinfo"),
    entry(c"status", data_type::INTEGER, std::ptr::null_mut(), 0),
    text(c"wirespeed-routes"),
    text(c"wirespeed-plan"),
    text(c"wirespeed-quarantined"),
    END,
]);

/// The provider's parameters: those of the default provider, and what serves.
pub(crate) fn gettable() -> *const Param {
    GETTABLE_LIST.as_ptr()
}
