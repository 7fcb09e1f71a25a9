//! Intel's multi-buffer library as a peer in benchmarks.
//!
//! Its manager is a structure whose layout only its header knows, so a few lines of C are compiled against
//! the header that is installed, and opened. Nobody links it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::ptr::NonNull;

/// What the C lines do; numbered as there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// AES-128-CBC encryption.
    Aes128Cbc = 0,
    /// SHA-1.
    Sha1 = 1,
    /// SHA-256.
    Sha256 = 2,
    /// SHA-512.
    Sha512 = 3,
    /// HMAC-MD5, of which the library gives 12 bytes; it has no MD5 alone.
    HmacMd5 = 4,
    /// AES-128-GCM encryption without associated data.
    Aes128Gcm = 5,
}

impl Work {
    /// Bytes of hash or tag at the end of each message.
    pub const fn end_bytes(self) -> usize {
        match self {
            Self::Aes128Cbc => 0,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
            Self::HmacMd5 => 12,
            Self::Aes128Gcm => 16,
        }
    }
}

/// The most messages at once.
pub const MOST: usize = 128;

/// Where a message's hash or tag comes to lie.
pub type Tag = [u8; 64];

type Open = unsafe extern "C" fn(c_int, *const u8) -> *mut c_void;
type Run = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *const *const u8,
    *const *mut u8,
    usize,
    *const u8,
    *const *mut Tag,
) -> usize;
type Close = unsafe extern "C" fn(*mut c_void);
type Version = unsafe extern "C" fn() -> *const c_char;

/// The library, kept open until the process ends.
#[derive(Clone, Copy)]
pub struct Library {
    open: Open,
    run: Run,
    close: Close,
    version: Version,
}

/// What is to be installed where the library or its header is missing.
const MISSING: &str = "absent: install libipsec-mb-dev";

impl Library {
    /// Compiles the lines and opens them.
    pub fn open() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        let (source, object) = (folder.path().join("peer.c"), folder.path().join("peer.so"));
        fs::write(&source, include_str!("ipsec_mb.c")).map_err(|why| why.to_string())?;
        let mut compile = Command::new("cc");
        compile.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&object).arg(&source).arg("-lIPSec_MB");
        let output = compile.output().map_err(|why| format!("absent: no cc: {why}"))?;
        if !output.status.success() {
            return Err(MISSING.to_owned());
        }
        let name = CString::new(object.as_os_str().as_bytes()).map_err(|why| why.to_string())?;
        // SAFETY: the name is NUL-terminated; what is opened was just compiled from the lines beside us.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(MISSING.to_owned());
        }
        // SAFETY: the handle is open and stays so; each function is declared in those lines as its type says.
        unsafe {
            Ok(Self {
                open: std::mem::transmute::<*mut c_void, Open>(find(handle, c"peer_open")?),
                run: std::mem::transmute::<*mut c_void, Run>(find(handle, c"peer_run")?),
                close: std::mem::transmute::<*mut c_void, Close>(find(handle, c"peer_close")?),
                version: std::mem::transmute::<*mut c_void, Version>(find(
                    handle,
                    c"peer_version",
                )?),
            })
        }
    }

    /// Its own words about its version.
    pub fn version(&self) -> String {
        // SAFETY: static text.
        unsafe { CStr::from_ptr((self.version)()) }.to_string_lossy().into_owned()
    }
}

/// # Safety
/// The handle must be open.
unsafe fn find(handle: *mut c_void, name: &CStr) -> Result<*mut c_void, String> {
    // SAFETY: the caller promises the handle.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    if found.is_null() { Err(format!("it lacks {name:?}")) } else { Ok(found) }
}

/// A key at work on messages.
pub struct Peer {
    library: Library,
    raw: NonNull<c_void>,
}

// SAFETY: a manager belongs to nobody's thread in particular; all methods take it exclusively.
unsafe impl Send for Peer {}

impl Peer {
    /// With a key, which a hash alone does without.
    pub fn new(library: Library, work: Work, key: &[u8; 16]) -> Result<Self, String> {
        // SAFETY: the key has the 16 bytes that are read.
        let raw = unsafe { (library.open)(work as c_int, key.as_ptr()) };
        let raw = NonNull::new(raw).ok_or("there is no memory for its manager")?;
        Ok(Self { library, raw })
    }

    /// Every message under the same IV, all at once; whether all were done. A cipher writes to `outputs`,
    /// everything else to `tags`.
    ///
    /// # Panics
    /// If there are more than [`MOST`], of different lengths, or not an output and a tag for each.
    pub fn run(
        &mut self,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        iv: &[u8; 16],
        tags: &mut [Tag],
    ) -> bool {
        let count = inputs.len();
        assert!(count <= MOST && [outputs.len(), tags.len()] == [count; 2], "one for each");
        let bytes = inputs.first().map_or(0, |input| input.len());
        assert!(inputs.iter().all(|input| input.len() == bytes), "all of one length");
        assert!(outputs.iter().all(|output| output.len() == bytes), "room for each");
        let (mut from, mut to) = ([std::ptr::null(); MOST], [std::ptr::null_mut(); MOST]);
        let mut ends = [std::ptr::null_mut(); MOST];
        for (place, input) in inputs.iter().enumerate() {
            from[place] = input.as_ptr();
            to[place] = outputs[place].as_mut_ptr();
            ends[place] = &raw mut tags[place];
        }
        // SAFETY: a live peer; so many inputs and outputs of so many bytes, tags of 64, and an IV of 16.
        let done = unsafe {
            let raw = self.raw.as_ptr();
            let run = self.library.run;
            run(raw, count, from.as_ptr(), to.as_ptr(), bytes, iv.as_ptr(), ends.as_ptr())
        };
        done == count
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // SAFETY: closed once, by its owner.
        unsafe { (self.library.close)(self.raw.as_ptr()) };
    }
}
