//! The proof of a route's packets: its kernels' own, then differences against the mode by itself.

use wirespeed_cipher::modes::Gcm;
use wirespeed_cipher::{Direction, InOut};

use super::{GcmLanes, Packet, PacketKey, open_all, seal_all};

/// Packets that are tried together, of more and more bytes.
const PACKETS: usize = 12;

impl GcmLanes {
    /// A quick proof before the first use: short and long packets are sealed and opened, and a forged one
    /// is found.
    pub fn self_test(&self) -> bool {
        let bytes: [u8; 1024] = std::array::from_fn(|i| (i % 251) as u8);
        let key = &bytes[7..][..usize::from(self.cipher().key_bits()) / 8];
        let length = |i: usize| i * i * 7;
        let (iv, aad) = (|i: usize| &bytes[i..i + 12], |i: usize| &bytes[i..3 * i]);
        let sealed_alone = (0..PACKETS).map(|i| {
            let mut gcm = Gcm::new(self.kernels);
            gcm.set_key(key);
            gcm.start(iv(i));
            let mut data = bytes[..length(i)].to_vec();
            let done = gcm
                .aad(aad(i))
                .and_then(|()| gcm.crypt(Direction::Encrypt, InOut::in_place(&mut data)));
            done.map(|()| (data, gcm.tag()))
        });
        let Ok(right) = sealed_alone.collect::<Result<Vec<_>, _>>() else { return false };
        let key = PacketKey::new(self, key);
        let mut made: Vec<_> =
            (0..PACKETS).map(|i| (bytes[..length(i)].to_vec(), [0; 16])).collect();
        let mut forged = Vec::new();
        let sealed = seal_all(self, &mut packets(&key, &mut made, iv, aad)).is_ok();
        let sealed = sealed && made == right;
        made[PACKETS / 2].1[3] ^= 1;
        let mut open = packets(&key, &mut made, iv, aad);
        let opened = open_all(self, &mut open, |i| forged.push(i)).is_ok();
        drop(open);
        let data = |i: usize, data: &[u8]| match i == PACKETS / 2 {
            true => data.iter().all(|byte| *byte == 0),
            false => data == &bytes[..length(i)],
        };
        let back = made.iter().enumerate().all(|(i, it)| data(i, &it.0));
        wirespeed_kernels::self_test(self.kernels)
            && sealed
            && opened
            && back
            && forged == [PACKETS / 2]
    }
}

fn packets<'a, 'b: 'a>(
    key: &'a PacketKey,
    made: &'a mut [(Vec<u8>, [u8; 16])],
    iv: impl Fn(usize) -> &'b [u8],
    aad: impl Fn(usize) -> &'b [u8],
) -> Vec<Packet<'a>> {
    let packet = |(i, (data, tag)): (usize, &'a mut (Vec<u8>, [u8; 16]))| {
        let data = InOut::in_place(data);
        Packet { key, iv: iv(i), aad: aad(i), data, tag }
    };
    made.iter_mut().enumerate().map(packet).collect()
}
