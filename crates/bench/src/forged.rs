//! A kernel that tests make up: its drivers are our portable code, asleep, or wrong.

use std::sync::Arc;
use std::time::Duration;

use wirespeed_af_alg::Interface;
use wirespeed_cipher::{Direction, Route, Subject, Use};
use wirespeed_cpu::Features;
use wirespeed_libcrypto::Library;
use wirespeed_measure::Effort;

use crate::candidate::{Absent, Candidate};
use crate::case::Case;
use crate::contest::{Contest, Trouble};
use crate::direct::Direct;
use crate::harness::Harness;
use crate::material::Material;
use crate::offload::{Offload, Socket};
use crate::proof::{Difference, prove_subject_against_host};
use crate::worker::{Message, Worker};

/// Drivers for AES alone: "good", which the kernel prefers, "bad", which changes one bit of long
/// messages and passes the kernel's own proof, and "gone", which fails once it is measured.
struct Forged;

impl Offload for Forged {
    fn presence(&self, _: Interface) -> Result<(), Absent> {
        Ok(())
    }

    fn presence_of(&self, socket: Socket, subject: Subject) -> Result<(), Absent> {
        match (subject, socket.driver) {
            (Subject::Cipher(_), None | Some("good" | "bad" | "gone")) => Ok(()),
            _ => Err(Absent("this kernel has none".to_owned())),
        }
    }

    fn prove(&self, socket: Socket, subject: Subject) -> Result<usize, String> {
        self.presence_of(socket, subject).map(|()| 1).map_err(|why| why.to_string())
    }

    fn worker(
        &self,
        socket: Socket,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Box<dyn Worker>, Absent> {
        self.presence_of(socket, case.subject)?;
        let algorithm = case.subject.cipher().expect("a cipher");
        let direct = Direct::new(Route::Portable, Features::NONE, algorithm, case, material)
            .expect("the portable route needs nothing");
        let [is_bad, is_gone] = ["bad", "gone"].map(|name| socket.driver == Some(name));
        Ok(Box::new(Sleeper { direct, is_bad, is_gone, calls: 0 }))
    }
}

/// Two system calls and some sleep for each message.
struct Sleeper {
    direct: Direct,
    is_bad: bool,
    is_gone: bool,
    calls: u64,
}

impl Worker for Sleeper {
    fn run(&mut self, calls: u64) -> Result<(), Absent> {
        if self.is_gone {
            return Err(Absent("no such device".to_owned()));
        }
        self.calls += 2 * calls;
        std::thread::sleep(Duration::from_millis(2 * calls));
        self.direct.run(calls)
    }

    fn result(&mut self) -> Result<Message, Absent> {
        let (mut bytes, tag) = self.direct.message();
        if self.is_bad && bytes.len() > 1000 {
            bytes[1000] ^= 1;
        }
        Ok((bytes, tag))
    }

    fn system_calls(&self) -> Option<u64> {
        Some(self.calls)
    }
}

fn harness() -> Harness {
    let library = Library::host().expect("these tests need libcrypto");
    Harness::with_offload(Ok(library), Features::detect(), Box::new(Forged))
}

fn subject(name: &str) -> Subject {
    name.parse().expect("known")
}

fn case(name: &str, size: usize) -> Case {
    Case::new(subject(name), Direction::Encrypt, Use::Message, size).expect("a case")
}

#[test]
fn a_driver_with_wrong_results_is_told_apart_from_a_good_one() {
    let harness = harness();
    let (good, bad) = (Candidate::Driver("good"), Candidate::Driver("bad"));
    let cbc = subject("AES-128-CBC");
    assert_eq!(harness.prove_offload(bad, cbc), Ok(1), "the kernel's own proof is not enough");
    assert!(prove_subject_against_host(&harness, good, cbc).expect("right") > 10);
    let wrong = prove_subject_against_host(&harness, bad, cbc).expect_err("wrong");
    assert!(matches!(wrong, Difference::Bytes(case) if case.size > 1000), "{wrong}");
    // Of an AEAD it is the tag that shows it, in decryption as well.
    let gcm =
        Case::new(subject("AES-128-GCM"), Direction::Decrypt, Use::Message, 2048).expect("a case");
    let contest = Contest::plain(&harness, Effort::lasting(0.0));
    let trouble = contest.measure(gcm, &[bad, Candidate::Host], &|| ());
    assert_eq!(trouble.expect_err("wrong"), Trouble::Wrong(gcm, bad), "whatever the order");
    // And no contest is held with it, however short the proof was.
    let contest = Contest {
        harness: &harness,
        effort: Effort::lasting(0.0),
        threads: 1,
        limits: false,
        elapsed: true,
    };
    let trouble = contest.measure(case("AES-128-CBC", 2048), &[Candidate::Host, bad], &|| ());
    assert_eq!(trouble.expect_err("wrong"), Trouble::Wrong(case("AES-128-CBC", 2048), bad));
}

/// With the others' threads, too, which wait for one another.
#[test]
fn a_driver_that_fails_in_a_contest_ends_it_with_its_reason() {
    let harness = harness();
    let effort = Effort::lasting(0.0);
    let gone = Candidate::Driver("gone");
    for threads in [1, 3] {
        let contest = Contest { harness: &harness, effort, threads, limits: true, elapsed: true };
        let trouble = contest.measure(case("AES-128-CBC", 1024), &[Candidate::Host, gone], &|| ());
        let why = Absent("no such device".to_owned());
        assert_eq!(trouble.expect_err("it fails"), Trouble::Absent(gone, why));
    }
}

#[test]
fn who_sleeps_is_slow_in_time_and_cheap_in_cpu_time() {
    let harness = harness();
    let effort = Effort::lasting(0.0);
    let contest = Contest { harness: &harness, effort, threads: 1, limits: false, elapsed: true };
    let pair = [Candidate::Kernels(Route::Portable), Candidate::Driver("good")];
    let measured = contest.measure(case("AES-128-CBC", 1024), &pair, &|| ()).expect("measured");
    let [elapsed, cpu] = [
        measured.ratio(pair[0], pair[1]).expect("both ran").median,
        measured.cpu_ratio(pair[0], pair[1]).expect("both ran").median,
    ];
    // The same work, and 2 ms of sleep, which cost little CPU time.
    assert!(elapsed < 0.5 && cpu > 2.0 * elapsed, "{elapsed} {cpu}");
    let rows: Vec<_> = measured.rows().collect();
    let [ours, offload] = &rows[..] else { panic!("{rows:?}") };
    let who = (ours.route.as_str(), ours.driver.as_deref(), ours.system_calls);
    assert_eq!(who, ("portable", None, None));
    let who = (offload.route.as_str(), offload.driver.as_deref(), offload.system_calls);
    assert_eq!((who, offload.api_path.as_str()), (("kernel", Some("good"), Some(2.0)), "direct"));
    let (Some(cpu), Some(cost)) = (offload.cpu_ns, offload.cpu_s_per_gib) else {
        panic!("{rows:?}")
    };
    let expected = cpu * 1e-9 * (1u64 << 30) as f64 / 1024.0;
    assert!((cost / expected - 1.0).abs() < 1e-9);
}

#[test]
fn what_a_kernel_lacks_is_absent() {
    let harness = harness();
    let kernel = Candidate::Kernels(Route::Kernel);
    assert_eq!(harness.presence(kernel), Ok(()));
    assert!(harness.knows(kernel, subject("AES-256-XTS")));
    assert!(!harness.knows(kernel, subject("SHA1")));
    assert!(!harness.knows(Candidate::Driver("other"), subject("AES-256-XTS")));
    assert!(harness.runner(kernel, case("DES-EDE3-CBC", 64)).is_err());
}
