//! This machine: its libcrypto, its description, its routes and their proofs.

use std::path::Path;

use wirespeed_af_alg::Interface;
use wirespeed_cipher::{Route, Subject};
use wirespeed_libcrypto::{Library, OpenError};
use wirespeed_machine::{Folder, Libcrypto, Machine, Source, ThisMachine};
use wirespeed_results::schema::survey::Proof;

use crate::{Absent, ApiPath, Candidate, Harness, prove_against_host, prove_subject_against_host};

/// The machine and the harness on it.
pub struct Host {
    /// What it is.
    pub machine: Machine,
    /// What can run on it.
    pub harness: Harness,
}

impl Host {
    /// Looks at this machine.
    pub fn discover() -> Self {
        Self::around(&ThisMachine, open_library())
    }

    /// Another machine, of which nothing runs here.
    pub fn of_files(folder: &Folder) -> Self {
        let absent = Absent("another machine's libcrypto does not run here".to_owned());
        let mut host = Self::around(folder, Err(absent));
        host.machine.libcrypto =
            Some(Libcrypto { path: None, version: Some("OpenSSL unseen".to_owned()) });
        host
    }

    fn around(source: &dyn Source, library: Result<Library, Absent>) -> Self {
        let described = library.as_ref().ok().map(|library| Libcrypto {
            path: Some(library.path().display().to_string()),
            version: Some(library.version().to_owned()),
        });
        Self {
            machine: Machine::describe(source, described),
            harness: Harness::new(library, source.features()),
        }
    }

    /// Looks at this machine with another libcrypto than its own. A process has one for good.
    ///
    /// # Errors
    /// If there is none in that file.
    pub fn with_libcrypto(path: &Path) -> Result<Self, OpenError> {
        Library::open(path).map(|library| Self::around(&ThisMachine, Ok(library)))
    }

    /// EVP where there is a libcrypto; else the kernels directly.
    pub fn api_path(&self) -> ApiPath {
        if self.harness.library().is_ok() { ApiPath::Evp } else { ApiPath::Direct }
    }

    /// Every route that runs in a process, here or not.
    pub fn routes(&self) -> Vec<Found> {
        let own = wirespeed_kernels::ROUTES.iter().copied();
        let inside = own.chain([Route::Libcrypto]);
        inside.map(|route| self.find(route)).collect()
    }

    /// The ways to Linux's crypto, as far as can be told without asking for it.
    pub fn sight_offloads(&self) -> impl Iterator<Item = Found> {
        let api_path = self.api_path();
        Interface::ALL.into_iter().map(move |interface| {
            let route = interface.route();
            let candidate = Candidate::for_route(route, api_path);
            Found { route, candidate, presence: interface.sighted() }
        })
    }

    /// One route, here or not. For Linux's crypto a socket or the device is opened.
    pub fn find(&self, route: Route) -> Found {
        let candidate = Candidate::for_route(route, self.api_path());
        // Our provider does not even load on a route that fails its self-test; that is no absence.
        let present = match route {
            Route::Libcrypto => candidate,
            own => Candidate::Kernels(own),
        };
        Found { route, candidate, presence: self.harness.presence(present) }
    }

    /// Proves a route that is here: known answers, then byte for byte against the host's OpenSSL.
    pub fn prove(&self, found: &Found) -> Result<Proof, String> {
        if found.route == Route::Libcrypto {
            return Ok(Proof { checks: 0, against_host: 0 });
        }
        disproved(found.route.name())?;
        let known = wirespeed_kernels::prove(found.route, self.harness.features());
        let hashes = wirespeed_kernels::prove_hashes(found.route, self.harness.features());
        let checks = known.map_err(|why| why.to_string())?.checks
            + hashes.map_err(|why| why.to_string())?.checks;
        let against_host = match self.api_path() {
            ApiPath::Evp => {
                prove_against_host(&self.harness, found.candidate).map_err(|why| why.to_string())?
            }
            ApiPath::Direct => 0,
        };
        Ok(Proof { checks, against_host })
    }

    /// Proves one algorithm of a candidate in the kernel: known answers, then byte for byte against the
    /// host's OpenSSL where that has it.
    pub fn prove_in_kernel(&self, candidate: Candidate, subject: Subject) -> Result<Proof, String> {
        disproved(&candidate.title())?;
        let checks = self.harness.prove_offload(candidate, subject)?;
        let against_host = match self.harness.knows(Candidate::Host, subject) {
            true => prove_subject_against_host(&self.harness, candidate, subject)
                .map_err(|why| why.to_string())?,
            false => 0,
        };
        Ok(Proof { checks, against_host })
    }
}

/// A route whose proof fails, for tests: release builds never look.
fn disproved(name: &str) -> Result<(), String> {
    #[cfg(debug_assertions)]
    if std::env::var_os("WIRESPEED_DISPROVE").is_some_and(|disproved| disproved == name) {
        return Err("disproved by WIRESPEED_DISPROVE".to_owned());
    }
    let _ = name;
    Ok(())
}

/// A route, and whether it is here.
pub struct Found {
    /// The route.
    pub route: Route,
    /// Who runs it.
    pub candidate: Candidate,
    /// Whether it is here, or why not.
    pub presence: Result<(), Absent>,
}

fn open_library() -> Result<Library, Absent> {
    // A machine without OpenSSL, for tests: release builds never look.
    #[cfg(debug_assertions)]
    if std::env::var_os("WIRESPEED_NO_LIBCRYPTO").is_some() {
        return Err(Absent("no libcrypto here: taken away by WIRESPEED_NO_LIBCRYPTO".to_owned()));
    }
    Library::host().map_err(|why| Absent(why.to_string()))
}
