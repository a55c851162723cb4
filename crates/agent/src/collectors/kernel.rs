//! Limits and counters of the kernel as a whole.

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::small("kernel.maxfiles", 0, |ask| first_number(ask, "/proc/sys/fs/file-max")),
    Key::small("kernel.maxproc", 0, |ask| first_number(ask, "/proc/sys/kernel/pid_max")),
    Key::small("kernel.openfiles", 0, |ask| first_number(ask, "/proc/sys/fs/file-nr")),
    Key::small("system.cpu.switches", 0, |ask| stat_number(ask.root, "ctxt").map(Into::into)),
    Key::small("system.cpu.intr", 0, |ask| stat_number(ask.root, "intr").map(Into::into)),
];

fn first_number(ask: &Ask<'_>, path: &str) -> Outcome {
    let text = ask.root.read(path).unwrap_or_default();
    let number = text.split_whitespace().next().and_then(|it| it.parse::<u64>().ok());
    number.map(Into::into).ok_or_else(|| Refusal::from(format!("Cannot obtain data from {path}.")))
}

/// The first number of the line that begins with `word` in /proc/stat.
pub(super) fn stat_number(root: &Root, word: &str) -> Result<u64, Refusal> {
    let text = root.read_or_refuse("/proc/stat")?;
    let number = text.lines().find_map(|line| {
        let mut fields = line.split_whitespace();
        if fields.next()? == word { fields.next()?.parse().ok() } else { None }
    });
    number
        .ok_or_else(|| Refusal::from(format!("Cannot find a line with \"{word}\" in /proc/stat.")))
}
