//! What units of byte slices write alike on x86.

/// What the units write alike.
macro_rules! common {
    (
        $vector:ident of $blocks:literal, then $narrow:ty,
        $load:ident $store:ident $xor:ident $and:ident $or:ident $add:ident
        $splat8:ident $splat32:ident $low:ident $high:ident
    ) => {
        type V = $vector;
        type Narrow = $narrow;
        const BLOCKS: usize = $blocks;

        #[inline(always)]
        fn narrow(self) -> Self::Narrow {
            // SAFETY: this unit proves the features, which are the same for all widths.
            unsafe { Self::Narrow::assume() }
        }

        #[inline(always)]
        fn xor(self, a: $vector, b: $vector) -> $vector {
            call!($xor(a, b))
        }

        #[inline(always)]
        fn and(self, a: $vector, b: $vector) -> $vector {
            call!($and(a, b))
        }

        #[inline(always)]
        fn or(self, a: $vector, b: $vector) -> $vector {
            call!($or(a, b))
        }

        #[inline(always)]
        fn splat(self, byte: u32) -> $vector {
            call!($splat32(byte as i32))
        }

        #[inline(always)]
        fn count(self, from: u8) -> $vector {
            static PLACES: [u8; $blocks] = places();
            // SAFETY: there are as many bytes as blocks.
            let places = unsafe { self.load(PLACES.as_ptr()) };
            let first = call!($splat8(from as i8));
            call!($add(first, places))
        }

        #[inline(always)]
        unsafe fn load(self, from: *const u8) -> $vector {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { $load(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8, row: $vector) {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { $store(to.cast(), row) };
        }

        #[inline(always)]
        fn slice(self, rows: [$vector; 16]) -> [$vector; 16] {
            transpose!(rows, $low, $high)
        }

        #[inline(always)]
        fn unslice(self, slices: [$vector; 16]) -> [$vector; 16] {
            transpose!(slices, $low, $high)
        }
    };
}

pub(super) use common;
