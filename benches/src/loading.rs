//! How long `OSSL_PROVIDER_load` takes for the module, its plan included, and how long it is until a first cipher is
//! ready, which is proved then.

use wirespeed_libcrypto::{Context, Direction, Error, Library};
use wirespeed_measure::statistics::Estimate;
use wirespeed_measure::{Clock, ThreadTime};

use crate::Bench;
use crate::module::{Module, NAME};
use crate::report::{Report, Verdict};
use crate::requirements::LOADING;

/// Loads of each kind.
const LOADS: usize = 101;

/// A stock module, for comparison.
const STOCK: &str = "legacy";

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    if !bench.wants_words("loading load module") {
        return;
    }
    println!("\nLoading the module in a fresh library context, CPU time of OSSL_PROVIDER_load");
    let module = match Module::of_this_build(library) {
        Ok(module) => module,
        Err(why) => return report.fail("load", why),
    };
    if !bench.tuned.is_there() {
        return report.fail("load", "there is no plan");
    }
    let planned = format!("plan = {}", bench.tuned.plan().display());
    let ours = |keys: &str, then: Then| {
        // The plan is used, and not passed over for some fault.
        let times = loads(|| module.context(keys), NAME, then)?;
        let context = module.context(keys)?;
        context.load(NAME).map_err(|why| why.to_string())?;
        let plan = context.provider_text(NAME, c"wirespeed-plan").ok().flatten();
        let expected = keys.strip_prefix("plan = ").unwrap_or("none: default priority");
        if plan.as_deref() == Some(expected) {
            Ok(times)
        } else {
            Err(format!("the plan is {}", plan.unwrap_or_default()))
        }
    };
    let planned = planned.as_str();
    let kinds: [(&str, &str, Then); 4] = [
        ("by the default priority", "", |_| Ok(())),
        ("by the default priority, and a first AES-256-GCM", "", first_cipher),
        ("by this machine's plan", planned, |_| Ok(())),
        ("by this machine's plan, and a first AES-256-GCM", planned, first_cipher),
    ];
    for (title, keys, then) in kinds {
        match ours(keys, then) {
            Err(why) => report.fail(title, why),
            Ok((times, first)) => {
                let verdict = Verdict::of_cost(times.median, LOADING);
                report.count(verdict);
                println!("{} at most {LOADING} ms   {verdict}", line(title, &times, first));
            }
        }
    }
    let stock = loads(|| Context::new(library).map_err(|why| why.to_string()), STOCK, |_| Ok(()));
    match stock {
        Ok((times, first)) => {
            println!("{} for comparison", line("OpenSSL's own module legacy", &times, first));
        }
        Err(why) => println!("OpenSSL's own module legacy: skipped: {why}"),
    }
}

/// The median, and the first load, which finds the file's pages and nothing else ready.
fn line(title: &str, times: &Estimate, first: f64) -> String {
    let spread = (times.high - times.low) / 2.0;
    format!("{title:<56} {:>6.3} ms ±{spread:<5.3} (first {first:.3})", times.median)
}

/// What is done with what was loaded.
type Then = fn(&Context) -> Result<(), Error>;

/// A context of a cipher, which is proved for it.
fn first_cipher(context: &Context) -> Result<(), Error> {
    let cipher = context.fetch("AES-256-GCM", Some("provider=wirespeed"))?;
    cipher.context()?.init(Direction::Encrypt, Some(&[1; 32]), Some(&[2; 12]), &[])
}

/// Milliseconds of many loads, each in a context of its own; and of the first.
fn loads(
    context: impl Fn() -> Result<Context, String>,
    name: &str,
    then: Then,
) -> Result<(Estimate, f64), String> {
    let load = || {
        let context = context()?;
        let began = ThreadTime.now();
        context.load(name).and_then(|()| then(&context)).map_err(|why| why.to_string())?;
        Ok((ThreadTime.now() - began) as f64 / 1e6)
    };
    let times = (0..LOADS).map(|_| load()).collect::<Result<Vec<f64>, String>>()?;
    Ok((Estimate::of(&times).expect("there were loads"), times[0]))
}
