//! One libcrypto in this process, found by name or by path.

use std::ffi::{CStr, CString, OsStr, c_int};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::ffi::{
    CONFIGURATION_FOLDER, Functions, MODULES_FOLDER, NO_LOAD_CONFIG, PipelineFunctions,
    SerialFunctions, SqueezeFunctions, VERSION,
};

/// The names under which a host keeps its libcrypto, the newest first.
const SONAMES: [&str; 2] = ["libcrypto.so.4", "libcrypto.so.3"];

/// A libcrypto, kept open until the process ends.
///
/// It is never unloaded: libcrypto registers work for the end of threads and of the process.
#[derive(Clone, Copy)]
pub struct Library {
    pub(crate) functions: &'static Functions,
    pub(crate) pipelines: Option<&'static PipelineFunctions>,
    /// Where extendable functions give their output in pieces.
    pub(crate) squeeze: Option<&'static SqueezeFunctions>,
    /// Where hash contexts can be written down.
    pub(crate) serial: Option<&'static SerialFunctions>,
    path: &'static Path,
}

/// Why a libcrypto could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The dynamic loader's own words.
    NotFound(String),
    /// The library lacks this function: it is older than OpenSSL 3.0, or something else.
    Lacks {
        /// Where the library lies.
        path: PathBuf,
        /// The function.
        function: &'static str,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(why) => write!(f, "no libcrypto here: {why}"),
            Self::Lacks { path, function } => {
                write!(f, "{} is no OpenSSL 3.0 or later: it lacks {function}", path.display())
            }
        }
    }
}

impl std::error::Error for OpenError {}

impl Library {
    /// The host's own: the newest of `libcrypto.so.4` and `libcrypto.so.3` that opens.
    pub fn host() -> Result<Self, OpenError> {
        static HOST: OnceLock<Result<Library, OpenError>> = OnceLock::new();
        HOST.get_or_init(|| Self::first_of(&SONAMES)).clone()
    }

    fn first_of(names: &[&str]) -> Result<Self, OpenError> {
        let mut failures = Vec::new();
        for name in names {
            match Self::open(name) {
                Ok(library) => return Ok(library),
                Err(why) => failures.push(why),
            }
        }
        // The last name is the commonest; its failure tells most.
        Err(failures.pop().unwrap_or_else(|| OpenError::NotFound("no name to try".to_owned())))
    }

    /// The library at `path`, or, without a slash, as the dynamic loader finds it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let name = CString::new(path.as_os_str().as_bytes())
            .map_err(|_| OpenError::NotFound(format!("{} holds a NUL", path.display())))?;
        // SAFETY: the name is NUL-terminated. Local symbols: two versions may live side by side.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(OpenError::NotFound(loader_message()));
        }
        // SAFETY: the handle is open and stays so. Names beginning with EVP_, OSSL_ and OPENSSL_ are
        // libcrypto's; that they are what its headers say is what opening it asserts.
        let address = |symbol: &CStr| unsafe { libc::dlsym(handle, symbol.as_ptr()) };
        // SAFETY: as above.
        let (found, pipelines) =
            unsafe { (Functions::find(address), PipelineFunctions::find(address)) };
        // SAFETY: as above.
        let (squeeze, serial) =
            unsafe { (SqueezeFunctions::find(address), SerialFunctions::find(address)) };
        let functions = match found {
            Ok(functions) => functions,
            Err(symbol) => {
                // Left open: an initialiser may have run, and an unknown library may not survive
                // being unloaded.
                let function = symbol.to_str().unwrap_or("a function");
                return Err(OpenError::Lacks { path: path.to_owned(), function });
            }
        };
        // SAFETY: the flag only forbids the implicit reading of openssl.cnf.
        unsafe { (functions.init_crypto)(NO_LOAD_CONFIG, std::ptr::null()) };
        let path = whereabouts(&functions).unwrap_or_else(|| path.to_owned());
        Ok(Self {
            functions: Box::leak(Box::new(functions)),
            pipelines: pipelines.ok().map(|found| &*Box::leak(Box::new(found))),
            squeeze: squeeze.ok().map(|found| &*Box::leak(Box::new(found))),
            serial: serial.ok().map(|found| &*Box::leak(Box::new(found))),
            path: Box::leak(path.into_boxed_path()),
        })
    }

    /// Where it lies.
    pub const fn path(&self) -> &'static Path {
        self.path
    }

    /// For example "OpenSSL 3.0.19 27 Jan 2026".
    pub fn version(&self) -> &'static str {
        self.text(VERSION)
    }

    /// Where it looks for openssl.cnf if nobody says otherwise: its `OPENSSLDIR`.
    pub fn configuration_folder(&self) -> Option<&'static Path> {
        quoted(self.text(CONFIGURATION_FOLDER))
    }

    /// Where it looks for provider modules if nobody says otherwise: its `MODULESDIR`.
    pub fn modules_folder(&self) -> Option<&'static Path> {
        quoted(self.text(MODULES_FOLDER))
    }

    fn text(&self, about: c_int) -> &'static str {
        // SAFETY: static text for every argument.
        let text = unsafe { CStr::from_ptr((self.functions.version_text)(about)) };
        text.to_str().unwrap_or("OpenSSL")
    }

    /// Major, minor and patch number.
    pub fn version_numbers(&self) -> (u32, u32, u32) {
        let functions = self.functions;
        // SAFETY: these take nothing and only answer.
        unsafe {
            ((functions.version_major)(), (functions.version_minor)(), (functions.version_patch)())
        }
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Library({} at {})", self.version(), self.path.display())
    }
}

/// The folder in a text such as `OPENSSLDIR: "/usr/lib/ssl"`; a build without one says `N/A`.
fn quoted(text: &'static str) -> Option<&'static Path> {
    let (_, rest) = text.split_once('"')?;
    Some(Path::new(rest.strip_suffix('"')?))
}

fn loader_message() -> String {
    // SAFETY: null or text that stays until the next call of this thread.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "the dynamic loader gave no reason".to_owned();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
}

/// The file that a function lies in.
fn whereabouts(functions: &Functions) -> Option<PathBuf> {
    // SAFETY: all-zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked about; `info` is ours.
    let known = unsafe { libc::dladdr(functions.version_text as *const libc::c_void, &mut info) };
    if known == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own name for a library that stays open.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_library_tells_its_version_and_place() {
        let library = Library::host().expect("these tests need libcrypto 3.0 or later");
        let (major, minor, patch) = library.version_numbers();
        assert!(library.version().contains(&format!(" {major}.{minor}.{patch}")));
        assert!(library.path().is_absolute() && library.path().exists());
        for folder in [library.configuration_folder(), library.modules_folder()] {
            assert!(folder.expect("a folder").is_absolute());
        }
    }

    #[test]
    fn a_folder_stands_in_quotes() {
        assert_eq!(quoted("OPENSSLDIR: \"/usr/lib/ssl\""), Some(Path::new("/usr/lib/ssl")));
        assert_eq!(quoted("OPENSSLDIR: N/A"), None);
    }

    #[test]
    fn a_missing_library_is_the_loaders_own_words() {
        let Err(OpenError::NotFound(why)) = Library::open("/nowhere/libcrypto.so.3") else {
            panic!("opened nothing");
        };
        assert!(why.contains("/nowhere/libcrypto.so.3"), "{why}");
    }

    #[test]
    fn another_library_is_refused_by_the_function_it_lacks() {
        let refused = Library::open("libc.so.6").expect_err("not libcrypto").to_string();
        assert_eq!(refused, "libc.so.6 is no OpenSSL 3.0 or later: it lacks OpenSSL_version");
    }
}
