//! Encrypts one block on PadLock and verifies it, with FIPS 197's example.
//!
//! `cargo run -p wirespeed-padlock --example one_block`, or the program it builds under `padlock-run`.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;

    use wirespeed_cipher::{Direction, InOut};
    use wirespeed_cpu::{Ace, Ace2, Features, Token};
    use wirespeed_padlock::{Cipher, Key};

    let features = Features::detect();
    let Ok(ace) = Ace::probe(features) else {
        eprintln!("no-ACE: this CPU has no PadLock that encrypts; try it under padlock-run");
        return ExitCode::from(2);
    };
    let ace2 = Ace2::probe(features).ok();
    let key: [u8; 16] = std::array::from_fn(|i| i as u8);
    let plaintext = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128;
    let expected = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128;

    let mut block = plaintext.to_be_bytes();
    for direction in Direction::BOTH {
        let key = Key::new(&key, direction).expect("16 bytes are an AES key");
        Cipher::aes(ace, ace2, &key).ecb(InOut::in_place(&mut block));
        println!("{direction}  {:032x}", u128::from_be_bytes(block));
        let right = if direction == Direction::Encrypt { expected } else { plaintext };
        if u128::from_be_bytes(block) != right {
            println!("wrong: it should be {right:032x}");
            return ExitCode::FAILURE;
        }
    }
    println!("right, both ways");
    ExitCode::SUCCESS
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn main() {
    eprintln!("PadLock is in x86 CPUs");
}
