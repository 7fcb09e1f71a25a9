//! What the kernel says of itself without files.

/// Its release: uname(2). Below /proc the same can be hidden.
pub fn release() -> Option<String> {
    // SAFETY: all zeros is a valid `utsname`, which is only written to.
    let mut about: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: room for the answer.
    if unsafe { libc::uname(&raw mut about) } != 0 {
        return None;
    }
    let letters = about.release.into_iter().take_while(|it| *it != 0);
    // Signed on x86, unsigned on ARM.
    String::from_utf8(letters.flat_map(libc::c_char::to_ne_bytes).collect()).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_what_proc_says() {
        match std::fs::read_to_string("/proc/sys/kernel/osrelease") {
            Ok(text) => assert_eq!(super::release().as_deref(), Some(text.trim())),
            Err(why) => println!("skipped: {why}"),
        }
    }
}
