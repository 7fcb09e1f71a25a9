//! What all units of byte slices share: the order of blocks, the transposition, and the machine around them.

/// Sixteen vectors as the rows of a matrix of bytes, transposed in each 128-bit piece. Interleaving row i with row
/// i + 8 moves the highest bit of each byte's row number to the lowest of its column number, and the highest of that
/// to the lowest of the other; after four times the numbers have changed places.
macro_rules! transpose {
    ($rows:expr, $low:ident, $high:ident) => {{
        // Not loops: left standing, they would keep the vectors in memory.
        let rows = transpose!(@ $rows, $low, $high);
        let rows = transpose!(@ rows, $low, $high);
        let rows = transpose!(@ rows, $low, $high);
        transpose!(@ rows, $low, $high)
    }};
    (@ $rows:expr, $low:ident, $high:ident) => {{
        let rows = $rows;
        transpose!(@ rows, $low, $high: 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15)
    }};
    (@ $rows:ident, $low:ident, $high:ident: $($first:literal $second:literal),*) => {
        [$(
            call!($low($rows[$first], $rows[$second])),
            call!($high($rows[$first], $rows[$second])),
        )*]
    };
}

pub(crate) use transpose;

/// The number of the block that each byte of a slice belongs to: a row holds as many blocks as there are 128-bit
/// pieces, and each piece gets one of them from every row.
pub(crate) const fn places<const BLOCKS: usize>() -> [u8; BLOCKS] {
    let pieces = BLOCKS / 16;
    let mut places = [0; BLOCKS];
    let mut i = 0;
    while i < BLOCKS {
        places[i] = (i % 16 * pieces + i / 16) as u8;
        i += 1;
    }
    places
}

/// Defines a machine: what it runs on, and the functions that carry its features.
macro_rules! machine {
    ($name:ident $run:ident $table:ident: $unit:ty, $bytes:ty, $few:ident, $route:expr, $token:ty, $galois:expr, $features:literal) => {
        struct $name;

        impl Machine for $name {
            const ROUTE: Route = $route;
            // SAFETY: the table is only handed out for a proof that includes what this takes.
            const GALOIS: Galois = unsafe { $galois };

            fn expand<C: Core>(key: &[u8], decrypt: bool, out: &mut Schedule) {
                #[target_feature(enable = $features)]
                fn with_features<C: Core>(key: &[u8], decrypt: bool, out: &mut Schedule) {
                    // SAFETY: the table is only handed out for the proof.
                    let bytes = unsafe { <$bytes>::assume() };
                    C::expand_in(bytes, key, decrypt, out);
                    wirespeed_kernels_core::clear_vectors!($features);
                }
                // SAFETY: the table is only handed out for the proof that these features are present.
                unsafe { with_features::<C>(key, decrypt, out) }
            }

            fn drive<C: Core>(
                mode: Mode,
                round_keys: &[Block],
                chain: &mut Block,
                data: InOut<'_>,
            ) {
                #[target_feature(enable = $features)]
                fn few<C: Core>(
                    mode: Mode,
                    round_keys: &[Block],
                    chain: &mut Block,
                    data: InOut<'_>,
                ) {
                    // SAFETY: the table is only handed out for the proof.
                    let bytes = unsafe { <$bytes>::assume() };
                    serial::few(In(bytes, PhantomData::<C>), mode, round_keys, chain, data);
                    wirespeed_kernels_core::clear_vectors!($features);
                }
                #[target_feature(enable = $features)]
                fn many(
                    mode: Mode,
                    runs: &Runs<$unit>,
                    round_keys: &[Block],
                    chain: &mut Block,
                    data: InOut<'_>,
                ) {
                    // SAFETY: the table is only handed out for the proof.
                    let unit = unsafe { <$unit>::assume() };
                    waves::drive(unit, mode, runs, round_keys, chain, data);
                    wirespeed_kernels_core::clear_vectors!($features);
                }
                // SAFETY: the table is only handed out for the proof that these features are present.
                unsafe {
                    if data.len() < 16 * (C::$few + 1) {
                        few::<C>(mode, round_keys, chain, data);
                    } else {
                        many(mode, &const { Runs::of::<C::Waves>() }, round_keys, chain, data);
                    }
                }
            }

            fn chain<C: Core>(
                kind: Chain,
                round_keys: &[Block],
                register: &mut Block,
                data: InOut<'_>,
            ) {
                #[target_feature(enable = $features)]
                fn with_features<C: Core>(
                    kind: Chain,
                    round_keys: &[Block],
                    register: &mut Block,
                    data: InOut<'_>,
                ) {
                    // SAFETY: the table is only handed out for the proof.
                    let bytes = unsafe { <$bytes>::assume() };
                    serial::chain(In(bytes, PhantomData::<C>), kind, round_keys, register, data);
                    wirespeed_kernels_core::clear_vectors!($features);
                }
                // SAFETY: the table is only handed out for the proof that these features are present.
                unsafe { with_features::<C>(kind, round_keys, register, data) }
            }
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        pub(super) fn $run<S: Slices, C: Core>(u: S, keys: &[Wide], state: &mut [S::V; 16]) {
            wirespeed_kernels_core::align_stack!();
            // In registers, not where they came from.
            let mut vectors = *state;
            C::run(u, keys, &mut vectors);
            *state = vectors;
        }

        /// The kernels of the route, Camellia's by sums or not.
        pub(in crate::arch) fn $table<const SUMS: bool>(_proof: $token) -> &'static [BlockKernels] {
            &const { tables::<$name, SUMS>() }
        }
    };
}

pub(crate) use machine;
