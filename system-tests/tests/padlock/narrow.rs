//! 32-bit programs: the article's own style, and OpenSSL's code for the Montgomery multiplier.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use num_bigint::BigUint;
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

use crate::emulation::{Said, compile, emulated};

/// One block, encrypted and verified, as in the article; without PadLock it dies of SIGILL.
pub(crate) fn article() -> Result<(), String> {
    const PROGRAM: &str = "../../../../emulator/runner/tests/runner/programs/block.c";
    let scratch = Scratch::new()?;
    let block = compile(&scratch, PROGRAM, &["-m32"])?;
    let bare = command(&block).output().map_err(|error| error.to_string())?;
    if bare.status.signal() != Some(libc::SIGILL) {
        return Err(format!("without PadLock: {}", bare.status));
    }
    for cpu in ["c3", "c7", "nano", "zhaoxin"] {
        let said = Said::by(&mut emulated(&["--cpu", cpu, "--strict"], &block)?, b"")?;
        same(|| cpu.to_owned(), b"69c4e0d86a7b0430d8cdb78070b4c55a\n", said.output()?)?;
        said.counts("block").ran(&[("xcryptecb", 1)])?;
    }
    Ok(())
}

/// OpenSSL's via-mont.pl multiplies numbers of 256 to 32768 bits, and PadLock is right.
pub(crate) fn montgomery() -> Result<(), String> {
    let source = std::env::var("WIRESPEED_OPENSSL_SOURCE").map_err(|error| error.to_string())?;
    let scratch = Scratch::new()?;
    let assembly = scratch.path("via-mont.S");
    let generator = Path::new(&source).join("crypto/bn/asm/via-mont.pl");
    output(command("perl").arg(generator).args(["elf", "-fPIC"]).arg(&assembly))?;
    let client = compile(&scratch, "montgomery.c", &["-m32".as_ref(), assembly.as_os_str()])?;
    let mut records = Vec::new();
    let mut expected = Vec::new();
    let mut blocks = 0;
    // Its words are a multiple of four.
    for (seed, words) in (8..=64).step_by(4).chain([128, 256, 512, 516, 1024]).enumerate() {
        let [a, b, mut modulus] =
            [0, 1, 2].map(|number| painted(3 * seed as u64 + number, 4 * words));
        modulus[0] |= 1;
        modulus[4 * words - 1] |= 0x80;
        let [a, b, modulus] = [a, b, modulus].map(|bytes| BigUint::from_bytes_le(&bytes));
        let (a, b) = (a % &modulus, b % &modulus);
        let radix = BigUint::from(1_u8) << (32 * words);
        let inverse = radix.modinv(&modulus).ok_or("an even modulus")?;
        let product = &a * &b * inverse % &modulus;
        let limb = BigUint::from(1_u64 << 32);
        let negative = &limb - modulus.modinv(&limb).ok_or("an even modulus")?;
        let bytes = |number: &BigUint, words: usize| {
            let mut bytes = number.to_bytes_le();
            bytes.resize(4 * words, 0);
            bytes
        };
        records.extend((words as u32).to_le_bytes());
        records.extend(bytes(&negative, 1));
        for number in [&a, &b, &modulus] {
            records.extend(bytes(number, words));
        }
        expected.extend(bytes(&product, words));
        blocks += 1;
    }
    for cpu in ["c7", "nano"] {
        let said = Said::by(&mut emulated(&["--cpu", cpu], &client)?, &records)?;
        same(|| format!("{cpu}: products"), &expected, said.output()?)?;
        said.counts("montgomery").ran(&[("montmul", blocks)])?;
    }
    Ok(())
}

/// Why that cannot run.
pub(crate) fn montgomery_obstacle() -> Option<String> {
    let none = std::env::var_os("WIRESPEED_OPENSSL_SOURCE").is_none();
    none.then(|| "WIRESPEED_OPENSSL_SOURCE, a source tree of OpenSSL, is not set".to_owned())
}
