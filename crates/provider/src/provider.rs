//! One loaded provider: its core, its route, its list of algorithms.

use std::ffi::{CStr, CString};

use wirespeed_cipher::Route;
use wirespeed_cipher::{AesKernels, Algorithm};
use wirespeed_cpu::Features;

use crate::config::{Config, Routes};
use crate::host::{Core, Version};
use crate::ladder::{self, Proven};
use crate::offer;
use crate::openssl::{AlgorithmEntry, Param, data_type};
use crate::params::{END, List, entry, text};
use crate::refusal::{Reason, Refusal};

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
    /// The route that serves; none on a CPU without AES instructions.
    proven: Option<Proven>,
    /// The route's name, or why there is none.
    routes: CString,
    algorithms: Box<[AlgorithmEntry]>,
}

impl Provider {
    /// As openssl.cnf says.
    pub(crate) fn configured(core: Core) -> Result<Self, (Reason, String)> {
        let config = Config::read(|key| core.parameter(key))
            .map_err(|text| (Reason::InvalidArgument, text))?;
        let features = Features::detect();
        let proven = match &config.routes {
            Routes::Auto => ladder::best(features),
            Routes::Listed(routes) => Ok(forced(routes, features)?),
        };
        Ok(Self::new(core, proven, &config.ciphers))
    }

    /// Everything on one route.
    pub(crate) fn on_route(core: Core, route: Route) -> Result<Self, (Reason, String)> {
        let proven = Proven::new(route, Features::detect());
        let proven = proven.map_err(|text| (Reason::InitFail, text))?;
        Ok(Self::new(core, Ok(proven), Algorithm::ALL))
    }

    fn new(core: Core, proven: Result<Proven, String>, ciphers: &[Algorithm]) -> Self {
        let version = core.version();
        let routes = match &proven {
            Ok(proven) => proven.route().name().to_owned(),
            Err(reasons) => format!("none ({reasons})"),
        };
        let offered = if proven.is_ok() { ciphers } else { &[] };
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
            proven: proven.ok(),
        }
    }

    /// The kernels to run `algorithm` with.
    pub(crate) fn kernels(&self, algorithm: Algorithm) -> Option<&'static AesKernels> {
        self.proven.as_ref().map(|proven| proven.kernels(algorithm))
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
            #[cfg(feature = "trace")]
            _ => crate::trace::answer(param).unwrap_or(true),
            #[cfg(not(feature = "trace"))]
            _ => true,
        }
    }
}

/// The first of the routes, all of which must be there.
fn forced(routes: &[Route], features: Features) -> Result<Proven, (Reason, String)> {
    let mut first = None;
    for route in routes {
        let proven = Proven::new(*route, features);
        let proven = proven.map_err(|why| (Reason::InitFail, format!("routes: {why}")))?;
        first.get_or_insert(proven);
    }
    first.ok_or_else(|| (Reason::InvalidArgument, "routes: none given".to_owned()))
}

static GETTABLE_LIST: List<6> = List::new([
    text(c"name"),
    text(c"version"),
    text(c"buildinfo"),
    entry(c"status", data_type::INTEGER, std::ptr::null_mut(), 0),
    text(c"wirespeed-routes"),
    END,
]);

/// The provider's parameters: those of the default provider, and which route serves.
pub(crate) fn gettable() -> *const Param {
    GETTABLE_LIST.as_ptr()
}
