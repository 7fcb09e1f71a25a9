//! What became of a call: the numbers of `wirespeed.h`, and what they mean.

use std::ffi::CStr;

macro_rules! statuses {
    ($($name:ident = $number:literal: $text:literal,)*) => {
        /// Why a call could not do all it was asked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub(crate) enum Status { $($name = $number,)* }

        /// A number in English.
        pub(crate) const fn message(number: i32) -> &'static CStr {
            match number {
                0 => c"done",
                $($number => $text,)*
                _ => c"no status of this library",
            }
        }
    };
}

statuses! {
    UnknownName = 1: c"no such algorithm or route",
    Absent = 2: c"this CPU does not have the route, or the route does not have the algorithm",
    WrongResult = 3: c"the route's own test came out wrong on this machine",
    Null = 4: c"a NULL pointer where there must be none",
    KeyLength = 5: c"a key of a length that the algorithm does not have",
    OtherKey = 6: c"a key that was made for another algorithm",
    Length = 7: c"a length that the algorithm does not take",
    Overlap = 8: c"input and output overlap, but are not the same",
    Forged = 9: c"a packet's tag is wrong",
    NoMemory = 10: c"no memory",
    Fault = 11: c"a fault of this library: its outputs are worthless",
}
