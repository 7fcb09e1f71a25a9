//! What is put to the test: each route through each door.

use std::sync::Arc;

use wirespeed_conformance::door::Door;
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_cpu::Features;
use wirespeed_libcrypto::Library;

/// A door to one route, or why there is none here.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) door: Result<Arc<dyn Door>, String>,
}

/// The kernels and the provider, on every route.
pub(crate) fn all(library: Library) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (route, obstacle) in here::routes() {
        let kernels = Kernels::new(route, Features::detect());
        let reason = match (&kernels, obstacle) {
            (_, Some(obstacle)) => Some(obstacle.to_owned()),
            (Err(absent), None) => Some(absent.to_string()),
            (Ok(_), None) => None,
        };
        let door = |door: Result<Arc<dyn Door>, String>| match &reason {
            Some(reason) => Err(reason.clone()),
            None => door,
        };
        subjects.push(Subject {
            name: format!("kernels::{route}"),
            door: door(kernels.map(|it| Arc::new(it) as _).map_err(|it| it.to_string())),
        });
        let provider = if reason.is_some() {
            Err(String::new())
        } else {
            Provider::routed(library, route).map(|it| Arc::new(it) as _)
        };
        subjects.push(Subject { name: format!("provider::{route}"), door: door(provider) });
    }
    subjects
}
