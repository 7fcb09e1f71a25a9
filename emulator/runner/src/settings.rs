//! What was asked of `padlock-run`, as it travels to the preload library and to children: one short
//! text in the environment.

use core::ffi::CStr;
use core::fmt::Write;
use core::num::NonZeroU64;

use padlock_emulator::{Flaw, Model, Options};

use crate::Text;

/// The models, as `--cpu` spells them.
pub const MODELS: [(Model, &str); 4] =
    [(Model::C3, "c3"), (Model::C7, "c7"), (Model::Nano, "nano"), (Model::Zhaoxin, "zhaoxin")];

/// What both runners are told.
///
/// As text:
/// `cpu=nano,hide-aesni,strict,iv-writeback,interrupt-every=K,stats,wrong=UNIT,trace=FILE`, each
/// part optional. `trace` is the last one, because its path may hold commas. `wrong` names a
/// [`Flaw`]; release builds do not know it.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'text> {
    /// The emulated CPU.
    pub cpu: Options,
    /// Whether each process ends with its counts on stderr.
    pub stats: bool,
    /// The file that gets a line for each instruction that trapped.
    pub trace: Option<&'text CStr>,
}

/// A part of the text that nobody understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown<'text>(pub &'text [u8]);

impl Default for Settings<'_> {
    fn default() -> Self {
        Self { cpu: Options::new(Model::Nano), stats: false, trace: None }
    }
}

impl<'text> Settings<'text> {
    /// The variable of the environment that holds the text.
    pub const VARIABLE: &'static CStr = c"PADLOCK_RUN";

    /// Settings from their text.
    pub fn parse(text: &'text CStr) -> Result<Self, Unknown<'text>> {
        let mut settings = Self::default();
        let mut rest = text.to_bytes_with_nul();
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b',' | 0)) {
            if let Some(path) = rest.strip_prefix(b"trace=") {
                settings.trace = CStr::from_bytes_with_nul(path).ok();
                break;
            }
            let (part, behind) = rest.split_at(end);
            settings.take(part).ok_or(Unknown(part))?;
            rest = behind.get(1..).unwrap_or_default();
        }
        Ok(settings)
    }

    fn take(&mut self, part: &[u8]) -> Option<()> {
        let (name, value) = match part.iter().position(|byte| *byte == b'=') {
            Some(at) => (part.get(..at)?, core::str::from_utf8(part.get(at + 1..)?).ok()?),
            None => (part, ""),
        };
        let flag = match name {
            b"" => return Some(()),
            b"cpu" => {
                self.cpu.model = MODELS.iter().find(|known| known.1 == value)?.0;
                return Some(());
            }
            b"interrupt-every" => {
                self.cpu.interrupt_every = Some(value.parse::<NonZeroU64>().ok()?);
                return Some(());
            }
            b"wrong" if cfg!(debug_assertions) => {
                self.cpu.wrong = Some(Flaw::named(value)?);
                return Some(());
            }
            b"hide-aesni" => &mut self.cpu.hide_aesni,
            b"strict" => &mut self.cpu.strict,
            b"iv-writeback" => &mut self.cpu.iv_writeback,
            b"stats" => &mut self.stats,
            _ => return None,
        };
        *flag = true;
        value.is_empty().then_some(())
    }

    /// The text that [`Settings::parse`] reads.
    pub fn write(&self) -> Text<4608> {
        let mut text = Text::new();
        let model = MODELS.iter().find(|known| known.0 == self.cpu.model);
        let _ = write!(text, "cpu={}", model.map_or("", |known| known.1));
        let flags = [
            (self.cpu.hide_aesni, ",hide-aesni"),
            (self.cpu.strict, ",strict"),
            (self.cpu.iv_writeback, ",iv-writeback"),
            (self.stats, ",stats"),
        ];
        for (_, name) in flags.iter().filter(|flag| flag.0) {
            text.push(name.as_bytes());
        }
        if let Some(blocks) = self.cpu.interrupt_every {
            let _ = write!(text, ",interrupt-every={blocks}");
        }
        if let Some((name, _)) = Flaw::ALL.iter().find(|known| Some(known.1) == self.cpu.wrong) {
            let _ = write!(text, ",wrong={name}");
        }
        if let Some(path) = self.trace {
            text.push(b",trace=");
            text.push(path.to_bytes());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::ffi::CString;

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            c"cpu=nano",
            c"cpu=c3,hide-aesni,strict,iv-writeback,stats,interrupt-every=3",
            c"cpu=zhaoxin,stats,trace=/tmp/a file,with commas=and more",
            c"cpu=c7,strict,trace=/\xff\xfe",
        ];
        for text in texts {
            let settings = Settings::parse(text).expect("understood");
            assert_eq!(settings.write().as_bytes(), text.to_bytes(), "{text:?}");
        }
        #[cfg(debug_assertions)]
        for wrong in [c"cpu=nano,wrong=xcrypt-256", c"cpu=nano,wrong=xsha1"] {
            let settings = Settings::parse(wrong).expect("understood");
            assert_eq!(settings.write().as_bytes(), wrong.to_bytes());
        }
    }

    #[test]
    fn an_empty_text_is_the_default() {
        let settings = Settings::parse(c"").expect("understood");
        assert_eq!(settings.write().as_bytes(), b"cpu=nano");
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (text, part) in [
            ("cpu=nano,quick", "quick"),
            ("cpu=pentium", "cpu=pentium"),
            ("interrupt-every=0,stats", "interrupt-every=0"),
            ("strict=2", "strict=2"),
            ("wrong=everything", "wrong=everything"),
        ] {
            let text = CString::new(text).expect("no NUL");
            let unknown = Settings::parse(&text).expect_err("not understood");
            assert_eq!(unknown, Unknown(part.as_bytes()));
        }
    }
}
