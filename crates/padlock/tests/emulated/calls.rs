//! Single calls, whose instructions are counted: the fewer, the better.

use wirespeed_cipher::{Digest, Direction, InOut};
use wirespeed_cpu::{Ace, Ace2, Ccs, Features, Phe, Token};
use wirespeed_padlock::hash::{Blocks, Message};
use wirespeed_padlock::{Cipher, Key, Sm4Key};

use crate::place::Place;

/// A call, and what is counted on a CPU without ACE2, with it, and on the one that has all.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    make: fn(Features),
    c3: &'static str,
    nano: &'static str,
    zhaoxin: &'static str,
}

impl Call {
    /// Instructions and blocks on this CPU, if the call can be made there.
    pub(crate) fn expected(&self, model: &str) -> Option<&'static str> {
        let expected = match model {
            "c3" => self.c3,
            "nano" => self.nano,
            "zhaoxin" => self.zhaoxin,
            _ => "",
        };
        Some(expected).filter(|it| !it.is_empty())
    }
}

/// The same on all.
const fn same(name: &'static str, make: fn(Features), counts: &'static str) -> Call {
    Call { name, make, c3: counts, nano: counts, zhaoxin: counts }
}

/// Every call. Where data are unaligned, ACE2 is tried out first: four times two blocks of CBC.
pub(crate) const ALL: [Call; 13] = [
    same("cbc of 64 KiB", |it| cbc(it, 65536, 0), "xcryptcbc=1/4096"),
    same("cbc of 1424 bytes", |it| cbc(it, 1424, 0), "xcryptcbc=1/89"),
    Call {
        // The area holds 4 KiB; OpenSSL's chunks have 512 bytes.
        c3: "xcryptcbc=3/625",
        ..same("cbc of 10000 bytes unaligned", |it| cbc(it, 10_000, 1), "xcryptcbc=5/633")
    },
    same("ofb of 33 bytes", |it| ofb(it, 33), "xcryptofb=1/3"),
    same("ofb of 20001 bytes", |it| ofb(it, 20_001), "xcryptofb=2/1251"),
    Call {
        c3: "xcryptecb=1/89",
        ..same("ctr of 1420 bytes unaligned", |it| ctr(it, 1420, [0; 16]), "xcryptctr=1/89")
    },
    Call {
        c3: "xcryptecb=2/258",
        ..same("ctr over a carry", |it| ctr(it, 4128, [0xff; 16]), "xcryptctr=2/258")
    },
    same("ecb of 9 blocks before a page's end", |it| ecb_at_end(it, 9), "xcryptecb=2/9"),
    same("ecb of 3 blocks before a page's end", |it| ecb_at_end(it, 3), "xcryptecb=1/3"),
    same("ecb of 8 blocks before a page's end", |it| ecb_at_end(it, 8), "xcryptecb=1/8"),
    Call { c3: "", ..same("sha256 of 1000 bytes", sha256_message, "xsha256=1/16") },
    Call { c3: "", ..same("sha256 of 100 blocks", sha256_blocks, "xsha256=1/100") },
    Call { c3: "", nano: "", ..same("sm4 of 64 KiB", sm4, "sm4=1/4096") },
];

/// Makes the call of this name.
pub(crate) fn make(name: &str) {
    let call = ALL.iter().find(|call| call.name == name).expect("a call");
    (call.make)(Features::detect());
}

fn with_aes(features: Features, f: impl FnOnce(Cipher<'_>)) {
    let key = Key::new(&[7; 32], Direction::Encrypt).expect("32 bytes");
    let ace = Ace::probe(features).expect("ACE");
    f(Cipher::aes(ace, Ace2::probe(features).ok(), &key));
}

/// Aligned data whose end is in the middle of a page.
fn in_the_middle(place: &mut Place, bytes: usize) -> &mut [u8] {
    place.at(bytes, 2048 - bytes % 16)
}

fn cbc(features: Features, bytes: usize, offset: usize) {
    let mut place = Place::new(bytes + 4096);
    let data = &mut in_the_middle(&mut place, bytes + offset)[offset..];
    with_aes(features, |aes| aes.cbc(&mut [0; 16], InOut::in_place(data)));
}

fn ofb(features: Features, bytes: usize) {
    let mut place = Place::new(bytes + 4096);
    let data = in_the_middle(&mut place, bytes);
    with_aes(features, |aes| aes.ofb(&mut [0; 16], InOut::in_place(data)));
}

fn ctr(features: Features, bytes: usize, mut counter: [u8; 16]) {
    let mut place = Place::new(bytes + 4096);
    // Unaligned if a block is partial, when it makes no difference.
    let offset = bytes % 16;
    let data = &mut in_the_middle(&mut place, bytes + offset)[offset..];
    with_aes(features, |aes| _ = aes.ctr(&mut counter, InOut::in_place(data)));
}

fn ecb_at_end(features: Features, blocks: usize) {
    let mut place = Place::new(4096);
    let data = place.at(16 * blocks, 0);
    with_aes(features, |aes| aes.ecb(InOut::in_place(data)));
}

fn sha256_message(features: Features) {
    let phe = Phe::probe(features).expect("PHE");
    let unit = Message::new(phe, Digest::Sha256).expect("PHE's");
    unit.hash(&[0; 1000], &mut [0; 32]);
}

fn sha256_blocks(features: Features) {
    let phe = Phe::probe(features).expect("PHE");
    let compression = Digest::Sha256.compression();
    let unit = Blocks::sha(phe, compression).expect("a CPU that takes blocks");
    unit.run(&mut Digest::Sha256.initial(), &[0; 6400]);
}

fn sm4(features: Features) {
    let ccs = Ccs::probe(features).expect("CCS");
    let key = Sm4Key::new(&[7; 16]);
    let mut place = Place::new(65536);
    let data = InOut::in_place(place.at(65536, 0));
    Cipher::sm4(ccs, &key, Direction::Encrypt).cbc(&mut [0; 16], data);
}
