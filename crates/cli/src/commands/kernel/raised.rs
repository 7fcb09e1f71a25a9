//! Priorities that were raised, and what they were before: remembered until they are lowered again, or
//! until the machine starts anew, which forgets both.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use wirespeed_af_alg::drivers::Driver;
use wirespeed_installation::{Original, remove};
use wirespeed_results::schema::kernel::Raised;

use crate::fault::Fault;

/// Where they are remembered: a folder that is empty after every start, as the priorities are.
pub(super) const FILE: &str = "/run/wirespeed/priorities";
const SCHEMA: &str = "wirespeed.priorities/1";

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    raised: Vec<Raised>,
}

/// What is remembered; nothing where nothing is.
pub(super) fn remembered() -> Result<Vec<Raised>, Fault> {
    match fs::read(FILE) {
        Ok(bytes) => parse(&bytes).map_err(|why| {
            Fault::usage(format!(
                "{FILE} is not as we write it ({why}): nothing was changed; the priorities before are \
                 those after the next start of this machine"
            ))
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Fault::usage(format!("{FILE}: {error}"))),
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Raised>, String> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match document.schema == SCHEMA {
        true => Ok(document.raised),
        false => Err(format!("{SCHEMA} is expected")),
    }
}

/// Remembers these and no others.
pub(super) fn remember(raised: &[Raised]) -> io::Result<()> {
    let path = Path::new(FILE);
    if raised.is_empty() {
        return remove(path);
    }
    let document = Document { schema: SCHEMA.to_owned(), raised: raised.to_vec() };
    let text = serde_json::to_string_pretty(&document).map_err(io::Error::from)? + "\n";
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Original::read(path)?.stage(text.as_bytes())?.place()
}

/// What it takes to make a driver serve.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It does already.
    None,
    /// A higher priority than that of the driver named here, which serves now.
    Raise(Raised, String),
}

/// How `driver` comes to serve, or why it must not.
pub(super) fn raise(
    drivers: &[Driver],
    driver: &Driver,
    remembered: &[Raised],
) -> Result<Step, String> {
    let name = &driver.driver;
    if !driver.self_test_passed {
        return Err(format!(
            "{name} has not passed the kernel's own test of it: it stays as it is"
        ));
    }
    if driver.internal {
        return Err(format!("{name} is a part of other drivers, nobody can ask for it by itself"));
    }
    if driver.serves {
        return Ok(Step::None);
    }
    let rivals = drivers.iter().filter(|it| it.serves && it.algorithm == driver.algorithm);
    let Some(rival) = rivals.max_by_key(|rival| rival.priority) else {
        return Err(format!("nothing serves {}: there is nobody to outrank", driver.algorithm));
    };
    let Some(now) = rival.priority.checked_add(1) else {
        return Err(format!("{} has the highest priority there is", rival.driver));
    };
    let before = remembered.iter().find(|it| it.driver == *name).map(|it| it.former);
    let former = before.unwrap_or(driver.priority);
    let raised = Raised { algorithm: driver.algorithm.clone(), driver: name.clone(), former, now };
    Ok(Step::Raise(raised, rival.driver.clone()))
}

/// What it takes to take a raise back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Return {
    /// The former priority.
    Lower,
    /// Nothing: the driver has gone, or has come anew with its own priority.
    Gone,
    /// Somebody else has given it this one since.
    Changed(i32),
}

/// How a raise is taken back.
pub(super) fn lower(drivers: &[Driver], raised: &Raised) -> Return {
    let here = drivers.iter().find(|driver| driver.driver == raised.driver);
    match here.map(|driver| driver.priority) {
        None => Return::Gone,
        Some(priority) if priority == raised.now => Return::Lower,
        Some(priority) if priority == raised.former => Return::Gone,
        Some(priority) => Return::Changed(priority),
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_af_alg::drivers;

    use super::*;

    /// Three drivers of one algorithm; the second serves.
    fn known() -> Vec<Driver> {
        let block = |driver: &str, priority: i32, more: &str| {
            format!(
                "name : cbc(aes)\ndriver : {driver}\nmodule : m\npriority : {priority}\n{more}\n\
                 type : skcipher\n\n"
            )
        };
        let fine = "selftest : passed\ninternal : no";
        drivers::parse(
            &[
                block("slow", 100, fine),
                block("fast", 400, fine),
                block("wrong", 900, "selftest : unknown\ninternal : no"),
                block("inner", 900, "selftest : passed\ninternal : yes"),
            ]
            .concat(),
        )
    }

    fn raised(former: i32, now: i32) -> Raised {
        Raised { algorithm: "cbc(aes)".to_owned(), driver: "slow".to_owned(), former, now }
    }

    #[test]
    fn a_driver_is_raised_above_the_one_that_serves() {
        let known = known();
        let expected = Step::Raise(raised(100, 401), "fast".to_owned());
        assert_eq!(raise(&known, &known[0], &[]), Ok(expected));
        assert_eq!(raise(&known, &known[1], &[]), Ok(Step::None));
        // Raised before, and outranked since: what it was at first is not forgotten.
        let expected = Step::Raise(raised(7, 401), "fast".to_owned());
        assert_eq!(raise(&known, &known[0], &[raised(7, 100)]), Ok(expected));
    }

    #[test]
    fn drivers_that_cannot_serve_are_refused() {
        let known = known();
        let why = raise(&known, &known[2], &[]).expect_err("it failed its test");
        assert!(why.contains("has not passed the kernel's own test"), "{why}");
        let why = raise(&known, &known[3], &[]).expect_err("it is internal");
        assert!(why.contains("a part of other drivers"), "{why}");
        let mut known = known;
        known[1].priority = i32::MAX;
        let why = raise(&known, &known[0], &[]).expect_err("there is no higher one");
        assert!(why.contains("the highest priority"), "{why}");
    }

    #[test]
    fn a_raise_is_taken_back_only_where_it_still_stands() {
        let known = known();
        assert_eq!(lower(&known, &raised(50, 100)), Return::Lower);
        assert_eq!(lower(&known, &raised(100, 401)), Return::Gone, "the module came anew");
        assert_eq!(lower(&known, &raised(50, 401)), Return::Changed(100));
        assert_eq!(lower(&[], &raised(50, 100)), Return::Gone);
    }

    #[test]
    fn what_is_remembered_is_read_back_and_nothing_else() {
        let text = r#"{"schema":"wirespeed.priorities/1","raised":[
            {"algorithm":"cbc(aes)","driver":"slow","former":100,"now":401}]}"#;
        assert_eq!(parse(text.as_bytes()), Ok(vec![raised(100, 401)]));
        for wrong in ["", "{}", "[]", &text.replace("/1", "/2"), &text.replace("401", "\"401\"")] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
