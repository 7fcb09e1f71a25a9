//! The SHA-256 of a file by one PadLock instruction, as `sha256sum` prints it: `checksum FILE`.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use wirespeed_cipher::Digest;
    use wirespeed_cpu::{Features, Phe, Token};
    use wirespeed_padlock::hash::Message;

    let file = std::env::args_os().nth(1).ok_or("usage: checksum FILE")?;
    let phe = Phe::probe(Features::detect())
        .map_err(|_| "no-PHE: this CPU has no PadLock that hashes; try it under padlock-run")?;
    let unit = Message::new(phe, Digest::Sha256).ok_or("PHE has SHA-256")?;
    let mut digest = [0; 32];
    unit.hash(&std::fs::read(&file)?, &mut digest);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{hex}  {}", file.display());
    Ok(())
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn main() {
    eprintln!("PadLock is in x86 CPUs");
}
