//! AF_ALG: programs reach the drivers, and get the right bytes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

use sha1::{Digest, Sha1};
use sha2::Sha256;
use wirespeed_conformance::data::{painted, same};
use wirespeed_libcrypto::{Context, Direction, Library};

use crate::crypto::{growth, has_partial_hashes, hash_driver, load};

/// AES in both modes that the driver has by itself.
pub(crate) fn ciphers() -> Result<(), String> {
    load(&["padlock-aes", "algif_skcipher"])?;
    for bits in [128, 192, 256] {
        let key = painted(bits, bits as usize / 8);
        for (driver, mode) in [("ecb-aes-padlock", "ECB"), ("cbc-aes-padlock", "CBC")] {
            let mut transform = Transform::new("skcipher", driver)?;
            transform.set_key(&key)?;
            let iv = painted(1, if mode == "CBC" { 16 } else { 0 });
            for length in [16, 32, 48, 1024, 4096, 4112, 65536] {
                let plain = painted(length as u64, length);
                let what = || format!("{driver}, {bits} bits, {length} bytes");
                let name = format!("AES-{bits}-{mode}");
                let right = software(&name, Direction::Encrypt, &key, &iv, &plain)?;
                let crypt = |direction, data: &[u8]| transform.crypt(direction, &iv, data);
                let ((secret, plain_again), blocks) = growth("xcrypt_blocks", || {
                    let secret = crypt(libc::ALG_OP_ENCRYPT, &plain)?;
                    let plain_again = crypt(libc::ALG_OP_DECRYPT, &secret)?;
                    Ok((secret, plain_again))
                })?;
                same(what, &right, &secret)?;
                same(what, &plain, &plain_again)?;
                if blocks < 2 * length as u64 / 16 {
                    return Err(format!("{}: only {blocks} blocks by PadLock", what()));
                }
            }
        }
    }
    Ok(())
}

/// SHA-1 and SHA-256 at every boundary of blocks and pages, in one piece and in two.
pub(crate) fn digests() -> Result<(), String> {
    load(&["padlock-sha", "algif_hash"])?;
    type Hash = fn(&[u8]) -> Vec<u8>;
    let hashes: [(&str, Hash); 2] = [
        ("sha1", |data| Sha1::digest(data).to_vec()),
        ("sha256", |data| Sha256::digest(data).to_vec()),
    ];
    let partial = has_partial_hashes()?;
    for (name, right) in hashes {
        let driver = hash_driver(name)?;
        let transform = Transform::new("hash", &driver)?;
        for length in (0..=130).chain([255, 256, 257, 4095, 4096, 4097, 16384, 65535]) {
            let data = painted(length as u64, length);
            for cut in [0, length / 2, length] {
                let what = || format!("{driver}: {length} bytes, cut at {cut}");
                let (digest, blocks) = growth("xsha_blocks", || transform.hash(&data, cut))?;
                same(what, &right(&data), &digest)?;
                // Before Nano only the end of a message is PadLock's: a hash cannot be left open.
                let least = if partial { length as u64 / 64 } else { 1 };
                if length > 0 && blocks < least {
                    return Err(format!("{}: only {blocks} blocks by PadLock", what()));
                }
            }
        }
    }
    Ok(())
}

/// The same by OpenSSL, in this process.
pub(crate) fn software(
    name: &str,
    direction: Direction,
    key: &[u8],
    iv: &[u8],
    data: &[u8],
) -> Result<Vec<u8>, String> {
    let told = |error: wirespeed_libcrypto::Error| format!("{name}: {error}");
    let context = Context::new(Library::host().map_err(|error| error.to_string())?);
    let context = context.map_err(told)?;
    context.load("default").map_err(told)?;
    let mut work = context.fetch(name, None).and_then(|cipher| cipher.context()).map_err(told)?;
    let iv = (!iv.is_empty()).then_some(iv);
    work.init(direction, Some(key), iv, &[]).map_err(told)?;
    work.set_padding(false).map_err(told)?;
    let mut output = vec![0; data.len() + 16];
    let length = work.update(data, &mut output).map_err(told)?;
    output.truncate(length);
    Ok(output)
}

/// A driver, as a socket.
pub(crate) struct Transform(OwnedFd);

impl Transform {
    /// The driver of that name, or the best one of an algorithm.
    pub(crate) fn new(kind: &str, name: &str) -> Result<Self, String> {
        // SAFETY: no pointers.
        let socket = unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0) };
        let socket = descriptor("AF_ALG", socket)?;
        // SAFETY: all zeros are a valid address.
        let mut address: libc::sockaddr_alg = unsafe { mem::zeroed() };
        address.salg_family = libc::AF_ALG as u16;
        let lengths = (address.salg_type.len(), address.salg_name.len());
        assert!(kind.len() < lengths.0 && name.len() < lengths.1, "{kind} {name} is too long");
        address.salg_type[..kind.len()].copy_from_slice(kind.as_bytes());
        address.salg_name[..name.len()].copy_from_slice(name.as_bytes());
        let length = size_of_val(&address) as libc::socklen_t;
        // SAFETY: an address of that length.
        let bound = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
        checked(name, bound as isize)?;
        Ok(Self(socket))
    }

    pub(crate) fn set_key(&mut self, key: &[u8]) -> Result<(), String> {
        let length = key.len() as libc::socklen_t;
        // SAFETY: a buffer of that length.
        let set = unsafe {
            let (level, name) = (libc::SOL_ALG, libc::ALG_SET_KEY);
            libc::setsockopt(self.0.as_raw_fd(), level, name, key.as_ptr().cast(), length)
        };
        checked("ALG_SET_KEY", set as isize).map(|_| ())
    }

    /// A message of its own.
    fn operation(&self) -> Result<File, String> {
        // SAFETY: no address is wanted.
        let accepted =
            unsafe { libc::accept(self.0.as_raw_fd(), ptr::null_mut(), ptr::null_mut()) };
        descriptor("accept", accepted).map(File::from)
    }

    /// A digest of two pieces.
    fn hash(&self, data: &[u8], cut: usize) -> Result<Vec<u8>, String> {
        let mut operation = self.operation()?;
        let (first, second) = data.split_at(cut);
        let socket = operation.as_raw_fd();
        // SAFETY: a buffer of that length.
        let sent =
            unsafe { libc::send(socket, first.as_ptr().cast(), first.len(), libc::MSG_MORE) };
        checked("send", sent)?;
        operation.write_all(second).map_err(|error| format!("write: {error}"))?;
        if second.is_empty() {
            // SAFETY: nothing is sent, which ends the message.
            checked("send", unsafe { libc::send(socket, ptr::null(), 0, 0) })?;
        }
        let mut digest = vec![0; 64];
        let length = operation.read(&mut digest).map_err(|error| format!("read: {error}"))?;
        digest.truncate(length);
        Ok(digest)
    }

    /// Whole blocks in one request.
    pub(crate) fn crypt(
        &self,
        direction: libc::c_int,
        iv: &[u8],
        data: &[u8],
    ) -> Result<Vec<u8>, String> {
        let mut operation = self.operation()?;
        let iv_message = [&(iv.len() as u32).to_ne_bytes()[..], iv].concat();
        let mut control = vec![(libc::ALG_SET_OP, direction.to_ne_bytes().to_vec())];
        if !iv.is_empty() {
            control.push((libc::ALG_SET_IV, iv_message));
        }
        let sent = send_with(&operation, data, &control)?;
        if sent != data.len() {
            return Err(format!("the kernel took {sent} of {} bytes", data.len()));
        }
        let mut output = vec![0; data.len()];
        operation.read_exact(&mut output).map_err(|error| format!("read: {error}"))?;
        Ok(output)
    }
}

/// sendmsg(2) with control messages of AF_ALG.
fn send_with(
    socket: &File,
    data: &[u8],
    control: &[(libc::c_int, Vec<u8>)],
) -> Result<usize, String> {
    // As wide as its headers must be aligned.
    let mut buffer = [0_u64; 16];
    let mut piece = libc::iovec { iov_base: data.as_ptr().cast_mut().cast(), iov_len: data.len() };
    // SAFETY: all zeros are a valid message.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (&raw mut piece, 1);
    message.msg_control = buffer.as_mut_ptr().cast();
    // SAFETY: CMSG_SPACE only computes.
    let room = |bytes: &[u8]| unsafe { libc::CMSG_SPACE(bytes.len() as u32) as usize };
    message.msg_controllen = control.iter().map(|(_, bytes)| room(bytes)).sum();
    assert!(message.msg_controllen <= size_of_val(&buffer), "too many control messages");
    // SAFETY: the message and its buffer, which was just seen to be long enough for all of them.
    let sent = unsafe {
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        for (kind, bytes) in control {
            (*header).cmsg_level = libc::SOL_ALG;
            (*header).cmsg_type = *kind;
            (*header).cmsg_len = libc::CMSG_LEN(bytes.len() as u32) as usize;
            ptr::copy_nonoverlapping(bytes.as_ptr(), libc::CMSG_DATA(header), bytes.len());
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
        libc::sendmsg(socket.as_raw_fd(), &raw const message, 0)
    };
    checked("sendmsg", sent)
}

fn checked(what: &str, result: isize) -> Result<usize, String> {
    usize::try_from(result).map_err(|_| format!("{what}: {}", io::Error::last_os_error()))
}

fn descriptor(what: &str, result: i32) -> Result<OwnedFd, String> {
    checked(what, result as isize)?;
    // SAFETY: the kernel just gave it to us.
    Ok(unsafe { OwnedFd::from_raw_fd(result) })
}
