//! The judgement on made-up figures.

#![forbid(unsafe_code)]

use wirespeed_cipher::{Algorithm, Direction, Route, SIZE_CLASSES, Use};
use wirespeed_cpu::{Feature, Features};
use wirespeed_plan::{
    Fingerprint, LibcryptoCode, Plan, Ratio, Row, Time, Trial, judge, judge_constant_time,
    judge_digest, judge_offload,
};

use Direction::{Decrypt, Encrypt};
use Route::{AesNi, Avx2, Kernel, Libcrypto, PadLock, Portable, Sse2, Ssse3, Vaes256, Vaes512};
use Use::{Message, Rekey, Stream};

/// A trial in which the gain is sure to 1 %.
fn trial(direction: Direction, usage: Use, size: usize, route: Route, gain: f64) -> Trial {
    Trial {
        direction,
        usage,
        size,
        route,
        gain: Ratio { low: gain - 0.01, median: gain, high: gain + 0.01 },
        time: Time::new(100.0 / gain, 0.5),
        host: Time::new(100.0, 0.5),
    }
}

/// The same gain at every size.
fn everywhere(direction: Direction, usage: Use, route: Route, gain: f64) -> Vec<Trial> {
    SIZE_CLASSES.map(|size| trial(direction, usage, size, route, gain)).to_vec()
}

fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("known")
}

fn routes(rows: &[Row], direction: Direction) -> Vec<Route> {
    rows.iter().filter(|row| row.direction == direction).map(|row| row.route).collect()
}

/// The routes of CTR, which has one direction.
fn judged(trials: &[Vec<Trial>]) -> Vec<Route> {
    routes(&judge(algorithm("AES-128-CTR"), &trials.concat(), None), Encrypt)
}

fn incumbent(route: Route) -> Plan {
    let mut plan = Plan::new(Fingerprint::here("3.0.18"));
    for size in SIZE_CLASSES {
        let ctr = algorithm("AES-128-CTR");
        plan.put(Row { algorithm: ctr, direction: Encrypt, size, route, reason: None });
    }
    plan
}

fn judged_again(trials: &[Vec<Trial>], standing: Route) -> Vec<Route> {
    let rows = judge(algorithm("AES-128-CTR"), &trials.concat(), Some(&incumbent(standing)));
    routes(&rows, Encrypt)
}

#[test]
fn the_fastest_clear_winner_serves() {
    let trials = [
        everywhere(Encrypt, Message, Vaes512, 2.0),
        everywhere(Encrypt, Message, Vaes256, 1.5),
        everywhere(Encrypt, Message, Libcrypto, 0.8),
    ];
    assert_eq!(judged(&trials), [Vaes512; 10]);
}

/// AMD's Bobcat shuffles bytes by microcode: OpenSSL chooses its code by SSSE3's bit, and so would whoever believes it.
#[test]
fn a_unit_that_is_there_and_slow_does_not_serve() {
    let ours = |route, short: f64, long: f64| {
        let of = |usage| {
            SIZE_CLASSES.map(|size| {
                let gain = if size < 256 { short } else { long };
                trial(Encrypt, usage, size, route, gain)
            })
        };
        [of(Message), of(Stream)].concat()
    };
    let bobcat = [ours(Ssse3, 0.7, 0.95), ours(Sse2, 1.1, 1.9)];
    assert_eq!(judged(&bobcat), [Sse2; 10]);
    // The same bits on a CPU that shuffles at once.
    let penryn = [ours(Ssse3, 1.3, 2.1), ours(Sse2, 1.1, 1.9)];
    assert_eq!(judged(&penryn), [Ssse3; 10]);
}

#[test]
fn within_the_margin_the_host_stays() {
    // 1.035 +- 0.01: the lower bound is 1.025, which is not beyond 3 %.
    assert_eq!(judged(&[everywhere(Encrypt, Message, Vaes512, 1.035)]), [Libcrypto; 10]);
    assert_eq!(judged(&[everywhere(Encrypt, Message, Vaes512, 1.045)]), [Vaes512; 10]);
}

#[test]
fn a_hash_function_is_taken_for_a_clear_gain_over_a_use_and_a_loss_in_none() {
    let judged = |messages: &[f64], streams: &[f64]| {
        let sure = |gain: &f64| Ratio { low: gain - 0.01, median: *gain, high: gain + 0.01 };
        let of = |usage, gains: &[f64]| -> Vec<_> {
            gains.iter().map(|gain| (usage, sure(gain))).collect()
        };
        judge_digest(&[of(Message, messages), of(Stream, streams)].concat())
    };
    assert!(judged(&[1.1, 1.06, 1.0], &[0.99, 1.0, 0.98]));
    assert!(!judged(&[1.06, 1.03, 1.0, 1.0], &[1.02, 1.0, 1.0]));
    assert!(!judged(&[1.2, 1.1, 1.0], &[1.0, 0.95, 1.0]));
    assert!(!judged(&[], &[]));
}

#[test]
fn an_uncertain_gain_is_no_clear_one() {
    let mut wide = everywhere(Encrypt, Message, Vaes512, 1.5);
    wide.iter_mut().for_each(|trial| trial.gain.low = 0.9);
    assert_eq!(judged(&[wide]), [Libcrypto; 10]);
}

#[test]
fn a_route_must_lose_in_no_use() {
    let wins = everywhere(Encrypt, Stream, Vaes512, 1.5);
    let even = everywhere(Encrypt, Message, Vaes512, 1.005);
    assert_eq!(judged(&[wins.clone(), even]), [Vaes512; 10]);
    let loses = everywhere(Encrypt, Rekey, Vaes512, 0.95);
    assert_eq!(judged(&[wins, loses]), [Libcrypto; 10]);
}

#[test]
fn a_route_gets_1024_and_1420_only_if_it_is_right_for_both() {
    let mut trials = everywhere(Encrypt, Message, Vaes512, 2.0);
    for trial in trials.iter_mut().filter(|trial| trial.size == 1420) {
        trial.gain = Ratio { low: 0.99, median: 1.0, high: 1.01 };
    }
    let mut expected = [Vaes512; 10];
    expected[4] = Libcrypto;
    expected[5] = Libcrypto;
    assert_eq!(judged(&[trials]), expected);
}

#[test]
fn of_routes_that_are_alike_the_one_for_most_sizes_serves() {
    let mut ahead = everywhere(Encrypt, Message, Vaes256, 1.48);
    ahead[0] = trial(Encrypt, Message, 16, Vaes256, 1.2);
    ahead[1] = trial(Encrypt, Message, 64, Vaes256, 1.2);
    ahead[3] = trial(Encrypt, Message, 512, Vaes256, 1.51);
    ahead[9] = trial(Encrypt, Message, 65536, Vaes256, 1.60);
    let trials = [everywhere(Encrypt, Message, Vaes512, 1.50), ahead];
    let mut expected = [Vaes512; 10];
    expected[9] = Vaes256;
    assert_eq!(judged(&trials), expected);
}

#[test]
fn an_incumbent_stays_until_it_is_clearly_beaten() {
    let standing = everywhere(Encrypt, Message, Vaes256, 1.50);
    let close = everywhere(Encrypt, Message, Vaes512, 1.55);
    assert_eq!(judged(&[standing.clone(), close.clone()]), [Vaes512; 10]);
    assert_eq!(judged_again(&[standing.clone(), close], Vaes256), [Vaes256; 10]);
    let clear = everywhere(Encrypt, Message, Vaes512, 1.60);
    assert_eq!(judged_again(&[standing, clear], Vaes256), [Vaes512; 10]);
    // Still ahead of the host, if no longer clearly: it stays; behind in any use: it goes.
    let weak = everywhere(Encrypt, Message, Vaes256, 1.02);
    assert_eq!(judged_again(std::slice::from_ref(&weak), Vaes256), [Vaes256; 10]);
    let behind = everywhere(Encrypt, Rekey, Vaes256, 0.97);
    assert_eq!(judged_again(&[weak, behind], Vaes256), [Libcrypto; 10]);
}

#[test]
fn the_host_as_incumbent_is_beaten_by_the_margin_alone() {
    let trials = [everywhere(Encrypt, Message, Vaes512, 1.2)];
    assert_eq!(judged_again(&trials, Libcrypto), [Vaes512; 10]);
    // An incumbent that is not here any more is no incumbent.
    assert_eq!(judged_again(&trials, AesNi), [Vaes512; 10]);
}

#[test]
fn portable_needs_a_clear_gain_like_any_other() {
    assert_eq!(judged(&[everywhere(Encrypt, Message, Portable, 1.2)]), [Portable; 10]);
    let mut trials = everywhere(Encrypt, Message, Vaes512, 1.5);
    trials.retain(|trial| trial.size != 16);
    trials.extend([
        trial(Encrypt, Message, 16, Portable, 1.0),
        trial(Encrypt, Message, 16, Libcrypto, 0.97),
    ]);
    assert_eq!(judged(&[trials])[0], Libcrypto);
}

#[test]
fn where_the_host_stays_a_detour_is_taken_unless_ours_is_clearly_faster_than_that() {
    let large = |trials: Vec<Trial>| -> Vec<Trial> {
        trials.into_iter().filter(|trial| trial.size > 16).collect()
    };
    let wins = large(everywhere(Encrypt, Message, Vaes512, 2.0));
    let ours = trial(Encrypt, Message, 16, Vaes512, 0.97);
    let detour = |gain| trial(Encrypt, Message, 16, Libcrypto, gain);
    let first = |trials: &[Vec<Trial>]| judged(trials)[0];
    assert_eq!(first(&[wins.clone(), vec![ours]]), Libcrypto);
    assert_eq!(first(&[wins.clone(), vec![ours, detour(0.965)]]), Libcrypto);
    assert_eq!(first(&[wins.clone(), vec![ours, detour(0.60)]]), Vaes512);
    // Not clearly faster than the detour, but the detour is slow.
    assert_eq!(first(&[wins, vec![ours, detour(0.955)]]), Vaes512);
}

#[test]
fn one_direction_claims_the_algorithm_for_both() {
    let trials = [
        everywhere(Encrypt, Message, Vaes512, 1.0),
        everywhere(Encrypt, Message, Libcrypto, 0.98),
        everywhere(Decrypt, Message, Vaes512, 2.5),
    ];
    let rows = judge(algorithm("AES-256-CBC"), &trials.concat(), None);
    assert_eq!(routes(&rows, Encrypt), [Libcrypto; 10]);
    assert_eq!(routes(&rows, Decrypt), [Vaes512; 10]);
}

#[test]
fn nothing_is_claimed_at_the_price_of_a_clear_loss_elsewhere() {
    let mut trials = everywhere(Encrypt, Message, Vaes512, 2.0);
    trials[0] = trial(Encrypt, Message, 16, Vaes512, 0.7);
    let detour = |gain| vec![trial(Encrypt, Message, 16, Libcrypto, gain)];
    assert_eq!(judged(&[trials.clone(), detour(0.9)]), [Libcrypto; 10]);
    let claimed = judged(&[trials.clone(), detour(0.97)]);
    assert_eq!((claimed[0], claimed[1]), (Libcrypto, Vaes512));
    // A small loss in one use that another makes up for is none.
    let rekey = vec![trial(Encrypt, Rekey, 16, Vaes512, 1.2)];
    trials[0] = trial(Encrypt, Message, 16, Vaes512, 0.95);
    assert_eq!(judged(&[trials.clone(), rekey.clone(), detour(0.7)]), [Vaes512; 10]);
    // But not a great one.
    trials[0] = trial(Encrypt, Message, 16, Vaes512, 0.85);
    assert_eq!(judged(&[trials, rekey, detour(0.7)]), [Libcrypto; 10]);
}

#[test]
fn short_calls_that_are_handed_on_may_lose_a_tenth_where_packets_win_thirty_times_as_much() {
    let lasting = |mut trial: Trial, nanos: f64| {
        trial.time = Time::new(nanos / trial.gain.median, 0.5);
        trial.host = Time::new(nanos, 0.5);
        trial
    };
    let won_by_packets = |gain: f64| -> Vec<Trial> {
        let mut trials = everywhere(Encrypt, Message, Sse2, gain);
        trials[0] = trial(Encrypt, Message, 16, Sse2, 0.3);
        trials.into_iter().map(|trial| lasting(trial, 5.0 * trial.size as f64 + 40.0)).collect()
    };
    let handed_on = |gain| vec![lasting(trial(Encrypt, Message, 16, Libcrypto, gain), 120.0)];
    let second = |packets, short| judged(&[won_by_packets(packets), handed_on(short)])[1];
    assert_eq!(second(3.0, 0.93), Sse2);
    assert_eq!(second(3.0, 0.87), Libcrypto, "more than a tenth");
    assert_eq!(second(1.012, 0.93), Libcrypto, "no clear gain");
    // A packet wins 350 ns of 7140, thirty short calls lose 270.
    assert_eq!(second(1.05, 0.93), Sse2);
    let dear = vec![lasting(trial(Encrypt, Message, 16, Libcrypto, 0.93), 1200.0)];
    assert_eq!(judged(&[won_by_packets(1.05), dear])[1], Libcrypto, "they lose 2700");
    // Packets of the other direction count: whoever encrypts decrypts elsewhere.
    let mut enc = everywhere(Encrypt, Message, Libcrypto, 0.99);
    enc[0] = trial(Encrypt, Message, 16, Libcrypto, 0.93);
    enc.extend(everywhere(Encrypt, Message, Sse2, 0.5));
    let dec = won_by_packets(2.0).into_iter().map(|it| Trial { direction: Decrypt, ..it });
    let dec: Vec<Trial> = dec.filter(|it| it.size > 16).collect();
    let short = trial(Decrypt, Message, 16, Sse2, 2.0);
    let rows = judge(algorithm("AES-128-CBC"), &[enc, dec, vec![short]].concat(), None);
    assert_eq!(routes(&rows, Encrypt), [Libcrypto; 10]);
    assert_eq!(routes(&rows, Decrypt), [Sse2; 10]);
}

#[test]
fn what_was_not_measured_whole_is_not_judged() {
    let mut trials = everywhere(Encrypt, Message, Vaes512, 2.0);
    trials.pop();
    assert_eq!(judge(algorithm("AES-128-CTR"), &trials, None), []);
    assert_eq!(judge(algorithm("AES-256-CBC"), &trials, None), []);
}

#[test]
fn the_reason_tells_the_use_that_gains_most_and_the_second_best() {
    let trials = [
        everywhere(Encrypt, Message, Vaes512, 1.6),
        everywhere(Encrypt, Stream, Vaes512, 2.0),
        everywhere(Encrypt, Stream, Vaes256, 1.25),
        everywhere(Encrypt, Stream, Portable, 0.1),
    ];
    let rows = judge(algorithm("AES-128-CTR"), &trials.concat(), None);
    let reason = rows[3].reason.expect("measured");
    assert_eq!((reason.usage, reason.second), (Stream, Vaes256));
    assert_eq!([reason.time, reason.second_time].map(Time::nanos), [50.0, 80.0]);
    assert_eq!(reason.libcrypto.nanos(), 100.0);
}

#[test]
fn where_the_host_stays_the_reason_tells_the_best_of_ours() {
    let trials =
        [everywhere(Encrypt, Message, Vaes512, 1.01), everywhere(Encrypt, Message, Libcrypto, 0.8)];
    let rows = judge(algorithm("AES-128-CTR"), &trials.concat(), None);
    let reason = rows[0].reason.expect("measured");
    assert_eq!((rows[0].route, reason.second), (Libcrypto, Vaes512));
    // Not claimed, so no detour: its time is the host's own.
    assert_eq!(reason.time.nanos(), 100.0);
}

/// A route whose gain grows with the size: 0.02 at 16 bytes, and so on.
fn rising(usage: Use, route: Route, gains: [f64; 10]) -> Vec<Trial> {
    let sizes = SIZE_CLASSES.into_iter().zip(gains);
    sizes.map(|(size, gain)| trial(Encrypt, usage, size, route, gain)).collect()
}

const OFFLOADED: [f64; 10] = [0.02, 0.05, 0.1, 0.3, 0.7, 0.8, 1.2, 1.6, 2.0, 3.0];

#[test]
fn the_kernel_gets_the_cells_where_it_beats_the_host_and_us() {
    let ours = everywhere(Encrypt, Message, AesNi, 1.5);
    let mut expected = [AesNi; 10];
    expected[7..].fill(Kernel);
    assert_eq!(judged(&[ours, rising(Message, Kernel, OFFLOADED)]), expected);
    // Alone with the host: what it does not win stays there.
    let mut expected = [Libcrypto; 10];
    expected[6..].fill(Kernel);
    assert_eq!(judged(&[rising(Message, Kernel, OFFLOADED)]), expected);
    // A new key for each message costs it a socket each.
    let rekey = rising(Rekey, Kernel, OFFLOADED.map(|gain| gain / 2.0));
    expected[6..9].fill(Libcrypto);
    let judged = judged(&[rising(Message, Kernel, OFFLOADED), rekey]);
    assert_eq!(judged[..8], [Libcrypto; 8]);
    assert_eq!(judged[9], Kernel);
}

#[test]
fn what_has_no_rows_goes_to_the_kernel_from_its_break_even_on() {
    let kernel = rising(Message, Kernel, OFFLOADED);
    let judged = |trials: &[Vec<Trial>], incumbent| {
        judge_offload(Kernel, Encrypt, &trials.concat(), incumbent)
    };
    assert_eq!(judged(std::slice::from_ref(&kernel), None), Some(4096));
    // In the other direction nothing was measured.
    assert_eq!(judge_offload(Kernel, Decrypt, &kernel, None), None);
    // Not where it is slower in another use, or slower than a route in the process.
    let stream = rising(Stream, Kernel, OFFLOADED.map(|gain| gain * 0.7));
    assert_eq!(judged(&[kernel.clone(), stream], None), Some(8192));
    let ours = everywhere(Encrypt, Message, PadLock, 1.8);
    assert_eq!(judged(&[kernel.clone(), ours], None), Some(16384));
    // A gain in the middle is none.
    let mut late = OFFLOADED;
    late[8] = 0.9;
    assert_eq!(judged(&[rising(Message, Kernel, late)], None), Some(65536));
    late[9] = 0.9;
    assert_eq!(judged(&[rising(Message, Kernel, late)], None), None);
}

#[test]
fn a_break_even_stays_until_the_kernel_falls_behind() {
    // Ahead at 4096, if not clearly.
    let mut close = OFFLOADED;
    close[6] = 1.02;
    let judged =
        |incumbent| judge_offload(Kernel, Encrypt, &rising(Message, Kernel, close), incumbent);
    assert_eq!(judged(None), Some(8192));
    assert_eq!(judged(Some(4096)), Some(4096));
    assert_eq!(judged(Some(1024)), Some(4096));
    assert_eq!(judged(Some(65536)), Some(8192));
}

/// Camellia's tables are everywhere, so this needs no CPU.
fn judged_for_constant_time(name: &str, trials: &[Vec<Trial>]) -> Vec<Row> {
    let libcrypto = LibcryptoCode::of("3.0.18", Features::NONE);
    judge_constant_time(algorithm(name), &trials.concat(), None, libcrypto)
}

fn forced(rows: &[Row]) -> Vec<usize> {
    let forced = rows.iter().filter(|row| row.reason.is_some_and(|reason| reason.constant_time));
    forced.map(|row| row.size).collect()
}

#[test]
fn for_constant_time_ours_serves_where_libcrypto_looks_up_in_tables() {
    let mut trials = everywhere(Encrypt, Message, Portable, 0.5);
    trials.extend(rising(Rekey, Portable, [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4]));
    trials.extend(everywhere(Encrypt, Message, Libcrypto, 0.99));
    let trials = [trials];
    let name = "CAMELLIA-128-CTR";
    assert_eq!(judge(algorithm(name), &trials.concat(), None)[9].route, Libcrypto);
    let rows = judged_for_constant_time(name, &trials);
    assert_eq!(routes(&rows, Encrypt), [Portable; 10]);
    assert_eq!(forced(&rows), SIZE_CLASSES);
    // The figures are of the use in which it costs most.
    let reason = rows[9].reason.expect("measured");
    assert_eq!((reason.usage, reason.time.nanos(), reason.second), (Message, 200.0, Libcrypto));
    assert_eq!(rows[0].reason.expect("measured").usage, Rekey);
}

#[test]
fn for_constant_time_the_fastest_of_ours_serves_and_only_what_speed_did_not_choose_is_marked() {
    let mut fast = everywhere(Encrypt, Message, Vaes256, 2.0);
    fast[0] = trial(Encrypt, Message, 16, Vaes256, 0.7);
    let slow = everywhere(Encrypt, Message, Portable, 0.6);
    let detour = everywhere(Encrypt, Message, Libcrypto, 0.99);
    let rows = judged_for_constant_time("CAMELLIA-256-OFB", &[fast, slow, detour]);
    assert_eq!(routes(&rows, Encrypt), [Vaes256; 10]);
    assert_eq!(forced(&rows), [16]);
    let reason = rows[0].reason.expect("measured");
    assert_eq!((reason.libcrypto.nanos() / reason.time.nanos() * 100.0).round(), 70.0);
}

#[test]
fn for_constant_time_nothing_changes_where_libcrypto_has_no_tables() {
    let trials =
        [everywhere(Encrypt, Message, Portable, 0.5), everywhere(Encrypt, Message, Libcrypto, 0.9)];
    let rows = judged_for_constant_time("ChaCha20", &trials);
    assert_eq!(routes(&rows, Encrypt), [Libcrypto; 10]);
    assert_eq!(forced(&rows), [0; 0]);
    let rows = judge(algorithm("ChaCha20"), &trials.concat(), None);
    assert_eq!(judged_for_constant_time("ChaCha20", &trials), rows);
}

#[test]
fn for_constant_time_the_kernel_gets_nothing_and_what_nobody_else_runs_stays() {
    let kernel = everywhere(Encrypt, Message, Kernel, 3.0);
    let ours = everywhere(Encrypt, Message, Portable, 0.5);
    let rows = judged_for_constant_time("ARIA-128-CTR", &[kernel.clone(), ours]);
    assert_eq!(routes(&rows, Encrypt), [Portable; 10]);
    let detour = everywhere(Encrypt, Message, Libcrypto, 0.99);
    let rows = judged_for_constant_time("ARIA-128-CTR", &[kernel, detour]);
    assert_eq!(routes(&rows, Encrypt), [Libcrypto; 10]);
    assert_eq!(forced(&rows), [0; 0]);
}

#[test]
fn for_constant_time_two_that_are_alike_do_not_take_turns() {
    let [one, other] = [(Vaes256, 0.80), (Vaes512, 0.81)]
        .map(|(route, gain)| everywhere(Encrypt, Message, route, gain));
    let libcrypto = LibcryptoCode::of("3.0.18", Features::NONE);
    let name = algorithm("CAMELLIA-128-CTR");
    let trials = [one, other].concat();
    let first = judge_constant_time(name, &trials, None, libcrypto);
    assert_eq!(routes(&first, Encrypt), [Vaes512; 10]);
    let mut standing = Plan::new(Fingerprint::here("3.0.18")).for_constant_time();
    for row in first {
        standing.put(Row { route: Vaes256, ..row });
    }
    let again = judge_constant_time(name, &trials, Some(&standing), libcrypto);
    assert_eq!(routes(&again, Encrypt), [Vaes256; 10]);
}

/// The other direction's calls are handed on where that is no loss.
#[test]
fn for_constant_time_what_has_no_tables_is_judged_by_speed() {
    // vpaes encrypts CBC in constant time, and bsaes' keys are made with tables.
    let libcrypto = LibcryptoCode::of("3.0.18", Features::detect().without(Feature::Aes));
    let cbc = algorithm("AES-128-CBC");
    let looks_up = |direction| libcrypto.looks_up(cbc, direction).is_some();
    if looks_up(Encrypt) || !looks_up(Decrypt) {
        return println!("skipped: this CPU has no SSSE3");
    }
    let trials = [
        everywhere(Encrypt, Message, Avx2, 0.3),
        everywhere(Encrypt, Message, Libcrypto, 0.98),
        everywhere(Decrypt, Message, Avx2, 0.9),
        everywhere(Decrypt, Message, Libcrypto, 0.98),
    ];
    let rows = judge_constant_time(cbc, &trials.concat(), None, libcrypto);
    assert_eq!(routes(&rows, Encrypt), [Libcrypto; 10]);
    assert_eq!(routes(&rows, Decrypt), [Avx2; 10]);
}
