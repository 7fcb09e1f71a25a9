//! The instructions of VIA's and Zhaoxin's PadLock, each behind the proof that this CPU has it.

pub mod health;
