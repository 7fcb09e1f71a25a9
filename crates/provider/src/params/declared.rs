//! The parameters of ciphers and extendable hash functions: each is declared once.

use crate::openssl::Param;
use crate::params::{END, List, given_text, int, octets, size, uint};

macro_rules! names {
    ($($variant:ident $name:literal $kind:ident,)*) => {
        /// A parameter by its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Name { $($variant,)* }

        impl Name {
            /// How many there are.
            pub(super) const COUNT: usize = [$(Self::$variant,)*].len();

            /// The one with this name of OpenSSL's.
            pub(super) fn of(name: &[u8]) -> Option<Self> {
                $(if name == $name.to_bytes() { return Some(Self::$variant); })*
                None
            }

            /// Its entry in OpenSSL's lists.
            const fn entry(self) -> Param {
                match self { $(Self::$variant => $kind($name),)* }
            }
        }
    };
}

names! {
    IvLength c"ivlen" size,
    KeyLength c"keylen" size,
    Tag c"tag" octets,
    TagLength c"taglen" size,
    Padding c"padding" uint,
    Num c"num" uint,
    Iv c"iv" octets,
    UpdatedIv c"updated-iv" octets,
    IvGenerated c"iv-generated" uint,
    UseBits c"use-bits" uint,
    TlsVersion c"tls-version" uint,
    TlsMac c"tls-mac" octets,
    TlsMacSize c"tls-mac-size" size,
    TlsAad c"tlsaad" octets,
    TlsAadPad c"tlsaadpad" size,
    TlsIvFixed c"tlsivfixed" octets,
    TlsIvGenerate c"tlsivgen" octets,
    TlsIvInvocation c"tlsivinv" octets,
    Mode c"mode" uint,
    BlockSize c"blocksize" size,
    Aead c"aead" int,
    CustomIv c"custom-iv" int,
    Stealing c"cts" int,
    MultiBlock c"tls-multi" int,
    Random c"has-randkey" int,
    EncryptThenMac c"encrypt-then-mac" int,
    Order c"cts_mode" given_text,
    Standard c"xts_standard" given_text,
    Speed c"speed" uint,
    OutputLength c"xoflen" size,
    Size c"size" size,
}

/// How many parameters the longest list has.
const MOST: usize = 10;

/// The parameters that one function knows, for OpenSSL's list and for our own look-up.
#[derive(Clone, Copy)]
pub(crate) struct Declared {
    list: List<{ MOST + 1 }>,
    listed: usize,
    names: [Name; MOST],
    known: usize,
    mask: u32,
}

impl Declared {
    /// In the order in which they are answered or taken; that of OpenSSL's list has no meaning.
    pub(crate) const fn of(names: &[Name]) -> Self {
        let mut all = Self {
            list: List::new([END; MOST + 1]),
            listed: 0,
            names: [Name::Tag; MOST],
            known: 0,
            mask: 0,
        };
        let mut i = 0;
        while i < names.len() {
            all = all.listing(names[i].entry()).knowing(names[i]);
            i += 1;
        }
        all
    }

    /// Those and one more that OpenSSL's list has, though nobody answers it.
    pub(crate) const fn listing(mut self, entry: Param) -> Self {
        assert!(self.listed < MOST, "the list is longer than MOST");
        self.list.0[self.listed] = entry;
        self.listed += 1;
        self
    }

    const fn knowing(mut self, name: Name) -> Self {
        self.names[self.known] = name;
        self.known += 1;
        self.mask |= 1 << name as u8;
        self
    }

    /// Those and one more, whose entry in OpenSSL's list is this one.
    pub(crate) const fn and(self, name: Name, entry: Param) -> Self {
        self.listing(entry).knowing(name)
    }

    /// Those that are known.
    pub(crate) fn names(&self) -> impl Iterator<Item = Name> {
        self.names[..self.known].iter().copied()
    }

    /// Whether the parameter is known.
    pub(crate) const fn has(&self, name: Name) -> bool {
        self.mask & 1 << name as u8 != 0
    }

    /// OpenSSL's list.
    pub(crate) const fn as_ptr(&self) -> *const Param {
        self.list.as_ptr()
    }
}
