//! What Linux says of a RISC-V CPU when it is asked by riscv_hwprobe, which it answers since 6.4
//! (Documentation/arch/riscv/hwprobe.rst). The standard library asks, too, and keeps what it hears of vectors for nightly.

use std::ptr;

use crate::feature::{Feature, Features};

/// The call's number on every RISC-V.
const RISCV_HWPROBE: libc::c_long = 258;

/// "Extensions beyond the base", one bit for each (arch/riscv/include/uapi/asm/hwprobe.h).
const IMA_EXT_0: i64 = 4;

const BITS: &[(Feature, u32)] = &[
    (Feature::V, 2),
    (Feature::Zbb, 4),
    (Feature::Zbc, 7),
    (Feature::Zbkb, 8),
    (Feature::Zbkc, 9),
    (Feature::Zbkx, 10),
    (Feature::Zknd, 11),
    (Feature::Zkne, 12),
    (Feature::Zknh, 13),
    (Feature::Zksed, 14),
    (Feature::Zksh, 15),
    (Feature::Zvbc, 18),
    (Feature::Zvkb, 19),
    (Feature::Zvkg, 20),
    (Feature::Zvkned, 21),
    (Feature::Zvknha, 22),
    (Feature::Zvknhb, 23),
    (Feature::Zvksed, 24),
    (Feature::Zvksh, 25),
];

/// What every CPU that is online has; nothing where Linux is too old to say. Whether this process may use vectors, another
/// call tells (PR_RISCV_V_GET_CONTROL): a token for them has to ask that as well.
pub(super) fn features() -> Features {
    let extensions = extensions().unwrap_or(0);
    BITS.iter()
        .fold(Features::NONE, |set, (feature, bit)| set.with(*feature, extensions >> bit & 1 == 1))
}

/// A question and its answer. Linux makes -1 of a key that it does not know, and leaves the value zero.
#[repr(C)]
struct Pair {
    key: i64,
    value: u64,
}

/// The bits; none where Linux does not answer.
pub(super) fn extensions() -> Option<u64> {
    let mut pairs = [Pair { key: IMA_EXT_0, value: 0 }];
    // SAFETY: Linux writes into as many pairs as it is told of, which are laid out as its own, and nowhere else. A set of
    // CPUs that has no bytes and no address stands for all that are online. A number that is no call's gives ENOSYS.
    let status = unsafe {
        libc::syscall(
            RISCV_HWPROBE,
            pairs.as_mut_ptr(),
            pairs.len(),
            0_usize,
            ptr::null_mut::<libc::c_ulong>(),
            0_usize,
        )
    };
    (status == 0).then(|| pairs[0].value)
}
