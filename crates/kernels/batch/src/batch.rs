//! Messages that are there, and messages that come in pieces.

use zeroize::Zeroize;

use crate::Lanes;
use crate::hash::{Hash, LONGEST_BLOCK};
use crate::lanes::ShortChain;
use crate::schedule::{self, Job};

/// The hash of each message.
pub fn hash_all(lanes: &Lanes, messages: &[&[u8]]) -> Vec<Hash> {
    let mut chains = vec![lanes.digest.initial(); messages.len()];
    let jobs = chains.iter_mut().zip(messages).map(|(chain, data)| Job {
        chain,
        first: &[],
        data,
        end: Some(data.len() as u128),
    });
    schedule::run(lanes, &mut jobs.collect::<Vec<_>>());
    Hash::all(lanes.digest, &chains)
}

/// What a stream gets next.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// Bytes of its message, perhaps none.
    More(&'a [u8]),
    /// The last bytes of its message, perhaps none. What comes then is another message's.
    Last(&'a [u8]),
}

/// Streams that are hashed side by side, independent of one another.
pub struct Batch {
    lanes: Lanes,
    streams: Vec<Stream>,
}

/// A message of which a part is hashed.
struct Stream {
    chain: ShortChain,
    /// The open block, filled up to the length's rest.
    open: [u8; LONGEST_BLOCK],
    /// Bytes of the message.
    length: u128,
}

impl Batch {
    /// So many streams, each before its first message.
    pub fn new(lanes: Lanes, streams: usize) -> Self {
        let chain = lanes.digest.initial();
        let stream = |_| Stream { chain, open: [0; LONGEST_BLOCK], length: 0 };
        Self { lanes, streams: (0..streams).map(stream).collect() }
    }

    /// How the streams are hashed.
    pub const fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Gives every stream its next piece, and `done` the hash of each message that ended.
    ///
    /// # Panics
    /// If there are not as many pieces as streams.
    pub fn feed(&mut self, pieces: &[Piece<'_>], mut done: impl FnMut(usize, Hash)) {
        assert_eq!(pieces.len(), self.streams.len(), "each stream gets a piece");
        let digest = self.lanes.digest;
        let block_bytes = digest.block_bytes();
        let jobs = self.streams.iter_mut().zip(pieces);
        let jobs = jobs.filter_map(|(stream, piece)| stream.job(block_bytes, piece));
        schedule::run(&self.lanes, &mut jobs.collect::<Vec<_>>());
        for (index, (stream, piece)) in self.streams.iter_mut().zip(pieces).enumerate() {
            match piece {
                Piece::More(data) => stream.keep(block_bytes, data),
                Piece::Last(_) => {
                    done(index, Hash::of(digest, &stream.chain));
                    stream.chain = digest.initial();
                    stream.length = 0;
                }
            }
        }
    }

    /// Forgets what a stream has got of its message.
    pub fn reset(&mut self, stream: usize) {
        self.streams[stream].chain = self.lanes.digest.initial();
        self.streams[stream].length = 0;
    }
}

impl Stream {
    /// What there is to hash when a piece comes, if anything is.
    fn job<'a>(&'a mut self, block_bytes: usize, piece: &Piece<'a>) -> Option<Job<'a>> {
        let (Piece::More(data) | Piece::Last(data)) = *piece;
        let filled = (self.length % block_bytes as u128) as usize;
        self.length += data.len() as u128;
        let (head, rest) = match filled {
            0 => data.split_at(0),
            _ => data.split_at(data.len().min(block_bytes - filled)),
        };
        self.open[filled..filled + head.len()].copy_from_slice(head);
        let open = &self.open[..filled + head.len()];
        // A block that is still open is all that there is.
        let (first, data): (&[u8], _) =
            if open.len() == block_bytes || open.is_empty() { (open, rest) } else { (&[], open) };
        let end = matches!(piece, Piece::Last(_)).then_some(self.length);
        let whole = first.len() + data.len() >= block_bytes;
        (end.is_some() || whole).then_some(Job { chain: &mut self.chain, first, data, end })
    }

    /// Keeps the bytes of the open block that were not in it already.
    fn keep(&mut self, block_bytes: usize, data: &[u8]) {
        let filled = (self.length % block_bytes as u128) as usize;
        // Otherwise the whole piece went into the block that is still open.
        if let Some(whole) = data.len().checked_sub(filled) {
            self.open[..filled].copy_from_slice(&data[whole..]);
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.chain.zeroize();
        self.open.zeroize();
    }
}
