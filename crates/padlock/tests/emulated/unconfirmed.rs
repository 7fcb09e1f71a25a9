//! The points that only hardware can confirm: the emulator answers all of them as it is assumed.

use wirespeed_cpu::Features;
use wirespeed_padlock::confirm::{Answer, confirm};

/// Looks at every point, prints what was seen, and says how many there were.
pub(crate) fn look() {
    let points = confirm(Features::detect()).expect("processes and memory");
    for point in &points {
        println!("{} {}: {}", point.id, point.subject, point.answer);
        for line in &point.seen {
            println!("    {line}");
        }
        assert!(point.answer != Answer::Otherwise, "{}: {:#?}", point.id, point.seen);
    }
    println!("points: {}", points.len());
}
