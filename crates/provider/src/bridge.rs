//! Names of crates/kernel that are being written.
#![allow(missing_docs, unreachable_pub, clippy::missing_const_for_fn)]
use wirespeed_kernel::*;
fn absent() -> Absent {
    Absent("not written yet".to_owned())
}
pub fn presence() -> Result<(), Absent> {
    Err(absent())
}
pub fn presence_of(_: &Transform, _: Option<&str>) -> Result<(), Absent> {
    Err(absent())
}
pub fn self_test(_: &'static Transform, _: Option<&str>, _: Permission) -> Result<(), Error> {
    Err(Error::Absent(absent()))
}
pub struct Hash;
impl Hash {
    pub fn open(
        _: &'static Transform,
        _: Option<&str>,
        _: Option<&[u8]>,
        _: Permission,
    ) -> Result<Self, Error> {
        Err(Error::Absent(absent()))
    }
    pub fn update(&mut self, _: &[u8]) -> Result<(), Error> {
        Err(Error::Absent(absent()))
    }
    pub fn finish(&mut self, _: &mut [u8]) -> Result<(), Error> {
        Err(Error::Absent(absent()))
    }
    pub fn reset(&mut self) -> Result<(), Error> {
        Err(Error::Absent(absent()))
    }
    pub fn try_clone(&self) -> Result<Self, Error> {
        Err(Error::Absent(absent()))
    }
}
