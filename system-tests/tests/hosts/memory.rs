//! Memory that runs out at every allocation in turn: an error of OpenSSL's or right bytes, never the end
//! of the host. The host is a C program, because Rust's own library gives up without memory.

use wirespeed_system_tests::module::{self, Provided};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hosts/memory.c");

/// As it is by itself; and with hash functions, which it would only have by a plan, at fewer places: plain integers take long.
const LINES: [(&str, u32); 2] =
    [("", 1), ("routes = portable\nciphers = AES-128-CTR\ndigests = SHA1 SHA2-256", 5)];

/// Allocations that the module asks for itself.
pub(crate) fn of_the_module() -> Result<(), String> {
    LINES.into_iter().try_for_each(|(lines, step)| run_out("module", step, lines))
}

/// All allocations while it loads and works, also those that libcrypto makes for it.
pub(crate) fn of_the_process() -> Result<(), String> {
    LINES.into_iter().try_for_each(|(lines, step)| run_out("all", 3 * step, lines))
}

fn run_out(whose: &str, step: u32, lines: &str) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let host = scratch.path("memory");
    let mut compiler = command("gcc");
    compiler.args(["-O1", "-Wall", "-Werror", "-rdynamic", "-o"]).arg(&host).arg(SOURCE);
    output(compiler.arg("-l:libcrypto.so.3"))?;
    let module = module::file().ok_or("WIRESPEED_MODULES is not set")?;
    let file = scratch.write("named.cnf", module::inactive(&module, lines))?;
    for how in ["once", "onwards"] {
        let mut program = command(&host);
        Provided::Stock.to(&mut program).arg(&file).arg(&module);
        let said = output(program.args([whose, how, &step.to_string()]))?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let counts: Vec<u64> = said.split_whitespace().filter_map(|it| it.parse().ok()).collect();
        let &[allocations, errors, right, crashes, elsewhere, wrong] = &counts[..] else {
            return Err(format!("{how}: said {said}"));
        };
        if crashes + elsewhere + wrong > 0 {
            return Err(format!(
                "{how}, {whose}: of {allocations} failing allocations {crashes} crashed in the \
                 module, {elsewhere} elsewhere, {wrong} gave wrong bytes"
            ));
        }
        // Otherwise nothing was put to the test.
        if allocations < 50 || errors == 0 || errors + right < allocations / u64::from(step) {
            return Err(format!("{how}: nothing failed: {said}"));
        }
    }
    Ok(())
}
