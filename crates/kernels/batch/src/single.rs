//! One message at a time, for when too few are left to fill the lanes.

use wirespeed_cipher::{Compression, HashKernels, Route};
use wirespeed_cpu::Features;

/// The best single stream here.
pub(crate) fn best(compression: Compression, features: Features) -> &'static HashKernels {
    let of = |route: &Route| wirespeed_kernels::hash(*route, compression, features).ok();
    wirespeed_kernels::ROUTES.iter().find_map(of).expect("the portable route has them all")
}

/// A single stream on any machine.
pub(crate) fn portable(compression: Compression) -> &'static HashKernels {
    let kernels = wirespeed_kernels::hash(Route::Portable, compression, Features::NONE);
    kernels.expect("the portable route has them all")
}
