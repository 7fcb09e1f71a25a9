//! The intrinsics of x86 under one name, whether registers have 32 bits or 64; and what only 32-bit code has to do.

#[cfg(target_arch = "x86")]
pub use std::arch::x86;
#[cfg(target_arch = "x86_64")]
pub use std::arch::x86_64 as x86;

/// Has a function's stack aligned for every vector. 64-bit code does so by itself. In 32-bit code the compiler aligns what
/// it puts there of its own only beside something that must be there, and else half of it lies in two lines of the cache.
#[macro_export]
macro_rules! align_stack {
    () => {
        #[cfg(target_arch = "x86")]
        let room = ::std::mem::MaybeUninit::<::std::arch::x86::__m512i>::uninit();
        #[cfg(target_arch = "x86")]
        // SAFETY: no instruction.
        unsafe {
            ::std::arch::asm!("/* {0} */", in(reg) &raw const room, options(nostack, preserves_flags));
        }
    };
}

/// Clears the vector registers, in which a function with these target features may leave a key. 64-bit ARM's are cleared where
/// a call ends.
#[macro_export]
macro_rules! clear_vectors {
    ($features:literal) => {
        #[cfg(target_arch = "x86_64")]
        $crate::clear_vectors!(
            $features,
            "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
            "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
        );
        #[cfg(target_arch = "x86")]
        $crate::clear_vectors!($features, "0, 1, 2, 3, 4, 5, 6, 7", "0");
    };
    ($features:literal, $all:literal, $of_avx512:literal) => {
        // SAFETY: what is cleared is said to be changed, and the instructions are of these features.
        unsafe {
            // Written in VEX or EVEX encoding, a part of a register clears the rest.
            if const { $crate::arch::has_feature($features, "avx512f") } {
                ::std::arch::asm!(
                    concat!(".irp n, ", $all),
                    "vpxor xmm\\n, xmm\\n, xmm\\n",
                    ".endr",
                    concat!(".irp n, ", $of_avx512),
                    "vpxord zmm\\n, zmm\\n, zmm\\n",
                    ".endr",
                    clobber_abi("C"),
                    options(nostack, preserves_flags)
                );
            } else if const { $crate::arch::has_feature($features, "avx") } {
                ::std::arch::asm!(
                    concat!(".irp n, ", $all),
                    "vpxor xmm\\n, xmm\\n, xmm\\n",
                    ".endr",
                    clobber_abi("C"),
                    options(nostack, preserves_flags)
                );
            } else {
                ::std::arch::asm!(
                    concat!(".irp n, ", $all),
                    "pxor xmm\\n, xmm\\n",
                    ".endr",
                    clobber_abi("C"),
                    options(nostack, preserves_flags)
                );
            }
        }
    };
}

/// Whether a name is among those of a list, or the beginning of one.
pub const fn has_feature(list: &str, name: &str) -> bool {
    let (list, name) = (list.as_bytes(), name.as_bytes());
    let (mut start, mut same) = (0, 0);
    while start + same < list.len() {
        if list[start + same] == name[same] {
            same += 1;
            if same == name.len() {
                return true;
            }
        } else {
            (start, same) = (start + 1, 0);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_feature;

    #[test]
    fn features_are_found_in_a_list() {
        for (list, name, is_there) in [
            ("ssse3,sse4.1,aes", "avx", false),
            ("ssse3,sse4.1,avx2", "avx", true),
            ("avx,avx2,avx512bw,avx512f", "avx512f", true),
            ("avx,avx2", "avx512f", false),
            ("a", "avx", false),
        ] {
            assert_eq!(has_feature(list, name), is_there, "{list} {name}");
        }
    }
}
