//! Requests to valgrind, when the program runs under it (valgrind's manual, section 3.1).

use crate::arch::request;

/// `VG_USERREQ__RUNNING_ON_VALGRIND` of valgrind.h.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// `VG_USERREQ__COUNT_ERRORS` of valgrind.h.
const COUNT_ERRORS: u64 = 0x1201;
/// `VG_USERREQ__MAKE_MEM_UNDEFINED` of memcheck.h: the tool's letters M and C, and a number.
const MAKE_MEM_UNDEFINED: u64 = ((b'M' as u64) << 24 | (b'C' as u64) << 16) + 1;
/// `VG_USERREQ__MAKE_MEM_DEFINED` of memcheck.h.
const MAKE_MEM_DEFINED: u64 = MAKE_MEM_UNDEFINED + 1;

/// Whether valgrind runs this program.
pub fn under_valgrind() -> bool {
    request([RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0]) != 0
}

/// Errors that valgrind has found so far in this process.
pub fn errors() -> u64 {
    request([COUNT_ERRORS, 0, 0, 0, 0, 0])
}

/// Makes memcheck take these bytes for uninitialised: a branch or an address that depends on them is
/// an error from now on.
pub fn poison(bytes: &mut [u8]) {
    request([MAKE_MEM_UNDEFINED, bytes.as_ptr() as u64, bytes.len() as u64, 0, 0, 0]);
}

/// Takes that back.
pub fn cure(bytes: &mut [u8]) {
    request([MAKE_MEM_DEFINED, bytes.as_ptr() as u64, bytes.len() as u64, 0, 0, 0]);
}

/// Errors that `work` makes memcheck report. The count is of the whole process, so tests take turns.
pub fn counted(work: impl FnOnce()) -> u64 {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let before = errors();
    work();
    errors() - before
}
