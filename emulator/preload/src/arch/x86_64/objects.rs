//! The program and its libraries: which of them holds an address, and where their code asks CPUID.
//!
//! Where the kernel cannot make CPUID fault, every CPUID in the code of all objects is rewritten to
//! an instruction that traps. Objects that come later are seen at the place that ld.so calls for
//! debuggers whenever it has mapped some (`_r_debug.r_brk`, link.h of glibc): a breakpoint there
//! stops it before their constructors run.

use core::ffi::{CStr, c_void};
use core::mem::{MaybeUninit, size_of};
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use libc::{c_char, c_int, c_ulong, dl_phdr_info, size_t};
use padlock_emulator::Width;
use padlock_runner::{REWRITTEN_CPUID, find_cpuid};

use crate::arch::x86_64::code::{self, Code};
use crate::arch::x86_64::context::Context;
use crate::arch::x86_64::interpose::next;
use crate::arch::x86_64::memory::Own;
use crate::arch::x86_64::process::process;
use crate::arch::x86_64::report::complain;

/// An object in memory.
#[derive(Debug)]
pub(crate) struct Object {
    /// Its file.
    pub(crate) name: &'static [u8],
    /// Where it begins.
    pub(crate) start: u64,
}

/// `struct dl_find_object` of dlfcn.h, glibc 2.35 and later.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct FoundObject {
    flags: u64,
    start: *mut c_void,
    end: *mut c_void,
    link_map: *const LinkMap,
    eh_frame: *mut c_void,
    reserved: [u64; 7],
}

/// The public head of `struct link_map` of link.h.
#[repr(C)]
#[derive(Debug)]
struct LinkMap {
    difference: u64,
    name: *const c_char,
}

/// The object that holds an address. Handlers may ask: `_dl_find_object` takes no locks. Before
/// glibc 2.35 there is none, and nobody knows.
pub(crate) fn containing(address: u64) -> Option<Object> {
    let find = next().find_object?;
    let mut found = MaybeUninit::<FoundObject>::uninit();
    // SAFETY: it fills the structure if it returns 0.
    let known = unsafe { find(address as *mut c_void, found.as_mut_ptr()) } == 0;
    // SAFETY: as above.
    let found = known.then(|| unsafe { found.assume_init() })?;
    // SAFETY: an object is not unmapped while its code runs, and its name lives as long as it.
    let name = unsafe { CStr::from_ptr((*found.link_map).name) }.to_bytes();
    // The program itself has no name there.
    let name = if name.is_empty() { process()?.program.as_bytes() } else { name };
    Some(Object { name, start: found.start.addr() as u64 })
}

/// Objects whose code was rewritten, by the address of their program headers. If there are more,
/// the rest is looked through again each time, which finds nothing.
static DONE: [AtomicUsize; 1024] = [const { AtomicUsize::new(0) }; 1024];
/// How many objects had been removed when the table was filled: then addresses can come back with
/// other objects.
static REMOVED: AtomicU64 = AtomicU64::new(0);

/// Rewrites CPUID in all objects that were not yet looked through.
///
/// The constructor calls it, and later the breakpoint in ld.so, which holds its lock then: never
/// two threads at once.
#[inline(never)]
pub(crate) fn rewrite_cpuid() {
    let mut code = Code::open();
    // SAFETY: the visitor has the type that is asked for, and `code` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut code).cast()) };
}

unsafe extern "C" fn visit(info: *mut dl_phdr_info, _: size_t, code: *mut c_void) -> c_int {
    // SAFETY: dl_iterate_phdr hands over a description that lives as long as this call, and our own
    // pointer.
    let (info, code) = unsafe { (&*info, &*code.cast::<Option<Code>>()) };
    if REMOVED.swap(info.dlpi_subs, Relaxed) != info.dlpi_subs {
        DONE.iter().for_each(|place| place.store(0, Relaxed));
    }
    let key = info.dlpi_phdr.addr();
    let place = DONE.iter().find(|place| matches!(place.load(Relaxed), it if it == 0 || it == key));
    if place.is_some_and(|place| place.swap(key, Relaxed) == key) || key == 0 {
        return 0;
    }
    // SAFETY: ld.so's own description of a mapped object.
    let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let segments = headers.iter().filter(|header| {
        let code = libc::PF_R | libc::PF_X;
        header.p_type == libc::PT_LOAD && header.p_flags & (code | libc::PF_W) == code
    });
    let mut failed = false;
    for segment in segments {
        let start = info.dlpi_addr.wrapping_add(segment.p_vaddr);
        let end = start.saturating_add(segment.p_memsz);
        let own = (visit as *const ()).addr() as u64;
        // Our own CPUID asks the real CPU. The kernel's vDSO is no file of ours, and asks nothing.
        if !(start..end).contains(&own) && !is_vdso(start) {
            failed |= !rewrite_segment(start, end, code.as_ref());
        }
    }
    if failed {
        // SAFETY: ld.so's name of the object.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        complain(&[b"cannot rewrite CPUID in ", name, b": it sees the real CPU"]);
    }
    0
}

/// Rewrites CPUID in a segment of code; whether that was possible.
fn rewrite_segment(mut start: u64, end: u64, code: Option<&Code>) -> bool {
    // What was rewritten would mislead the search for what follows, so the search is ahead of it.
    let mut sites = [0; 64];
    loop {
        let mut count = 0;
        {
            // SAFETY: a part of a segment that is mapped to be read. Nobody writes there while it
            // is searched.
            let bytes =
                unsafe { slice::from_raw_parts(start as *const u8, (end - start) as usize) };
            find_cpuid(bytes, Width::Bits64, |at| {
                if let Some(site) = sites.get_mut(count) {
                    *site = start + at as u64;
                    count += 1;
                }
            });
        }
        let found = sites.get(..count).unwrap_or_default();
        let write = |site: &u64| {
            code.is_some_and(|code| code.write(*site, &REWRITTEN_CPUID))
                || code::write_unprotected(*site, &REWRITTEN_CPUID)
        };
        if !found.iter().all(write) {
            return false;
        }
        match found.last() {
            Some(last) if count == sites.len() => start = last + REWRITTEN_CPUID.len() as u64,
            _ => return true,
        }
    }
}

fn is_vdso(start: u64) -> bool {
    // SAFETY: takes a number.
    let vdso = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
    vdso == start
}

/// `struct r_debug` of link.h.
#[repr(C)]
struct Debug {
    version: c_int,
    map: *const LinkMap,
    /// The function that ld.so calls when it has changed the list of objects. It does nothing.
    breakpoint: c_ulong,
    /// `RT_CONSISTENT` (0) when the change is done.
    state: c_int,
}

/// `ret`, with which the function begins or, behind `endbr64`, ends.
const RET: u8 = 0xc3;
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// `hlt`, which is written over its first byte. Programs may not halt the CPU, so it raises #GP; a
/// debugger minds that less than an `int3` that is not its own.
const HLT: u8 = 0xf4;

/// ld.so's description for debuggers.
static DEBUG: AtomicUsize = AtomicUsize::new(0);
/// Where the breakpoint stands, and how long the instruction is that it covers.
static BREAKPOINT: AtomicU64 = AtomicU64::new(0);
static COVERED: AtomicUsize = AtomicUsize::new(0);

/// From now on [`stopped_at`] hears of every object that is loaded.
pub(crate) fn watch() -> bool {
    // SAFETY: the name ends with NUL.
    let debug = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_r_debug".as_ptr()) };
    if debug.is_null() {
        return false;
    }
    // SAFETY: ld.so's structure, which lives as long as the process.
    let address = unsafe { (*debug.cast::<Debug>()).breakpoint };
    let mut first = [0; ENDBR64.len()];
    Own::default().read_code(address, &mut first);
    let covered = match first {
        ENDBR64 => ENDBR64.len(),
        [RET, ..] => 1,
        // Something else stands there: a debugger's own breakpoint.
        _ => return false,
    };
    DEBUG.store(debug.expose_provenance(), Relaxed);
    COVERED.store(covered, Relaxed);
    BREAKPOINT.store(address, Relaxed);
    Code::open().is_some_and(|code| code.write(address, &[HLT]))
        || code::write_unprotected(address, &[HLT])
}

/// Whether the program stands at the breakpoint in ld.so. Then new objects have been looked
/// through, and it may go on.
pub(crate) fn stopped_at(address: u64, context: &mut Context<'_>) -> bool {
    if address != BREAKPOINT.load(Relaxed) || address == 0 {
        return false;
    }
    let debug: *const Debug = ptr::with_exposed_provenance(DEBUG.load(Relaxed));
    // SAFETY: ld.so's structure, as `watch` found it; this thread is the one that changes it.
    if unsafe { (*debug).state } == 0 {
        rewrite_cpuid();
    }
    if COVERED.load(Relaxed) == ENDBR64.len() {
        context.set_address(address + ENDBR64.len() as u64);
    } else {
        let stack = context.stack();
        // SAFETY: a function was just called, so its return address lies on top of the stack.
        context.set_address(unsafe { *(stack as *const u64) });
        context.set_stack(stack + size_of::<u64>() as u64);
    }
    true
}
