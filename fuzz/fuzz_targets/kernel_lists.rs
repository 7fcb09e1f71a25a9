//! Any list of the kernel's drivers is read without a panic, from /proc/crypto or from a socket, and of one
//! algorithm one driver serves.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wirespeed_af_alg::drivers::{self, Modules};
use wirespeed_af_alg::netlink::{self, Answer};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let drivers = drivers::parse(text);
        let serving = drivers.iter().filter(|driver| driver.serves);
        let mut names: Vec<_> = serving.map(|it| (&it.algorithm, &it.kind)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "two serve the same");
        let modules = Modules::of_text(text.to_owned());
        let _ = drivers.iter().filter(|driver| driver.is_device(&modules)).count();
    }
    // The first four bytes choose the question, so that answers to it are found.
    if let Some((sequence, datagram)) = data.split_first_chunk() {
        if let Ok(answers) = netlink::answers(datagram, u32::from_ne_bytes(*sequence)) {
            // A message is no shorter than its header.
            assert!(answers.len() <= datagram.len() / 16);
            let named = |answer: &Answer| match answer {
                Answer::Driver(driver) => driver.driver.len() <= 3 * 64,
                Answer::End | Answer::Result(_) | Answer::Other => true,
            };
            assert!(answers.iter().all(named));
        }
    }
});
