//! Our route and everybody else's code for PadLock: what one encrypts, each of the others decrypts.

use std::path::PathBuf;
use std::process::Command;

use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::scratch::Scratch;

use crate::emulation::{Said, compile, emulated};

/// In so many pieces the programs take their input, at most.
const PIECES: u64 = 5;

/// Whose code it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Party {
    /// Our module in OpenSSL, with `routes = padlock`.
    Ours,
    /// OpenSSL's engine.
    Engine,
    GnuTls,
    /// Its own code for PadLock has keys of 128 bits, and works block by block.
    Libgcrypt,
}

use Party::{Engine, GnuTls, Libgcrypt, Ours};

impl Party {
    const ALL: [Self; 4] = [Ours, Engine, GnuTls, Libgcrypt];

    fn has(self, mode: &str) -> bool {
        self != GnuTls || mode == "cbc"
    }

    /// The instruction that it uses, if it uses one.
    fn instruction(self, mode: &str, bits: u32) -> Option<String> {
        match self {
            Libgcrypt if bits != 128 => None,
            Libgcrypt => Some("xcryptecb".to_owned()),
            _ => Some(format!("xcrypt{mode}")),
        }
    }
}

/// The programs.
struct Parties {
    evp: PathBuf,
    gnutls: PathBuf,
    gcrypt: PathBuf,
    ours: Watched,
    _scratch: Scratch,
}

impl Parties {
    fn new() -> Result<Self, String> {
        let scratch = Scratch::new()?;
        Ok(Self {
            evp: compile(&scratch, "evp.c", &["-l:libcrypto.so.3"])?,
            gnutls: compile(&scratch, "gnutls.c", &["-l:libgnutls.so.30"])?,
            gcrypt: compile(&scratch, "gcrypt.c", &["-l:libgcrypt.so.20"])?,
            ours: Watched::with("routes = padlock")?,
            _scratch: scratch,
        })
    }

    fn run(
        &self,
        party: Party,
        direction: &str,
        mode: &str,
        bits: u32,
        data: &[u8],
    ) -> Result<Vec<u8>, String> {
        let (program, from) = match party {
            Ours => (&self.evp, Some("provider")),
            Engine => (&self.evp, Some("engine")),
            GnuTls => (&self.gnutls, None),
            Libgcrypt => (&self.gcrypt, None),
        };
        let mut command: Command = emulated(&["--hide-aesni"], program)?;
        if party == Ours {
            Provided::Ours(&self.ours).to(&mut command);
        }
        command.arg(direction).args(from).args([mode, &bits.to_string()]);
        let said = Said::by(&mut command, data)?;
        let output = said.output().map_err(|why| format!("{party:?} {direction}: {why}"))?.to_vec();
        if let Some(instruction) = party.instruction(mode, bits) {
            let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let counts = said.counts(&name);
            // The pieces are uneven: a block that two of them share is made of single ones.
            counts
                .ran(&[(&instruction, data.len() as u64 / 16 - PIECES)])
                .map_err(|why| format!("{party:?} {direction} {mode} {bits}: {why}"))?;
        }
        Ok(output)
    }
}

/// Every party's ciphertext is ours, and opened by every other.
pub(crate) fn decrypts_the_others() -> Result<(), String> {
    let parties = Parties::new()?;
    for (mode, bits) in
        [("ecb", 128), ("cbc", 128), ("cbc", 256), ("cfb", 192), ("ofb", 128), ("ctr", 128)]
    {
        let plain = painted(u64::from(bits), 20_000);
        let padded = |party: Party| matches!(party, Ours | Engine) && matches!(mode, "ecb" | "cbc");
        let here: Vec<_> = Party::ALL.into_iter().filter(|party| party.has(mode)).collect();
        for sender in &here {
            let sealed = parties.run(*sender, "encrypt", mode, bits, &plain)?;
            for receiver in here.iter().filter(|receiver| *receiver != sender) {
                let what = || format!("{mode} {bits}: {sender:?} to {receiver:?}");
                // Only EVP pads, by PKCS #7: here with a whole block.
                let all = [&plain[..], &[16; 16]].concat();
                let (sealed, right) = match (padded(*sender), padded(*receiver)) {
                    (true, false) => (&sealed, &all),
                    (false, true) => (&parties.run(*sender, "encrypt", mode, bits, &all)?, &plain),
                    _ => (&sealed, &plain),
                };
                same(what, right, &parties.run(*receiver, "decrypt", mode, bits, sealed)?)?;
            }
        }
    }
    Ok(())
}
