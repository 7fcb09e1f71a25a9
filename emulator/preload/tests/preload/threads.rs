//! Threads that block every signal, small stacks, forked children.

use crate::support::{Said, compile, emulated, scratch};

#[test]
fn threads_may_block_what_they_like() {
    let folder = scratch();
    let program = compile(folder.path(), "threads", &["-Wno-clobbered"]);
    let said = Said::by(&mut emulated("cpu=zhaoxin,stats", program));
    assert_eq!(said.output(), b"");
    let counts = said.counts();
    let traps: Vec<_> = counts.iter().map(|it| (&it.name[..], it.of("xcryptecb"))).collect();
    // The forked child alone, then everything else: four threads in a thousand places, without
    // blocks; four threads of 51, one thread, two handlers and four waits of two, one on a small
    // stack, one in the child that shares memory.
    let all = 4 * 51 + 1 + 1 + 4 * 2 + 1 + 1;
    assert_eq!(traps, [("threads", (1, 1)), ("threads", (4 * 1000 + all, all))]);
}
