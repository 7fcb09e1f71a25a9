//! CPUID and XCR0 (Intel SDM vol. 2A "CPUID", vol. 1 §13.2; AMD APM vol. 3 appendix E).

#[cfg(target_arch = "x86")]
use std::arch::asm;
#[cfg(target_arch = "x86")]
use std::arch::x86::{__cpuid_count, _xgetbv};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__cpuid_count, _xgetbv};

use super::padlock::PadLock;
use crate::feature::{Feature, Features};

/// The registers EAX, EBX, ECX, EDX of one CPUID leaf.
pub type Leaf = [u32; 4];

/// Where CPUID answers come from: this CPU, or a test's description of another.
pub trait Cpuid {
    /// The answer for a leaf and subleaf.
    fn leaf(&self, leaf: u32, subleaf: u32) -> Leaf;
    /// XCR0, asked only when CPUID says that XGETBV exists.
    fn xcr0(&self) -> u64;
}

/// The CPU that runs this program.
pub struct ThisCpu;

impl Cpuid for ThisCpu {
    fn leaf(&self, leaf: u32, subleaf: u32) -> Leaf {
        if !knows_cpuid() {
            return [0; 4];
        }
        // Safe since Rust 1.94.
        #[allow(unused_unsafe)]
        // SAFETY: CPUID exists, as was just seen.
        let r = unsafe { __cpuid_count(leaf, subleaf) };
        [r.eax, r.ebx, r.ecx, r.edx]
    }

    fn xcr0(&self) -> u64 {
        #[target_feature(enable = "xsave")]
        fn read() -> u64 {
            // SAFETY: XCR0 always exists where XGETBV does.
            unsafe { _xgetbv(0) }
        }
        // SAFETY: the trait promises this is asked only when CPUID reports OSXSAVE.
        unsafe { read() }
    }
}

/// Whether there is CPUID at all: every 64-bit CPU has it.
#[cfg(target_arch = "x86_64")]
pub(super) const fn knows_cpuid() -> bool {
    true
}

/// Whether there is CPUID at all. A CPU as old as the 486 may lack it, and Cyrix's leave it off: then bit 21 of EFLAGS
/// cannot be changed (Intel SDM vol. 1 §3.4.3.3).
#[cfg(target_arch = "x86")]
pub(super) fn knows_cpuid() -> bool {
    const ID: u32 = 1 << 21;
    let changed: u32;
    // SAFETY: flags come back as they were, and what is pushed is taken off again.
    unsafe {
        asm!(
            "pushfd",
            "pushfd",
            "xor dword ptr [esp], {id}",
            "popfd",
            "pushfd",
            "pop {changed}",
            "xor {changed}, [esp]",
            "popfd",
            id = const ID,
            changed = out(reg) changed,
        );
    }
    changed & ID != 0
}

const OSXSAVE: u32 = 1 << 27;
const XCR0_SSE_AVX: u64 = 0b110;
const XCR0_AVX512: u64 = 0b1110_0110;

/// Decodes the features; AVX and AVX-512 count only if the operating system saves their state, and a unit
/// of PadLock only if it is enabled.
pub fn features(cpu: &dyn Cpuid) -> Features {
    let highest = cpu.leaf(0, 0)[0];
    let one = cpu.leaf(1, 0);
    let seven = if highest >= 7 { cpu.leaf(7, 0) } else { [0; 4] };
    // Subleaf 0 says how many there are.
    let more = if seven[0] >= 1 { cpu.leaf(7, 1) } else { [0; 4] };
    let xcr0 = if one[2] & OSXSAVE != 0 { cpu.xcr0() } else { 0 };
    let avx = xcr0 & XCR0_SSE_AVX == XCR0_SSE_AVX;
    let avx512 = xcr0 & XCR0_AVX512 == XCR0_AVX512;
    let bit = |register: u32, n: u32| register >> n & 1 != 0;
    [
        (Feature::Sse2, bit(one[3], 26)),
        (Feature::Ssse3, bit(one[2], 9)),
        (Feature::Sse41, bit(one[2], 19)),
        (Feature::Aes, bit(one[2], 25)),
        (Feature::Pclmulqdq, bit(one[2], 1)),
        (Feature::Avx, avx && bit(one[2], 28)),
        (Feature::Avx2, avx && bit(seven[1], 5)),
        (Feature::Bmi1, bit(seven[1], 3)),
        (Feature::Bmi2, bit(seven[1], 8)),
        (Feature::Vaes, avx && bit(seven[2], 9)),
        (Feature::Vpclmulqdq, avx && bit(seven[2], 10)),
        (Feature::Avx512f, avx512 && bit(seven[1], 16)),
        (Feature::Avx512bw, avx512 && bit(seven[1], 30)),
        (Feature::Avx512vl, avx512 && bit(seven[1], 31)),
        (Feature::Avx512dq, avx512 && bit(seven[1], 17)),
        (Feature::Avx512ifma, avx512 && bit(seven[1], 21)),
        (Feature::Avx512Vp2intersect, avx512 && bit(seven[3], 8)),
        (Feature::Avx512Bf16, avx512 && bit(more[0], 5)),
        (Feature::Sm4, avx && bit(more[0], 2)),
        (Feature::AvxVnni, avx && bit(more[0], 4)),
        (Feature::Gfni, bit(seven[2], 8)),
        (Feature::ShaNi, bit(seven[1], 29)),
    ]
    .into_iter()
    .fold(Features::NONE, |set, (feature, present)| set.with(feature, present))
    .union(PadLock::of(cpu).map_or(Features::NONE, PadLock::features))
}

/// The vendor string, "GenuineIntel" and the like.
pub fn vendor() -> String {
    let [_, b, c, d] = ThisCpu.leaf(0, 0);
    text(&[b, d, c])
}

/// Family, model and stepping, as Linux counts them.
pub fn signature() -> Option<[u32; 3]> {
    knows_cpuid().then(|| super::padlock::signature(ThisCpu.leaf(1, 0)))
}

/// The brand string of leaves 8000_0002h to 8000_0004h, if there is one.
pub fn brand() -> Option<String> {
    if ThisCpu.leaf(0x8000_0000, 0)[0] < 0x8000_0004 {
        return None;
    }
    let words: Vec<u32> = (2..=4).flat_map(|n| ThisCpu.leaf(0x8000_0000 + n, 0)).collect();
    Some(text(&words)).filter(|brand| !brand.is_empty())
}

/// The signature of leaf 4000_0000h, which belongs to hypervisors by the convention of both vendors.
pub fn hypervisor() -> Option<[u8; 12]> {
    const HYPERVISOR: u32 = 1 << 31;
    if ThisCpu.leaf(1, 0)[2] & HYPERVISOR == 0 {
        return None;
    }
    let [_, b, c, d] = ThisCpu.leaf(0x4000_0000, 0);
    let mut signature = [0; 12];
    for (place, word) in signature.as_chunks_mut().0.iter_mut().zip([b, c, d]) {
        *place = word.to_le_bytes();
    }
    Some(signature)
}

/// The registers as text, up to the first NUL.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86")]
    mod without_cpuid;

    /// A CPU that reports every feature, with an operating system that saves what `xcr0` says.
    struct Everything {
        osxsave: bool,
        xcr0: u64,
    }

    impl Cpuid for Everything {
        fn leaf(&self, leaf: u32, _: u32) -> Leaf {
            match leaf {
                0 => [7, 0, 0, 0],
                1 if !self.osxsave => [!0, !0, !OSXSAVE, !0],
                _ => [!0; 4],
            }
        }

        fn xcr0(&self) -> u64 {
            assert!(self.osxsave, "XGETBV would fault");
            self.xcr0
        }
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let ours = features(&ThisCpu);
        macro_rules! same {
            ($($feature:ident $name:tt,)*) => {$(
                assert_eq!(ours.has(Feature::$feature), is_x86_feature_detected!($name), $name);
            )*};
        }
        same!(
            Sse2 "sse2", Ssse3 "ssse3", Sse41 "sse4.1", Aes "aes", Pclmulqdq "pclmulqdq", Avx "avx", Avx2 "avx2",
            Bmi1 "bmi1", Bmi2 "bmi2", Vaes "vaes", Vpclmulqdq "vpclmulqdq", Avx512f "avx512f",
            Avx512bw "avx512bw", Avx512vl "avx512vl", Avx512dq "avx512dq",
            Avx512ifma "avx512ifma", Avx512Vp2intersect "avx512vp2intersect", Avx512Bf16 "avx512bf16",
            AvxVnni "avxvnni",
            Gfni "gfni", ShaNi "sha",
        );
    }

    #[test]
    fn vector_state_must_be_saved_by_the_system() {
        let none = features(&Everything { osxsave: false, xcr0: 0 });
        assert!(none.has(Feature::Aes) && !none.has(Feature::Avx) && !none.has(Feature::Vaes));
        let sse = features(&Everything { osxsave: true, xcr0: 0b011 });
        assert!(!sse.has(Feature::Avx2) && !sse.has(Feature::Avx512f));
        let avx = features(&Everything { osxsave: true, xcr0: 0b111 });
        assert!(avx.has(Feature::Vaes) && !avx.has(Feature::Avx512bw));
        let no_high_zmm = features(&Everything { osxsave: true, xcr0: 0b0110_0111 });
        assert!(!no_high_zmm.has(Feature::Avx512f));
        let all = features(&Everything { osxsave: true, xcr0: 0b1110_0111 });
        let not_here = |feature: &Feature| {
            let is_arms = *feature as u8 >= Feature::Asimd as u8 && *feature != Feature::Sm4;
            PadLock::UNITS.contains(feature) || is_arms
        };
        assert!(Feature::ALL.iter().all(|feature| all.has(*feature) != not_here(feature)));
    }
}
