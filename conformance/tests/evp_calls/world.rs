//! One side of the comparison: a library context, and the contexts in which a sequence's calls are made.

use std::ffi::{CString, c_int, c_uint, c_ulong};
use std::path::Path;
use std::ptr;

use crate::calls::{Bytes, Call, Family, Place, Sequence, Setting, Value};
use crate::raw::{Functions, Opaque, RawParam};

/// A library context with its provider; it lives as long as the process.
pub(crate) struct Side {
    context: Opaque,
    query: CString,
}

/// What a call did, as far as its caller can see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) result: i64,
    /// The length that it told.
    pub(crate) told: i64,
    /// Its output, from where it was to be written to well beyond.
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<c_ulong>,
    pub(crate) state: Vec<(&'static str, Vec<u8>)>,
}

/// What is not written stays so.
const UNTOUCHED: u8 = 0x5A;

/// Bytes behind an output that are compared, too.
const BEYOND: usize = 64;

impl Side {
    pub(crate) fn default(raw: &Functions) -> Result<Self, String> {
        // SAFETY: no precondition.
        let context = unsafe { (raw.lib_ctx_new)() };
        // SAFETY: a live context, a NUL-terminated name.
        let loaded = unsafe { (raw.provider_load)(context, c"default".as_ptr()) };
        if loaded.is_null() {
            return Err("libcrypto has no default provider".to_owned());
        }
        Ok(Self { context, query: c"provider=default".to_owned() })
    }

    /// The module, with lines in its section of openssl.cnf.
    pub(crate) fn module(raw: &Functions, configuration: &Path) -> Result<Self, String> {
        let path = CString::new(configuration.to_string_lossy().as_bytes())
            .map_err(|it| it.to_string())?;
        // SAFETY: no precondition.
        let context = unsafe { (raw.lib_ctx_new)() };
        // SAFETY: a live context, NUL-terminated texts.
        let there = unsafe {
            (raw.load_config)(context, path.as_ptr()) == 1
                && (raw.provider_available)(context, c"wirespeed".as_ptr()) == 1
        };
        if there {
            return Ok(Self { context, query: c"provider=wirespeed".to_owned() });
        }
        let errors = raw.errors().into_iter().map(|code| raw.error(code)).collect::<Vec<_>>();
        Err(format!("the module does not load: {}", errors.join("; ")))
    }

    /// The algorithm, or null.
    pub(crate) fn fetch(&self, raw: &Functions, family: Family, name: &str) -> Opaque {
        let name = CString::new(name).expect("no NUL in a name");
        let fetch = match family {
            Family::Cipher => raw.cipher_fetch,
            Family::Digest => raw.md_fetch,
            Family::Mac => raw.mac_fetch,
        };
        // SAFETY: a live context, NUL-terminated texts.
        let found = unsafe { fetch(self.context, name.as_ptr(), self.query.as_ptr()) };
        raw.errors();
        found
    }
}

/// The contexts of one sequence on one side.
pub(crate) struct World<'a> {
    raw: &'a Functions,
    family: Family,
    fetched: Opaque,
    is_aead: bool,
    now: Opaque,
    saved: Option<Opaque>,
    tag: [u8; 16],
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        let contexts = [self.now, self.saved.unwrap_or(ptr::null_mut())];
        contexts.into_iter().for_each(|context| self.free(context));
    }
}

impl<'a> World<'a> {
    pub(crate) fn new(raw: &'a Functions, sequence: &Sequence, fetched: Opaque) -> Self {
        let is_aead =
            ["GCM", "CCM", "OCB", "Poly1305"].iter().any(|mode| sequence.algorithm.contains(mode));
        let family = sequence.family;
        let mut world =
            Self { raw, family, fetched, is_aead, now: ptr::null_mut(), saved: None, tag: [0; 16] };
        world.now = world.fresh();
        world
    }

    fn fresh(&self) -> Opaque {
        // SAFETY: no precondition but, for a MAC, a live algorithm.
        unsafe {
            match self.family {
                Family::Cipher => (self.raw.cipher_new)(),
                Family::Digest => (self.raw.md_new)(),
                Family::Mac => (self.raw.mac_new)(self.fetched),
            }
        }
    }

    fn free(&self, context: Opaque) {
        // SAFETY: null, or a context of ours that is not used any more.
        unsafe {
            match self.family {
                Family::Cipher => (self.raw.cipher_free)(context),
                Family::Digest => (self.raw.md_free)(context),
                Family::Mac => (self.raw.mac_free)(context),
            }
        }
    }

    /// Makes a call; what it did, and what the context says of itself afterwards.
    pub(crate) fn run(&mut self, call: &Call) -> Outcome {
        self.raw.errors();
        let mut outcome = match (call, self.family) {
            (Call::Save | Call::Restore | Call::Replace, _) => self.copy(call),
            (_, Family::Cipher) => self.run_cipher(call),
            (_, Family::Digest) => self.run_digest(call),
            (_, Family::Mac) => self.run_mac(call),
        };
        outcome.errors = self.raw.errors();
        outcome.state = self.state();
        self.raw.errors();
        outcome
    }

    fn copy(&mut self, call: &Call) -> Outcome {
        let from = match (call, self.saved) {
            (Call::Restore, Some(saved)) => saved,
            (Call::Restore, None) => return Outcome::default(),
            _ => self.now,
        };
        let mut result = 1;
        // SAFETY: live contexts; the copy is new.
        let made = unsafe {
            match self.family {
                Family::Mac => (self.raw.mac_dup)(from),
                _ => {
                    let made = self.fresh();
                    let copy = if self.family == Family::Cipher {
                        self.raw.cipher_copy
                    } else {
                        self.raw.md_copy
                    };
                    result = copy(made, from);
                    made
                }
            }
        };
        if result != 1 || made.is_null() {
            self.free(made);
            return Outcome { result: 0, ..Outcome::default() };
        }
        let old = match call {
            Call::Save => self.saved.replace(made).unwrap_or(ptr::null_mut()),
            _ => std::mem::replace(&mut self.now, made),
        };
        self.free(old);
        Outcome { result: 1, ..Outcome::default() }
    }

    fn run_cipher(&mut self, call: &Call) -> Outcome {
        let (raw, now) = (self.raw, self.now);
        let result = match call {
            Call::Init { algorithm, key, iv, direction, settings } => {
                let algorithm = if *algorithm { self.fetched } else { ptr::null_mut() };
                let (key, iv) = (key.map(Bytes::paint), iv.map(Bytes::paint));
                let pointer =
                    |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(ptr::null(), Vec::as_ptr);
                let params = Params::new(settings);
                // SAFETY: a live context; key and IV are longer than any that is asked for.
                unsafe {
                    (raw.cipher_init)(
                        now,
                        algorithm,
                        pointer(&key),
                        pointer(&iv),
                        *direction,
                        params.list(),
                    )
                }
            }
            Call::Update { .. } | Call::OneShot { .. } => return self.process(call),
            Call::Announce(length) => {
                let mut told = -7;
                // SAFETY: CCM takes the length alone where neither input nor output is given.
                let result = unsafe {
                    (raw.cipher_update)(
                        now,
                        ptr::null_mut(),
                        &mut told,
                        ptr::null(),
                        *length as c_int,
                    )
                };
                return Outcome { result: result.into(), told: told.into(), ..Outcome::default() };
            }
            Call::Final => {
                let (mut told, mut output) = (-7, vec![UNTOUCHED; BEYOND]);
                // SAFETY: a live context; more room than a block.
                let result = unsafe { (raw.cipher_final)(now, output.as_mut_ptr(), &mut told) };
                return Outcome {
                    result: result.into(),
                    told: told.into(),
                    output,
                    ..Outcome::default()
                };
            }
            Call::Control { number, argument, data, .. } => {
                let mut output = data.map_or(Vec::new(), Bytes::paint);
                let at = if data.is_some() { output.as_mut_ptr() } else { ptr::null_mut() };
                // SAFETY: as many bytes as the control of that number reads and writes, or none.
                let result = unsafe { (raw.cipher_control)(now, *number, *argument, at.cast()) };
                if *number == 0x10 && result == 1 {
                    self.tag.copy_from_slice(&output[..16]);
                }
                return Outcome { result: result.into(), output, ..Outcome::default() };
            }
            // SAFETY: a live context; the tag is as long as is told (`EVP_CTRL_AEAD_SET_TAG`).
            Call::ReturnTag => unsafe {
                (raw.cipher_control)(now, 0x11, 16, self.tag.as_mut_ptr().cast())
            },
            // SAFETY: a live context.
            Call::Padding(value) => unsafe { (raw.cipher_padding)(now, *value) },
            // SAFETY: as above.
            Call::Num(value) => unsafe { (raw.cipher_set_num)(now, *value) },
            // SAFETY: as above; all keys are longer than the longest that is set.
            Call::KeyLength(value) => unsafe { (raw.cipher_set_key_length)(now, *value) },
            // SAFETY: a live context, a terminated list.
            Call::Set(setting) => unsafe {
                (raw.cipher_set)(now, Params::new(std::slice::from_ref(setting)).list())
            },
            // SAFETY: a live context.
            Call::Reset => unsafe { (raw.cipher_reset)(now) },
            _ => 1,
        };
        Outcome { result: result.into(), ..Outcome::default() }
    }

    /// An update or a one-shot of a cipher, with its data where the call wants them.
    fn process(&mut self, call: &Call) -> Outcome {
        let (data, place) = match call {
            Call::Update { data, place } => (Some(*data), *place),
            Call::OneShot { data, place } => (*data, *place),
            _ => return Outcome::default(),
        };
        let mut input = data.map(Bytes::paint);
        let length = data.map_or(0, |it| it.length);
        let offset = if let Place::Apart(offset) = place { offset } else { 0 };
        let mut output = vec![UNTOUCHED; offset + length + 2 * BEYOND];
        // SAFETY: within the buffer.
        let mut to = unsafe { output.as_mut_ptr().add(offset) };
        let mut from = input.as_mut().map_or(ptr::null(), |it| it.as_ptr());
        match place {
            Place::Same => {
                output[..length].copy_from_slice(input.as_deref().unwrap_or_default());
                from = to;
            }
            Place::NoOutput => to = ptr::null_mut(),
            Place::Apart(_) => {}
        }
        let mut told: c_int = -7;
        // SAFETY: a live context; both ranges are there, the output with more than a block beyond; only an AEAD gets null.
        let result = unsafe {
            match call {
                Call::OneShot { .. } => {
                    (self.raw.cipher_one_shot)(self.now, to, from, length as c_uint)
                }
                _ => (self.raw.cipher_update)(self.now, to, &mut told, from, length as c_int),
            }
        };
        Outcome { result: result.into(), told: told.into(), output, ..Outcome::default() }
    }

    fn run_digest(&self, call: &Call) -> Outcome {
        let (raw, now) = (self.raw, self.now);
        let (mut told, mut output) = (0, Vec::new());
        let result = match call {
            Call::Init { algorithm, settings, .. } => {
                let algorithm = if *algorithm { self.fetched } else { ptr::null_mut() };
                // SAFETY: a live context and algorithm, a terminated list.
                unsafe { (raw.md_init)(now, algorithm, Params::new(settings).list()) }
            }
            Call::Update { data, .. } => {
                let data = data.paint();
                // SAFETY: as many bytes as are told.
                unsafe { (raw.md_update)(now, data.as_ptr().cast(), data.len()) }
            }
            Call::Final => {
                let mut length: c_uint = 7777;
                output = vec![UNTOUCHED; 512];
                // SAFETY: more room than the longest hash, and than the longest `xoflen` that is set.
                let result = unsafe { (raw.md_final)(now, output.as_mut_ptr(), &mut length) };
                told = length.into();
                result
            }
            Call::FinalOf(length) => {
                output = vec![UNTOUCHED; length + 2 * BEYOND];
                // SAFETY: at least as much room as is told, or as a hash has.
                unsafe { (raw.md_final_long)(now, output.as_mut_ptr(), *length) }
            }
            Call::Squeeze(length) => match raw.squeeze {
                Some(squeeze) => {
                    output = vec![UNTOUCHED; length + BEYOND];
                    // SAFETY: at least as much room as is told.
                    unsafe { squeeze(now, output.as_mut_ptr(), *length) }
                }
                None => 1,
            },
            // SAFETY: a live context, a terminated list.
            Call::Set(setting) => unsafe {
                (raw.md_set)(now, Params::new(std::slice::from_ref(setting)).list())
            },
            // SAFETY: a live context.
            Call::Reset => unsafe { (raw.md_reset)(now) },
            _ => 1,
        };
        Outcome { result: result.into(), told, output, ..Outcome::default() }
    }

    fn run_mac(&self, call: &Call) -> Outcome {
        let (raw, now) = (self.raw, self.now);
        let (mut told, mut output) = (0, Vec::new());
        let result = match call {
            Call::Init { key, settings, .. } => {
                let key = key.map(Bytes::paint);
                let (at, length) =
                    key.as_ref().map_or((ptr::null(), 0), |it| (it.as_ptr(), it.len()));
                // SAFETY: a live context, a key of that length or none, a terminated list.
                unsafe { (raw.mac_init)(now, at, length, Params::new(settings).list()) }
            }
            Call::Update { data, .. } => {
                let data = data.paint();
                // SAFETY: as many bytes as are told.
                unsafe { (raw.mac_update)(now, data.as_ptr(), data.len()) }
            }
            Call::FinalOf(size) => {
                let mut length = 7777;
                output = vec![UNTOUCHED; size + 2 * BEYOND];
                // SAFETY: at least as much room as is told.
                let result =
                    unsafe { (raw.mac_final)(now, output.as_mut_ptr(), &mut length, *size) };
                // Of a failure EVP_MAC_final tells a length that nobody has set.
                told = if result > 0 { length as i64 } else { 0 };
                result
            }
            // SAFETY: a live context, a terminated list.
            Call::Set(setting) => unsafe {
                (raw.mac_set)(now, Params::new(std::slice::from_ref(setting)).list())
            },
            _ => 1,
        };
        Outcome { result: result.into(), told, output, ..Outcome::default() }
    }

    /// What the context says of itself.
    fn state(&self) -> Vec<(&'static str, Vec<u8>)> {
        let (raw, now) = (self.raw, self.now);
        match self.family {
            Family::Cipher => self.cipher_state(),
            Family::Digest => Vec::new(),
            // SAFETY: a live context.
            Family::Mac => vec![("size", unsafe { (raw.mac_size)(now) }.to_ne_bytes().to_vec())],
        }
    }

    fn cipher_state(&self) -> Vec<(&'static str, Vec<u8>)> {
        let (raw, now) = (self.raw, self.now);
        // SAFETY: a live context.
        if unsafe { (raw.cipher_of)(now) }.is_null() {
            return Vec::new();
        }
        // SAFETY: a live context that knows its cipher.
        let numbers = unsafe {
            [
                ("iv length", (raw.cipher_iv)(now)),
                ("key length", (raw.cipher_key)(now)),
                ("num", (raw.cipher_num)(now)),
                ("encrypting", (raw.cipher_encrypts)(now)),
                ("tag length", if self.is_aead { (raw.cipher_tag)(now) } else { 0 }),
            ]
        };
        let length = numbers[0].1.clamp(0, 64) as usize;
        let mut state: Vec<_> =
            numbers.into_iter().map(|(name, value)| (name, value.to_ne_bytes().to_vec())).collect();
        for (name, ask) in
            [("updated iv", raw.cipher_updated_iv), ("original iv", raw.cipher_original_iv)]
        {
            let mut value = vec![UNTOUCHED; 64];
            // SAFETY: a live context; at least as much room as is told.
            let result = unsafe { ask(now, value.as_mut_ptr().cast(), length) };
            value.push(result as u8);
            state.push((name, value));
        }
        for (name, key) in [("num parameter", c"num"), ("padding", c"padding")] {
            let mut value: c_uint = 77;
            let kind = 2;
            let asked = RawParam {
                key: key.as_ptr(),
                kind,
                data: (&raw mut value).cast(),
                size: size_of::<c_uint>(),
                returned: usize::MAX,
            };
            // SAFETY: a live context, a terminated list.
            let result = unsafe { (raw.cipher_get)(now, [asked, END].as_mut_ptr()) };
            let mut bytes = value.to_ne_bytes().to_vec();
            bytes.push(result as u8);
            state.push((name, bytes));
        }
        state
    }
}

const END: RawParam =
    RawParam { key: ptr::null(), kind: 0, data: ptr::null_mut(), size: 0, returned: 0 };

/// Parameters with the memory that they point to.
struct Params {
    raw: Vec<RawParam>,
    _memory: Vec<Vec<u8>>,
}

impl Params {
    fn new(settings: &[Setting]) -> Self {
        let (mut raw, mut memory) = (Vec::new(), Vec::new());
        for Setting { key, value } in settings {
            // The types as numbered in openssl/core.h.
            let (kind, bytes, size) = match value {
                Value::Int(it) => (1, it.to_ne_bytes().to_vec(), 4),
                Value::Uint(it) => (2, it.to_ne_bytes().to_vec(), 4),
                Value::Size(it) => (2, it.to_ne_bytes().to_vec(), 8),
                Value::Text(it) => (4, it.to_bytes_with_nul().to_vec(), it.count_bytes()),
                Value::Octets(it) => (5, it.paint(), it.length),
                Value::NoOctets(length) => (5, Vec::new(), *length),
            };
            let data = if matches!(value, Value::NoOctets(_)) {
                ptr::null_mut()
            } else {
                bytes.as_ptr().cast_mut()
            };
            raw.push(RawParam {
                key: key.as_ptr(),
                kind,
                data: data.cast(),
                size,
                returned: usize::MAX,
            });
            memory.push(bytes);
        }
        raw.push(END);
        Self { raw, _memory: memory }
    }

    fn list(&self) -> *const RawParam {
        self.raw.as_ptr()
    }
}
