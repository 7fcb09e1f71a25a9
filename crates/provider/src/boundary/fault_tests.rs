//! Routes that go wrong on purpose: what verification must notice and quarantine must end.

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::num::NonZeroU32;
use std::ptr::{NonNull, null, null_mut};

use wirespeed_cipher::{
    Algorithm, Block, BlockCipher, BlockKernels, Direction, GcmKey, GcmState, InOut, Mode, OcbKey,
    OcbState, Route, Schedule, SealState, StreamKernels, StreamKey,
};
use wirespeed_cpu::Features;

use super::host_library::HostLibrary;
use super::provider::start;
use super::tests::Loaded;
use crate::openssl::*;
use crate::params::{END, entry};
use crate::provider::{Offer, Provider};
use crate::routing::native::Kernels;
use crate::routing::{Monitoring, Routing};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// One bit after so many blocks.
    Flip(usize),
    /// The second half is left alone.
    EarlyReturn,
}

thread_local! {
    static FAULT: Cell<Fault> = const { Cell::new(Fault::Nothing) };
    /// Whether the host has no memory for a context.
    static FULL: Cell<bool> = const { Cell::new(false) };
}

/// Runs a kernel over the data, or what the fault leaves of it.
fn faulty(mut data: InOut<'_>, run: impl FnOnce(InOut<'_>)) {
    let bytes = data.len();
    match FAULT.get() {
        Fault::EarlyReturn if bytes > 32 => run(data.split_at((bytes / 2) & !15).0),
        Fault::Flip(blocks) if bytes > 16 * blocks => {
            run(data.reborrow());
            let (mut bit, _) = data.split_at(16 * blocks).1.split_at(1);
            let mut byte = [0];
            bit.written(&mut byte);
            bit.overwrite(&[byte[0] ^ 4]);
        }
        _ => run(data),
    }
}

/// The portable kernels under another route's name, with the fault in all that touches data.
struct Faulty<const CIPHER: usize>;

/// The portable kernels.
fn portable(cipher: BlockCipher) -> &'static BlockKernels {
    wirespeed_kernels::kernels(Route::Portable, cipher, Features::NONE).unwrap()
}

impl<const CIPHER: usize> Faulty<CIPHER> {
    const KERNELS: BlockKernels = BlockKernels {
        route: Route::AesNi,
        cipher: BlockCipher::ALL[CIPHER],
        expand: [
            |key, schedule| (Self::right().expand[0])(key, schedule),
            |key, schedule| (Self::right().expand[1])(key, schedule),
        ],
        ecb: [Self::ecb::<0>, Self::ecb::<1>],
        cbc: [Self::cbc::<0>, Self::cbc::<1>],
        cfb: [Self::cfb::<0>, Self::cfb::<1>],
        ofb: |schedule, register, data| {
            faulty(data, |data| (Self::right().ofb)(schedule, register, data));
        },
        ctr: |schedule, counter, keystream, data| {
            faulty(data, |data| (Self::right().ctr)(schedule, counter, keystream, data));
        },
        xts: [Self::xts::<0>, Self::xts::<1>],
        gcm_key: |schedule, key| (Self::right().gcm_key)(schedule, key),
        ghash: |key, hash, data| (Self::right().ghash)(key, hash, data),
        polyval_key: |hash_key, key| (Self::right().polyval_key)(hash_key, key),
        polyval: |key, hash, data| (Self::right().polyval)(key, hash, data),
        little_ctr: |schedule, first, data| {
            faulty(data, |data| (Self::right().little_ctr)(schedule, first, data));
        },
        gcm_start: |schedule, state, first| (Self::right().gcm_start)(schedule, state, first),
        gcm: [Self::gcm::<0>, Self::gcm::<1>],
        gcm_tag: |key, state, pending, lengths, tag| {
            (Self::right().gcm_tag)(key, state, pending, lengths, tag);
        },
        ocb: [Self::ocb::<0>, Self::ocb::<1>],
        ocb_hash: |schedule, key, state, data| {
            (Self::right().ocb_hash)(schedule, key, state, data);
        },
    };

    fn right() -> &'static BlockKernels {
        portable(BlockCipher::ALL[CIPHER])
    }

    fn ecb<const D: usize>(schedule: &Schedule, data: InOut<'_>) {
        faulty(data, |data| (Self::right().ecb[D])(schedule, data));
    }

    fn cbc<const D: usize>(schedule: &Schedule, chain: &mut Block, data: InOut<'_>) {
        faulty(data, |data| (Self::right().cbc[D])(schedule, chain, data));
    }

    fn cfb<const D: usize>(schedule: &Schedule, register: &mut Block, data: InOut<'_>) {
        faulty(data, |data| (Self::right().cfb[D])(schedule, register, data));
    }

    fn xts<const D: usize>(schedule: &Schedule, tweak: &Block, data: InOut<'_>) {
        faulty(data, |data| (Self::right().xts[D])(schedule, tweak, data));
    }

    fn ocb<const D: usize>(
        schedule: &Schedule,
        key: &OcbKey,
        state: &mut OcbState,
        data: InOut<'_>,
    ) {
        faulty(data, |data| (Self::right().ocb[D])(schedule, key, state, data));
    }

    fn gcm<const D: usize>(
        schedule: &Schedule,
        key: &mut GcmKey,
        state: &mut GcmState,
        data: InOut<'_>,
    ) {
        faulty(data, |data| (Self::right().gcm[D])(schedule, key, state, data));
    }
}

static FAULTY: [BlockKernels; BlockCipher::ALL.len()] = [
    Faulty::<0>::KERNELS,
    Faulty::<1>::KERNELS,
    Faulty::<2>::KERNELS,
    Faulty::<3>::KERNELS,
    Faulty::<4>::KERNELS,
    Faulty::<5>::KERNELS,
    Faulty::<6>::KERNELS,
    Faulty::<7>::KERNELS,
    Faulty::<8>::KERNELS,
    Faulty::<9>::KERNELS,
];

/// The same of ChaCha20.
static FAULTY_STREAM: StreamKernels = StreamKernels {
    route: Route::AesNi,
    suits_every_call: true,
    chacha20: |key, counter, keystream, data| {
        faulty(data, |data| (right_stream().chacha20)(key, counter, keystream, data));
    },
    one_time_key: |key, state| (right_stream().one_time_key)(key, state),
    poly1305: |poly1305, data| (right_stream().poly1305)(poly1305, data),
    poly1305_tag: |poly1305, last| (right_stream().poly1305_tag)(poly1305, last),
    seal: [faulty_seal::<0>, faulty_seal::<1>],
};

fn right_stream() -> &'static StreamKernels {
    StreamKernels::reference(Algorithm::ALL[0])
}

fn faulty_seal<const D: usize>(
    key: &StreamKey,
    state: &mut SealState,
    pending: bool,
    data: InOut<'_>,
) {
    faulty(data, |data| (right_stream().seal[D])(key, state, pending, data));
}

/// A provider whose only route is the faulty one: it counts as self-tested, and every call is verified; or it is still to
/// be tested, and no call is verified.
unsafe extern "C" fn init_faulty<const TESTED: bool>(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: the core's own arguments.
    unsafe {
        start(handle, from_core, to_core, context, |core| {
            let monitoring = Monitoring { verify: NonZeroU32::new(TESTED.into()), counters: None };
            let routing =
                Routing::forged(&FAULTY.each_ref(), Some(&FAULTY_STREAM), None, monitoring);
            let routing = if TESTED { routing } else { routing.untested() };
            Ok(Provider::new(core, Ok(routing), "none", Offer::ciphers(Algorithm::ALL)))
        })
    }
}

/// A provider that hands everything to a host whose ciphers fail.
unsafe extern "C" fn init_failing(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: the core's own arguments.
    unsafe {
        start(handle, from_core, to_core, context, |core| {
            let right = BlockCipher::ALL.map(portable);
            let host = HostLibrary::forged(FAILING.as_ptr());
            let routing =
                Routing::forged(&right, Some(right_stream()), Some(host), Monitoring::default());
            Ok(Provider::new(core, Ok(routing), "none", Offer::ciphers(Algorithm::ALL)))
        })
    }
}

/// Algorithms that all have the same functions.
struct Table([AlgorithmEntry; 2]);

impl Table {
    const fn as_ptr(&self) -> *const AlgorithmEntry {
        self.0.as_ptr()
    }
}

// SAFETY: never written to.
unsafe impl Sync for Table {}

/// The names of all.
const NAMES: &str = {
    macro_rules! joined {
        ($first:literal $($names:literal)*) => { concat!($first, $(":", $names,)* "\0") };
    }
    wirespeed_cipher::each_algorithm!(joined)
};

static FAILING: Table = Table([
    AlgorithmEntry {
        names: NAMES.as_ptr().cast(),
        properties: null(),
        functions: FAILING_FUNCTIONS.as_ptr(),
        description: null(),
    },
    AlgorithmEntry::END,
]);

static FAILING_FUNCTIONS: [Dispatch; 10] = [
    Dispatch::new(CIPHER_NEW_CONTEXT, host_new as NewContext),
    Dispatch::new(CIPHER_FREE_CONTEXT, host_free as FreeContext),
    Dispatch::new(CIPHER_DUPLICATE_CONTEXT, host_new as NewContext),
    Dispatch::new(CIPHER_ENCRYPT_INIT, host_init as Initialise),
    Dispatch::new(CIPHER_DECRYPT_INIT, host_init as Initialise),
    Dispatch::new(CIPHER_UPDATE, host_update as Update),
    Dispatch::new(CIPHER_FINAL, host_final as Finish),
    Dispatch::new(CIPHER_GET_CONTEXT_PARAMS, host_answer as GetContextParams),
    Dispatch::new(CIPHER_SET_CONTEXT_PARAMS, host_set as SetContextParams),
    Dispatch::END,
];

unsafe extern "C" fn host_new(_: *mut c_void) -> *mut c_void {
    if FULL.get() { null_mut() } else { NonNull::dangling().as_ptr() }
}

unsafe extern "C" fn host_free(_: *mut c_void) {}

unsafe extern "C" fn host_init(
    _: *mut c_void,
    _: *const u8,
    _: usize,
    _: *const u8,
    _: usize,
    _: *const Param,
) -> c_int {
    1
}

/// Associated data pass; data do not.
unsafe extern "C" fn host_update(
    _: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    _: usize,
    _: *const u8,
    length: usize,
) -> c_int {
    // SAFETY: we call it ourselves, with a place to write to.
    unsafe { written.write(length) };
    c_int::from(output.is_null())
}

unsafe extern "C" fn host_final(_: *mut c_void, _: *mut u8, _: *mut usize, _: usize) -> c_int {
    0
}

unsafe extern "C" fn host_answer(_: *mut c_void, _: *mut Param) -> c_int {
    0
}

unsafe extern "C" fn host_set(_: *mut c_void, _: *const Param) -> c_int {
    1
}

/// The directions in which messages that nobody sealed are told from nothing: what CCM opens must have its tag.
fn directions(algorithm: Algorithm) -> &'static [Direction] {
    if algorithm.mode() == Mode::Ccm { &[Direction::Encrypt] } else { &Direction::BOTH }
}

/// What one message comes to: the data, and its tag.
fn message(loaded: &Loaded, algorithm: Algorithm, direction: Direction) -> (Vec<u8>, [u8; 16]) {
    const CALLS: [usize; 4] = [48, 4800, 1424, 32];
    let functions = loaded.cipher(algorithm.name()).expect("on offer");
    let (key, iv) = (std::array::from_fn::<u8, 64, _>(|i| i as u8), [7; 16]);
    let (mut tag, mut written) = ([0_u8; 16], 0);
    let mut output = Vec::new();
    let padding = 0_u32;
    let no_padding =
        entry(c"padding", data_type::UNSIGNED, (&raw const padding).cast_mut().cast(), 4);
    let aad = [3_u8; 13];
    // What CCM has where nothing is set.
    let is_ccm = algorithm.mode() == Mode::Ccm;
    let (iv_bytes, tag_bytes) = if is_ccm { (7, 12) } else { (algorithm.iv_bytes(), tag.len()) };
    // SAFETY: the provider's own functions over buffers as long as told, lists with an end.
    unsafe {
        let context = CIPHER_NEW_CONTEXT.find(functions).unwrap()(loaded.context());
        let slot = match direction {
            Direction::Encrypt => CIPHER_ENCRYPT_INIT,
            Direction::Decrypt => CIPHER_DECRYPT_INIT,
        };
        let block_mode = matches!(algorithm.mode(), Mode::Ecb | Mode::Cbc);
        let params = if block_mode { [no_padding, END] } else { [END, END] };
        let begin = || {
            let begun = slot.find(functions).unwrap()(
                context,
                key.as_ptr(),
                algorithm.key_bytes(),
                if iv_bytes == 0 { null() } else { iv.as_ptr() },
                iv_bytes,
                params.as_ptr(),
            );
            assert_eq!(begun, 1, "{algorithm} {direction}");
        };
        begin();
        let update = CIPHER_UPDATE.find(functions).unwrap();
        // Associated data, or with none the length of a message.
        let tell = |from: *const u8, bytes: usize| {
            let mut told = 0;
            let done = update(context, null_mut(), &raw mut told, bytes, from, bytes);
            assert_eq!(done, 1, "{algorithm} {direction}");
        };
        if algorithm.mode().has_tag() && !is_ccm {
            tell(aad.as_ptr(), aad.len());
        }
        for bytes in CALLS {
            if algorithm.mode().takes_whole_messages() {
                begin();
            }
            if is_ccm {
                tell(null(), bytes);
                tell(aad.as_ptr(), aad.len());
            }
            // In place, as records are.
            let mut data: Vec<u8> = (0..bytes).map(|i| (i * 7) as u8).collect();
            let place = data.as_mut_ptr();
            let done = update(context, place, &raw mut written, bytes, place, bytes);
            assert_eq!((done, written), (1, bytes), "{algorithm} {direction} {bytes}");
            output.extend(data);
        }
        if algorithm.mode().has_tag() && direction == Direction::Encrypt {
            let finish = CIPHER_FINAL.find(functions).unwrap();
            assert_eq!(finish(context, tag.as_mut_ptr(), &raw mut written, 0), 1);
            let mut wanted =
                [entry(c"tag", data_type::OCTET_STRING, tag.as_mut_ptr().cast(), tag_bytes), END];
            let answer = CIPHER_GET_CONTEXT_PARAMS.find(functions).unwrap();
            assert_eq!(answer(context, wanted.as_mut_ptr()), 1);
        }
        CIPHER_FREE_CONTEXT.find(functions).unwrap()(context);
    }
    (output, tag)
}

fn load(init: InitFunction) -> Loaded {
    Loaded::new(init, &[]).expect("it loads")
}

fn quarantined(loaded: &Loaded) -> String {
    let mut text: *const i8 = null();
    let wanted =
        entry(c"wirespeed-quarantined", data_type::UTF8_POINTER, (&raw mut text).cast(), 0);
    // SAFETY: the provider's own function; the list has an end, and the answer a NUL.
    unsafe {
        loaded.function(&PROVIDER_GET_PARAMS)(loaded.context(), [wanted, END].as_mut_ptr());
        CStr::from_ptr(text.cast()).to_str().unwrap().to_owned()
    }
}

#[test]
fn a_wrong_route_is_noticed_in_every_mode_and_the_bytes_are_right() {
    let right = super::tests::portable();
    for fault in [Fault::Flip(0), Fault::Flip(2), Fault::Flip(100), Fault::EarlyReturn] {
        // Where each byte takes a block, one comes to a kernel by itself.
        let applies = |it: &&Algorithm| !it.mode().has_byte_segments() || fault == Fault::Flip(0);
        for &algorithm in Algorithm::ALL.iter().filter(applies) {
            for &direction in directions(algorithm) {
                let wrong = load(init_faulty::<true>);
                FAULT.set(fault);
                assert_eq!(quarantined(&wrong), "");
                let expected = message(&right, algorithm, direction);
                let found = message(&wrong, algorithm, direction);
                assert!(found == expected, "{algorithm} {direction} {fault:?}");
                assert_eq!(quarantined(&wrong), "aesni", "{algorithm} {direction} {fault:?}");
                // Another context of the same provider keeps away from it, too.
                assert!(message(&wrong, algorithm, direction) == expected);
                FAULT.set(Fault::Nothing);
            }
        }
    }
}

#[test]
fn a_wrong_route_is_noticed_before_there_is_a_context() {
    let right = super::tests::portable();
    for fault in [Fault::Flip(0), Fault::Flip(2), Fault::Flip(20), Fault::EarlyReturn] {
        for &algorithm in Algorithm::ALL {
            let untested = load(init_faulty::<false>);
            assert_eq!(quarantined(&untested), "");
            FAULT.set(fault);
            let found = message(&untested, algorithm, Direction::Encrypt);
            FAULT.set(Fault::Nothing);
            assert_eq!(quarantined(&untested), "aesni", "{algorithm} {fault:?}");
            let expected = message(&right, algorithm, Direction::Encrypt);
            assert!(found == expected, "{algorithm} {fault:?}");
        }
    }
}

#[test]
fn a_right_route_is_never_accused() {
    let (right, monitored) = (super::tests::portable(), load(init_faulty::<true>));
    for &algorithm in Algorithm::ALL {
        for &direction in directions(algorithm) {
            let expected = message(&right, algorithm, direction);
            assert!(message(&monitored, algorithm, direction) == expected, "{algorithm}");
        }
    }
    assert_eq!(quarantined(&monitored), "");
}

#[test]
fn a_failing_route_hands_over_without_losing_a_byte() {
    let right = super::tests::portable();
    let shortest = |it: &&Algorithm| it.with_smallest_key() == **it;
    for &algorithm in Algorithm::ALL.iter().filter(shortest) {
        for &direction in directions(algorithm) {
            let failing = load(init_failing);
            let expected = message(&right, algorithm, direction);
            assert!(message(&failing, algorithm, direction) == expected, "{algorithm} {direction}");
            assert_eq!(quarantined(&failing), "libcrypto", "{algorithm} {direction}");
        }
    }
}

#[test]
fn a_host_without_memory_is_not_taken_out_of_service() {
    let right = super::tests::portable();
    let full = load(init_failing);
    FULL.set(true);
    for &algorithm in Algorithm::ALL {
        let expected = message(&right, algorithm, Direction::Encrypt);
        assert!(message(&full, algorithm, Direction::Encrypt) == expected, "{algorithm}");
        assert_eq!(quarantined(&full), "", "{algorithm}");
    }
    FULL.set(false);
    let algorithm = Algorithm::ALL[0];
    assert!(!message(&full, algorithm, Direction::Encrypt).0.is_empty());
    assert_eq!(quarantined(&full), "libcrypto", "its ciphers fail where there is memory");
}

#[test]
fn the_faults_are_faults() {
    // Without verification the caller would get them: this test can fail.
    for fault in [Fault::Flip(2), Fault::EarlyReturn] {
        FAULT.set(fault);
        let (mut wrong, mut good) = ([5_u8; 160], [5_u8; 160]);
        let schedule = Schedule::EMPTY;
        (FAULTY[0].ecb[0])(&schedule, InOut::in_place(&mut wrong));
        (BlockKernels::reference(Algorithm::ALL[0]).ecb[0])(&schedule, InOut::in_place(&mut good));
        FAULT.set(Fault::Nothing);
        assert_ne!(wrong, good);
    }
}
