//! Our own file in a folder that the configuration includes: what it is to say, among lines that others wrote into it.

use crate::lines::{self, Line};
use crate::removal::{Removed, adopted};
use crate::statement::Statement;
use crate::text::Text;
use crate::writing;

/// Sections, and the lines that are to stand in them.
pub(crate) type Sections = Vec<(Text, Vec<Vec<u8>>)>;

/// A section as it stands in the file.
struct Block {
    section: Text,
    /// Empty above the first header.
    header: Vec<u8>,
    is_marked: bool,
    lines: Vec<Kept>,
}

/// A line of a block.
struct Kept {
    /// The section and the name of its key, if it has one.
    key: Option<(Text, Text)>,
    bytes: Vec<u8>,
    is_marked: bool,
    is_wanted: bool,
}

/// The file with these sections in it, which goes back to the section `back` at its end. Lines of others stay, and so does
/// what an earlier installation wrote into our `own` section.
pub(crate) fn merged(before: &[u8], wanted: &Sections, own: Option<&Text>, back: &Text) -> Vec<u8> {
    let mut blocks = blocks(before, back);
    for (section, lines) in wanted {
        lines.iter().for_each(|line| put(&mut blocks, section, line));
    }
    for block in &mut blocks {
        block.lines.retain(|line| {
            let is_own = line.key.as_ref().is_some_and(|(section, _)| Some(section) == own);
            line.is_wanted || !line.is_marked || is_own
        });
    }
    blocks.retain(|block| !block.is_marked || !block.lines.is_empty());
    let mut bytes = [writing::line_above(0).as_bytes(), b"\n"].concat();
    let goes_back = blocks.last().is_none_or(|block| block.section != *back);
    for block in blocks {
        bytes.extend(block.header);
        bytes.extend(block.lines.into_iter().flat_map(|line| line.bytes));
    }
    if goes_back {
        bytes.extend(marked(&writing::header(back.as_bytes())));
    }
    bytes
}

/// The file without our lines; nothing if nobody else's are left. Headers stay above lines of others, and with them the one
/// that goes back to the section that includes the file.
pub(crate) fn without_ours(bytes: &[u8], original: Option<&[u8]>) -> Removed {
    let all = lines::split(bytes, lines::lead(bytes));
    let ours: Vec<&Line> = all.iter().filter(|line| writing::is_ours(bytes, line)).collect();
    let plain = writing::without(bytes, &ours);
    if original == Some(&plain) {
        return Removed { bytes: plain, kept: Vec::new() };
    }
    if plain.trim_ascii().is_empty() {
        return Removed { bytes: Vec::new(), kept: Vec::new() };
    }
    let depended_on = adopted(&all, &ours);
    let last = ours.last().map(|line| line.number).filter(|_| !depended_on.is_empty());
    let stays = |line: &&Line| depended_on.contains(&line.number) || last == Some(line.number);
    let (kept, own): (Vec<&Line>, Vec<&Line>) = ours.iter().copied().partition(stays);
    let text = |line: &&Line| (line.number, String::from_utf8_lossy(&line.text).into_owned());
    let kept = kept.iter().map(text).collect();
    Removed { bytes: writing::without(bytes, &own), kept }
}

/// The section of each line of the file; none above its first header.
pub(crate) fn sections(bytes: &[u8]) -> Vec<Option<Text>> {
    let mut section = None;
    let all = lines::split(bytes, lines::lead(bytes));
    let of = |line: &Line| {
        if let Ok(Statement::Header { name }) = Statement::parse(&line.text, false) {
            section = Some(name.into());
        }
        section.clone()
    };
    all.iter().map(of).collect()
}

/// What stands in the file, whose first lines are in the section that includes it.
fn blocks(bytes: &[u8], including: &Text) -> Vec<Block> {
    let block =
        |section: Text, header, is_marked| Block { section, header, is_marked, lines: Vec::new() };
    let mut blocks = vec![block(including.clone(), Vec::new(), false)];
    for line in &lines::split(bytes, lines::lead(bytes)) {
        let whole = bytes[line.span.clone()].trim_ascii_end();
        let whole = [whole, b"\n"].concat();
        let is_marked = writing::is_ours(bytes, line);
        let statement = Statement::parse(&line.text, false);
        if let Ok(Statement::Header { name }) = statement {
            blocks.push(block(name.into(), whole, is_marked));
            continue;
        }
        let Some(last) = blocks.last_mut() else { continue };
        let key = match statement {
            Ok(Statement::Key { section, name, .. }) => {
                let section = section.map_or_else(|| last.section.clone(), Text::from);
                Some((section, Text::from(name)))
            }
            _ => None,
        };
        last.lines.push(Kept { key, bytes: whole, is_marked, is_wanted: false });
    }
    blocks
}

/// Puts a line where its key was said last: that one counts.
fn put(blocks: &mut Vec<Block>, section: &Text, line: &[u8]) {
    let Ok(Statement::Key { name, .. }) = Statement::parse(line, false) else { return };
    let key = Some((section.clone(), Text::from(name)));
    let new = Kept { key: key.clone(), bytes: marked(line), is_marked: true, is_wanted: true };
    let said = blocks.iter().enumerate().rev().find_map(|(index, block)| {
        let at = block.lines.iter().rposition(|line| line.key == key)?;
        Some((index, at))
    });
    // What we said of it before goes.
    let lines = blocks.iter_mut().flat_map(|block| &mut block.lines);
    lines.filter(|line| line.is_marked && line.key == key).for_each(|line| line.key = None);
    if let Some((index, at)) = said {
        return blocks[index].lines.insert(at + 1, new);
    }
    let is_it = |block: &&mut Block| !block.header.is_empty() && block.section == *section;
    match blocks.iter_mut().find(is_it) {
        Some(block) => block.lines.push(new),
        None => {
            let header = marked(&writing::header(section.as_bytes()));
            let (section, lines) = (section.clone(), vec![new]);
            blocks.push(Block { section, header, is_marked: true, lines });
        }
    }
}

/// A line of ours.
fn marked(content: &[u8]) -> Vec<u8> {
    [&writing::marked(content)[..], b"\n"].concat()
}
