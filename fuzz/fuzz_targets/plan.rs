//! Any plan is read without a panic, and one that is good is the same when written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wirespeed_plan::Plan;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(plan) = Plan::parse(text) {
        let written = plan.to_string();
        let again = Plan::parse(&written).expect("what we write can be read");
        assert_eq!(again.to_string(), written);
    }
});
