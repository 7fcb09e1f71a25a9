//! Parameters (`OSSL_PARAM`): named values that go into and come out of libcrypto.

use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;

/// `OSSL_PARAM` of openssl/core.h.
#[repr(C)]
pub(crate) struct RawParam {
    key: *const c_char,
    kind: c_uint,
    data: *mut c_void,
    size: usize,
    returned: usize,
}

/// `OSSL_PARAM_UNMODIFIED`: the provider did not answer.
const UNMODIFIED: usize = usize::MAX;

/// The end of a list.
const END: RawParam =
    RawParam { key: ptr::null(), kind: 0, data: ptr::null_mut(), size: 0, returned: 0 };

/// Answers a provider's parameter of that name, if the list has it as a `size_t` or as an `int`.
///
/// # Safety
/// A list that ends as libcrypto's do, with room for what each asks for.
pub(crate) unsafe fn answer(mut params: *mut RawParam, key: &CStr, value: usize) {
    // SAFETY: the caller vouches for the list.
    unsafe {
        while let Some(param) = params.as_mut().filter(|param| !param.key.is_null()) {
            if CStr::from_ptr(param.key) == key {
                match param.size {
                    8 => param.data.cast::<u64>().write_unaligned(value as u64),
                    4 => param.data.cast::<u32>().write_unaligned(value as u32),
                    _ => return,
                }
                param.returned = param.size;
            }
            params = params.add(1);
        }
    }
}

/// The types of values, numbered as in openssl/core.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Kind {
    /// Signed, in native byte order.
    Integer = 1,
    /// Unsigned, in native byte order.
    Unsigned = 2,
    /// Floating point.
    Real = 3,
    /// Text, copied.
    Utf8 = 4,
    /// Bytes, copied.
    Octets = 5,
    /// A pointer to text.
    Utf8Pointer = 6,
    /// A pointer to bytes.
    OctetPointer = 7,
}

impl Kind {
    /// Whether the value is a pointer, which libcrypto would follow or overwrite whatever its size.
    const fn is_pointer(self) -> bool {
        matches!(self, Self::Utf8Pointer | Self::OctetPointer)
    }

    const fn from_number(number: c_uint) -> Option<Self> {
        Some(match number {
            1 => Self::Integer,
            2 => Self::Unsigned,
            3 => Self::Real,
            4 => Self::Utf8,
            5 => Self::Octets,
            6 => Self::Utf8Pointer,
            7 => Self::OctetPointer,
            _ => return None,
        })
    }
}

/// A parameter as a provider's list declares it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Descriptor {
    /// The name.
    pub key: CString,
    /// The type; `None` for a number that openssl/core.h does not know.
    pub kind: Option<Kind>,
    /// The size of the value in bytes, 0 where it varies.
    pub size: usize,
}

/// A parameter to set.
#[derive(Clone, Copy, Debug)]
pub struct Param<'a> {
    /// The name, such as `c"ivlen"`.
    pub key: &'a CStr,
    /// The value.
    pub value: Value<'a>,
}

/// A value to set, in the width that it shall be passed in.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// `int`.
    Int(i32),
    /// `unsigned int`.
    Uint(u32),
    /// `int64_t`.
    Int64(i64),
    /// `size_t`.
    Size(usize),
    /// Text.
    Utf8(&'a CStr),
    /// Bytes.
    Octets(&'a [u8]),
    /// The length of bytes that are not given (null): how long a tag shall be.
    NoOctets(usize),
    /// A number of another width, or a real: a type and the bytes of the value.
    Raw(Kind, &'a [u8]),
}

impl<'a> Param<'a> {
    /// A `size_t`, the type of most lengths.
    pub const fn size(key: &'a CStr, value: usize) -> Self {
        Self { key, value: Value::Size(value) }
    }

    /// An `unsigned int`, the type of `padding` and `num`.
    pub const fn uint(key: &'a CStr, value: u32) -> Self {
        Self { key, value: Value::Uint(value) }
    }

    /// Bytes.
    pub const fn octets(key: &'a CStr, value: &'a [u8]) -> Self {
        Self { key, value: Value::Octets(value) }
    }

    /// Text.
    pub const fn utf8(key: &'a CStr, value: &'a CStr) -> Self {
        Self { key, value: Value::Utf8(value) }
    }

    /// The value as a length, if it is one.
    pub(crate) fn as_length(&self) -> Option<usize> {
        match self.value {
            Value::Int(value) => value.try_into().ok(),
            Value::Uint(value) => value.try_into().ok(),
            Value::Int64(value) => value.try_into().ok(),
            Value::Size(value) => Some(value),
            Value::Utf8(_) | Value::Octets(_) | Value::NoOctets(_) | Value::Raw(..) => None,
        }
    }

    /// # Panics
    /// If the value is given as the bytes of a pointer.
    #[inline]
    fn raw(&self) -> RawParam {
        const fn of<T>(kind: Kind, value: &T) -> (Kind, *const c_void, usize) {
            (kind, ptr::from_ref(value).cast(), size_of::<T>())
        }
        let (kind, data, size) = match &self.value {
            Value::Int(value) => of(Kind::Integer, value),
            Value::Int64(value) => of(Kind::Integer, value),
            Value::Uint(value) => of(Kind::Unsigned, value),
            Value::Size(value) => of(Kind::Unsigned, value),
            Value::Utf8(text) => (Kind::Utf8, text.as_ptr().cast(), text.count_bytes()),
            Value::Octets(bytes) => (Kind::Octets, bytes.as_ptr().cast(), bytes.len()),
            Value::NoOctets(length) => (Kind::Octets, ptr::null(), *length),
            Value::Raw(kind, bytes) => {
                assert!(!kind.is_pointer(), "no pointers from bytes");
                (*kind, bytes.as_ptr().cast(), bytes.len())
            }
        };
        let data = data.cast_mut();
        RawParam { key: self.key.as_ptr(), kind: kind as c_uint, data, size, returned: UNMODIFIED }
    }
}

/// A terminated list that borrows the values of `params`.
pub(crate) struct List<'a> {
    raw: Vec<RawParam>,
    values: PhantomData<&'a [Param<'a>]>,
}

impl<'a> List<'a> {
    /// The list; nothing is allocated for none.
    pub(crate) fn new(params: &'a [Param<'a>]) -> Self {
        let raw = if params.is_empty() {
            Vec::new()
        } else {
            params.iter().map(Param::raw).chain([END]).collect()
        };
        Self { raw, values: PhantomData }
    }

    /// Null for none.
    pub(crate) fn as_ptr(&self) -> *const RawParam {
        if self.raw.is_empty() { ptr::null() } else { self.raw.as_ptr() }
    }
}

/// One octet string to set, without allocating.
#[inline]
pub(crate) fn with_octets<T>(key: &CStr, bytes: &[u8], f: impl FnOnce(*const RawParam) -> T) -> T {
    f([Param::octets(key, bytes).raw(), END].as_ptr())
}

/// One pointer, to what the parameter wants there, without allocating.
pub(crate) fn with_pointer<T>(
    key: &CStr,
    mut pointer: *const c_void,
    size: usize,
    f: impl FnOnce(*mut RawParam) -> T,
) -> T {
    let (data, kind) = ((&raw mut pointer).cast(), Kind::OctetPointer as c_uint);
    let pointed = RawParam { key: key.as_ptr(), kind, data, size, returned: UNMODIFIED };
    f([pointed, END].as_mut_ptr())
}

/// Asks for one value into `buffer`: how many bytes came, or `None` if it was not answered.
///
/// Without a buffer the size that one would need is asked for. `Err` when `call` does not return 1.
///
/// # Panics
/// If `kind` is a pointer: [`read_pointer`] asks for those.
#[inline]
pub(crate) fn read(
    key: &CStr,
    kind: Kind,
    buffer: Option<&mut [u8]>,
    call: impl FnOnce(*mut RawParam) -> i32,
) -> Result<Option<usize>, ()> {
    assert!(!kind.is_pointer(), "a pointer is not a value");
    let (data, size) =
        buffer.map_or((ptr::null_mut(), 0), |bytes| (bytes.as_mut_ptr(), bytes.len()));
    let key = key.as_ptr();
    let asked =
        RawParam { key, kind: kind as c_uint, data: data.cast(), size, returned: UNMODIFIED };
    let mut list = [asked, END];
    if call(list.as_mut_ptr()) != 1 {
        return Err(());
    }
    Ok(Some(list[0].returned).filter(|returned| *returned != UNMODIFIED))
}

/// Asks for one value by pointer, and copies what it points to.
pub(crate) fn read_pointer(
    key: &CStr,
    kind: Kind,
    call: impl FnOnce(*mut RawParam) -> i32,
) -> Result<Option<Vec<u8>>, ()> {
    let mut pointer: *const u8 = ptr::null();
    let data: *mut c_void = (&raw mut pointer).cast();
    let key = key.as_ptr();
    let mut list =
        [RawParam { key, kind: kind as c_uint, data, size: 0, returned: UNMODIFIED }, END];
    if call(list.as_mut_ptr()) != 1 {
        return Err(());
    }
    let length = list[0].returned;
    if length == UNMODIFIED || pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: OSSL_PARAM(3): the provider set the pointer to `length` bytes that live as long as it.
    Ok(Some(unsafe { std::slice::from_raw_parts(pointer, length) }.to_vec()))
}

/// Walks a list of what may be got or set.
///
/// # Safety
/// `list` is null, or ends with a null key, and every key is NUL-terminated.
pub(crate) unsafe fn descriptors(mut list: *const RawParam) -> Vec<Descriptor> {
    let mut found = Vec::new();
    if list.is_null() {
        return found;
    }
    loop {
        // SAFETY: the caller vouches for every entry up to the null key.
        let entry = unsafe { &*list };
        if entry.key.is_null() {
            return found;
        }
        // SAFETY: the caller vouches for the key.
        let key = unsafe { CStr::from_ptr(entry.key) }.to_owned();
        found.push(Descriptor { key, kind: Kind::from_number(entry.kind), size: entry.size });
        // SAFETY: the null key has not come yet.
        list = unsafe { list.add(1) };
    }
}
