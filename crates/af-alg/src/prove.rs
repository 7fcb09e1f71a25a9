//! Whether a driver is right: published examples, and series of messages at every border.
//!
//! A driver is not ours to trust: the kernel tests it with few messages, and some have been wrong beside
//! them. The answers to the series were made with OpenSSL (a test here compares them again) and are kept
//! as checksums; so no implementation of ours has to be at hand.

mod examples;
#[cfg(test)]
mod oracle;
mod series;

use std::io;

use wirespeed_cipher::{Direction, InOut};

use crate::transform::Kind;
use crate::{Absent, Aead, Cipher, Error, Hash, Interface, Permission, Transform};
use examples::Example;

/// Computes the published example of an algorithm, both ways: what a provider asks before it uses a
/// driver.
pub fn self_test(
    interface: Interface,
    transform: &'static Transform,
    driver: Option<&str>,
    permission: Permission,
) -> Result<(), Error> {
    let example = Example::of(transform);
    let mut machine = Machine::open(interface, transform, driver, &example.key, permission)?;
    let found = machine.compute(&example.iv, &example.associated, &example.input)?;
    let named = || driver.unwrap_or(transform.kernel).to_owned();
    let wrong = |what| Error::Broken(io::Error::other(format!("{}: {what}", named())));
    if found != example.output {
        return Err(wrong("a wrong result for a published example"));
    }
    if !machine.undoes(&example.iv, &example.associated, &example.input, &found)? {
        return Err(wrong("decryption of a published example does not give it back"));
    }
    Ok(())
}

/// The same, and series of messages of every length that may matter; how many messages were right.
pub fn prove(
    interface: Interface,
    transform: &'static Transform,
    driver: Option<&str>,
) -> Result<usize, String> {
    let permission = Permission::Unconfined;
    self_test(interface, transform, driver, permission).map_err(|error| error.to_string())?;
    let open = Machine::open(interface, transform, driver, &series::key(transform), permission);
    let mut machine = open.map_err(|error| error.to_string())?;
    let mut proved = 1;
    for (stage, expected) in series::STAGES.iter().zip(series::answers(transform)) {
        let mut checksum = series::Checksum::new();
        for message in stage.messages(transform) {
            let said = |error: Error| format!("{}: {error}", message.what());
            let (iv, associated, input) = (&message.iv, &message.associated, &message.input);
            let found = machine.compute(iv, associated, input).map_err(said)?;
            if !machine.undoes(iv, associated, input, &found).map_err(said)? {
                return Err(format!("{}: decryption does not give them back", message.what()));
            }
            checksum.add(&found);
            proved += 1;
        }
        if checksum.value() != expected {
            return Err(format!("wrong results among messages of {}", stage.name));
        }
    }
    Ok(proved)
}

/// Any of the three kinds, as a function from input to output.
enum Machine {
    Cipher(Cipher),
    Aead(Aead),
    Hash(Hash),
}

impl Machine {
    fn open(
        interface: Interface,
        transform: &'static Transform,
        driver: Option<&str>,
        key: &[u8],
        permission: Permission,
    ) -> Result<Self, Error> {
        Ok(match transform.kind {
            Kind::Cipher { .. } => {
                Self::Cipher(Cipher::through(interface, transform, driver, key, permission)?)
            }
            Kind::Aead { .. } if interface == Interface::DevCrypto => {
                return Err(Error::Absent(Absent("no AEAD by /dev/crypto".to_owned())));
            }
            Kind::Aead { .. } => Self::Aead(Aead::open(transform, driver, key, permission)?),
            Kind::Hash { keyed, .. } => {
                let key = keyed.then_some(key);
                Self::Hash(Hash::through(interface, transform, driver, key, permission)?)
            }
        })
    }

    /// Ciphertext, ciphertext and tag, or digest.
    fn compute(&mut self, iv: &[u8], associated: &[u8], input: &[u8]) -> Result<Vec<u8>, Error> {
        let mut output = vec![0; input.len()];
        match self {
            Self::Cipher(cipher) => {
                let data = InOut::between(input, &mut output);
                cipher.crypt(Direction::Encrypt, &mut iv.to_vec(), data)?;
            }
            Self::Aead(aead) => {
                let mut tag = [0; 16];
                aead.seal(iv, associated, InOut::between(input, &mut output), &mut tag)?;
                output.extend(tag);
            }
            Self::Hash(hash) => {
                let Kind::Hash { bytes, .. } = hash.transform().kind else {
                    unreachable!("it was opened as a hash function")
                };
                output = vec![0; bytes];
                hash.digest(input, &mut output)?;
            }
        }
        Ok(output)
    }

    /// Whether the way back, or for a hash function the way in pieces, gives the same; in place.
    fn undoes(
        &mut self,
        iv: &[u8],
        associated: &[u8],
        input: &[u8],
        output: &[u8],
    ) -> Result<bool, Error> {
        match self {
            Self::Cipher(cipher) => {
                let mut data = output.to_vec();
                let in_place = InOut::in_place(&mut data);
                cipher.crypt(Direction::Decrypt, &mut iv.to_vec(), in_place)?;
                Ok(data == input)
            }
            Self::Aead(aead) => {
                let (text, tag) = output.split_at(input.len());
                let (mut data, mut forged) = (text.to_vec(), tag.to_vec());
                forged[0] ^= 1;
                let forged = aead.unseal(iv, associated, InOut::in_place(&mut data), &forged)?;
                let right = aead.unseal(iv, associated, InOut::in_place(&mut data), tag)?;
                Ok(!forged && right && data == input)
            }
            Self::Hash(hash) => {
                let mut again = vec![0; output.len()];
                let (first, second) = input.split_at(input.len() / 2);
                hash.update(first)?;
                hash.update(second)?;
                hash.finish(&mut again)?;
                Ok(again == output)
            }
        }
    }
}
