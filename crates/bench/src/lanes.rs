//! A case with several messages in the kernel at once.

use std::sync::Arc;

use wirespeed_af_alg::batch::{Batch, Request, Submission};
use wirespeed_af_alg::{Absent as NotThere, Error, Kind, Permission, Transform};
use wirespeed_cipher::{InOut, Use};

use crate::candidate::Absent;
use crate::case::Case;
use crate::form::TAG_BYTES;
use crate::material::{Buffer, Material};
use crate::worker::{Message, Worker};

/// A case on as many sockets as there are lanes.
pub(crate) struct Lanes {
    case: Case,
    material: Arc<Material>,
    batch: Batch,
    /// The IV and the output of each message in flight.
    lanes: Vec<(Vec<u8>, Buffer)>,
}

impl Lanes {
    pub(crate) fn new(
        transform: &'static Transform,
        count: usize,
        permission: Permission,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Self, Error> {
        let refuse = |why: &str| Err(Error::Absent(NotThere(why.to_owned())));
        if !matches!(transform.kind, Kind::Cipher { .. }) {
            return refuse("only ciphers run several requests at once");
        }
        if case.usage != Use::Message {
            return refuse("requests that run at once are messages under one key");
        }
        let batch = Batch::open(transform, None, &material.key, count, permission)?;
        if batch.submission() == Submission::OneByOne {
            return refuse("this Linux runs no requests at once: it has no io_uring for us");
        }
        let lane = |_| (material.iv.clone(), Buffer::new(case.size, 0));
        let lanes = (0..count).map(lane).collect();
        Ok(Self { case, material, batch, lanes })
    }

    /// So many messages at once.
    fn messages(&mut self, count: usize) -> Result<(), Error> {
        let Self { case, material, batch, lanes } = self;
        let requests = lanes.iter_mut().take(count).map(|(iv, output)| {
            iv.copy_from_slice(&material.iv);
            let data = InOut::between(material.input.bytes(), output.bytes_mut());
            Request { direction: case.direction, iv, data, done: false }
        });
        batch.crypt(&mut requests.collect::<Vec<_>>())
    }
}

impl Worker for Lanes {
    fn run(&mut self, calls: u64) -> Result<(), Absent> {
        let most = self.lanes.len() as u64;
        let mut left = calls;
        while left > 0 {
            let count = left.min(most);
            self.messages(count as usize).map_err(|why| Absent(why.to_string()))?;
            left -= count;
        }
        Ok(())
    }

    fn result(&mut self) -> Result<Message, Absent> {
        self.messages(self.lanes.len()).map_err(|why| Absent(why.to_string()))?;
        let mut outputs = self.lanes.iter().map(|(_, output)| output.bytes());
        let first = outputs.next().expect("a batch has lanes");
        if outputs.any(|other| other != first) {
            return Err(Absent("messages that run at once come out different".to_owned()));
        }
        Ok((first.to_vec(), [0; TAG_BYTES]))
    }

    fn at_once(&self) -> u64 {
        self.lanes.len() as u64
    }

    fn system_calls(&self) -> Option<u64> {
        Some(self.batch.system_calls())
    }
}
