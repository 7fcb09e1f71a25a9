//! What CPUID answers.

use crate::{Cpu, Model};

/// The highest of Centaur's leaves.
const HIGHEST_CENTAUR_LEAF: u32 = 0xc000_0001;

/// A register of the four, as an index.
type Register = usize;
const EAX: Register = 0;
const EBX: Register = 1;
const ECX: Register = 2;
const EDX: Register = 3;

/// What `hide_aesni` takes away: leaf, subleaf, register, bits.
///
/// AES-NI and carry-less multiplication, the hash instructions, SSSE3 (OpenSSL and GnuTLS have
/// SHA and GCM in it), AVX and all that needs AVX. SSE4 stays: nobody has AES in it.
const HIDDEN: [(u32, u32, Register, &[u32]); 7] = [
    // PCLMULQDQ SSSE3 FMA AES AVX F16C
    (1, 0, ECX, &[1, 9, 12, 25, 28, 29]),
    // AVX2, AVX-512 F DQ IFMA PF ER CD, SHA, AVX-512 BW VL
    (7, 0, EBX, &[5, 16, 17, 21, 26, 27, 28, 29, 30, 31]),
    // AVX-512 VBMI VBMI2, GFNI VAES VPCLMULQDQ, AVX-512 VNNI BITALG VPOPCNTDQ, Key Locker
    (7, 0, ECX, &[1, 6, 8, 9, 10, 11, 12, 14, 23]),
    // AVX-512 4VNNIW 4FMAPS VP2INTERSECT, AMX BF16, AVX-512 FP16, AMX TILE INT8
    (7, 0, EDX, &[2, 3, 8, 22, 23, 24, 25]),
    // SHA512 SM3 SM4, AVX VNNI, AVX-512 BF16, AVX IFMA
    (7, 1, EAX, &[0, 1, 2, 4, 5, 23]),
    // AVX VNNI-INT8 NE-CONVERT VNNI-INT16, AVX10
    (7, 1, EDX, &[4, 5, 10, 19]),
    // XOP FMA4
    (0x8000_0001, 0, ECX, &[11, 16]),
];

/// Leaf 4 of a Nano: 64 KiB of data and of instructions, 1 MiB for both, each 16 ways of 64-byte lines.
///
/// It must not be empty, as AMD's is: glibc looks for a second level without end on these vendors
/// (`get_common_cache_info` in sysdeps/x86/dl-cacheinfo.h).
const CACHES: [[u32; 4]; 3] = [cache(1, 1, 64), cache(2, 1, 64), cache(3, 2, 1024)];

/// A cache that initialises itself, by its type (data, instructions, both), level and number of sets.
const fn cache(kind: u32, level: u32, sets: u32) -> [u32; 4] {
    [kind | level << 5 | 1 << 8, (16 - 1) << 22 | (64 - 1), sets - 1, 0]
}

impl Model {
    const fn vendor(self) -> &'static [u8; 12] {
        match self {
            Self::C3 | Self::C7 | Self::Nano => b"CentaurHauls",
            Self::Zhaoxin => b"  Shanghai  ",
        }
    }

    /// The brand string of leaves 8000_0002h to 8000_0004h, filled up with NUL.
    fn brand(self) -> [u8; 48] {
        let text: &[u8] = match self {
            Self::C3 => b"VIA C3 (emulated)",
            Self::C7 => b"VIA C7 (emulated)",
            Self::Nano => b"VIA Nano (emulated)",
            Self::Zhaoxin => b"Zhaoxin KX-6000 (emulated)",
        };
        let mut brand = [0; 48];
        brand[..text.len()].copy_from_slice(text);
        brand
    }

    /// Family, model and stepping as EAX of leaf 1 has them.
    const fn signature(self) -> u32 {
        match self {
            // The first stepping with ACE.
            Self::C3 => 0x0698,
            Self::C7 => 0x06d0,
            // Not stepping 2, whose prefetch has errata (padlock-aes.c).
            Self::Nano => 0x06f3,
            // KX-6000: family 7, model 3Bh.
            Self::Zhaoxin => 0x0003_07b0,
        }
    }
}

impl Cpu {
    /// What CPUID answers: EAX, EBX, ECX, EDX, where the real CPU says `real`.
    pub fn cpuid(&self, leaf: u32, subleaf: u32, real: [u32; 4]) -> [u32; 4] {
        let options = self.options();
        let model = options.model;
        let mut answer = real;
        match leaf {
            0 => {
                let (words, _) = model.vendor().as_chunks();
                let [first, second, third] = [words[0], words[1], words[2]].map(u32::from_le_bytes);
                (answer[EBX], answer[EDX], answer[ECX]) = (first, second, third);
            }
            1 => answer[EAX] = model.signature(),
            4 => answer = CACHES.get(subleaf as usize).copied().unwrap_or_default(),
            // AMD's CPUs name their vendor here once more.
            0x8000_0000 => answer = [real[EAX], 0, 0, 0],
            0x8000_0002..=0x8000_0004 => {
                let brand = model.brand();
                let (words, _) = brand.as_chunks();
                let first = (leaf - 0x8000_0002) as usize * answer.len();
                for (register, word) in answer.iter_mut().zip(&words[first..]) {
                    *register = u32::from_le_bytes(*word);
                }
            }
            0xc000_0000 => answer = [HIGHEST_CENTAUR_LEAF, 0, 0, 0],
            0xc000_0001 => answer = [0, 0, 0, model.unit_bits()],
            // Beyond the highest leaf; the real CPU repeats its highest basic one here.
            0xc000_0002..=0xc000_ffff => answer = [0; 4],
            _ => (),
        }
        if options.hide_aesni {
            for (_, _, register, bits) in
                HIDDEN.iter().filter(|row| (row.0, row.1) == (leaf, subleaf_of(leaf, subleaf)))
            {
                answer[*register] &= !bits.iter().fold(0, |mask, bit| mask | 1 << bit);
            }
        }
        answer
    }
}

/// Leaf 7 alone, of those above, has subleaves; elsewhere ECX is ignored.
const fn subleaf_of(leaf: u32, subleaf: u32) -> u32 {
    if leaf == 7 { subleaf } else { 0 }
}
