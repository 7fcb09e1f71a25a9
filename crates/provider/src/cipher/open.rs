//! Input that waits: less than a block, or a whole block held back because it may be the padding.

use wirespeed_cipher::InOut;

use super::padding;
use crate::call::Call;
use crate::error::CallError;

/// The block that is open between calls.
#[derive(Clone, Copy)]
pub(super) struct Open<const BLOCK: usize> {
    bytes: [u8; BLOCK],
    filled: usize,
}

impl<const BLOCK: usize> Open<BLOCK> {
    pub(super) const EMPTY: Self = Self { bytes: [0; BLOCK], filled: 0 };

    pub(super) const fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Keeps the end of an input, less than a block, when nothing waits.
    #[inline]
    pub(super) fn keep(&mut self, call: &Call<'_>, from: usize) {
        self.filled = call.read(from, &mut self.bytes);
    }

    /// What waits.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Runs the whole blocks that there are now; with `holds_back` the last of them waits. Tells how many
    /// bytes were written.
    pub(super) fn update(
        &mut self,
        call: Call<'_>,
        holds_back: bool,
        mut run: impl FnMut(InOut<'_>) -> Result<(), CallError>,
    ) -> Result<usize, CallError> {
        let mut taken = 0;
        let mut written = 0;
        if self.filled > 0 {
            taken = call.read(0, &mut self.bytes[self.filled..]);
            self.filled += taken;
        }
        let rest = call.length() - taken;
        if self.filled == BLOCK && (rest > 0 || !holds_back) {
            if call.capacity() < BLOCK {
                return Err(CallError::TOO_SMALL);
            }
            run(InOut::in_place(&mut self.bytes))?;
            call.write(0, &self.bytes)?;
            self.filled = 0;
            written = BLOCK;
        }
        let mut whole = rest - rest % BLOCK;
        if whole > 0 && whole == rest && holds_back {
            whole -= BLOCK;
        }
        if whole > 0 {
            run(call.part(taken, written, whole)?)?;
        }
        if rest > whole {
            let from = self.filled;
            self.filled += call.read(taken + whole, &mut self.bytes[from..]);
        }
        Ok(written + whole)
    }

    /// The end of a message. Tells how many bytes were written.
    pub(super) fn finish(
        &mut self,
        call: Call<'_>,
        encrypts: bool,
        padded: bool,
        mut run: impl FnMut(InOut<'_>) -> Result<(), CallError>,
    ) -> Result<usize, CallError> {
        if self.filled == 0 && !padded {
            return Ok(0);
        }
        if encrypts {
            if padded {
                padding::add(&mut self.bytes, self.filled);
            } else if self.filled != BLOCK {
                return Err(CallError::WRONG_FINAL_BLOCK);
            }
            if call.capacity() < BLOCK {
                return Err(CallError::TOO_SMALL);
            }
            run(InOut::in_place(&mut self.bytes))?;
            call.write(0, &self.bytes)?;
            self.filled = 0;
            return Ok(BLOCK);
        }
        if self.filled != BLOCK {
            return Err(CallError::WRONG_FINAL_BLOCK);
        }
        run(InOut::in_place(&mut self.bytes))?;
        let data = if padded { padding::remove(&self.bytes)? } else { &self.bytes };
        call.write(0, data)?;
        let written = data.len();
        self.filled = 0;
        Ok(written)
    }
}
