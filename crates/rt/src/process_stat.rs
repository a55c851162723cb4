//! A process as `/proc/<id>/stat` describes it (proc(5)), for measurements of this process or
//! another one.
//!
//! The built-in agent reads processes of the machine it watches in its own way: below a root of its own, and more of them.

use std::fs;

/// USER_HZ is 100 on every Linux architecture that Saker is built for.
pub const TICKS_PER_SECOND: u64 = 100;
const TICK_NS: u64 = 1_000_000_000 / TICKS_PER_SECOND;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessStat {
    pub parent: u32,
    /// Time that it has computed, in user mode and in the kernel.
    pub cpu_ticks: u64,
    /// Of its children that have ended and that it has waited for.
    pub children_cpu_ticks: u64,
    pub n_threads: usize,
    pub resident_pages: u64,
}

impl ProcessStat {
    /// Of a process; `None`: it is gone.
    #[must_use]
    pub fn of(id: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    /// Of this process.
    #[must_use]
    pub fn own() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
    }

    /// The name of the process, in brackets, may hold blanks and brackets itself.
    fn parse(text: &str) -> Option<Self> {
        let (_, after_name) = text.rsplit_once(')')?;
        let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
        // The first field after the name is number 3.
        let field = |number: usize| fields.get(number - 3).copied();
        let ticks = |number: usize| field(number)?.parse::<u64>().ok();
        // Those of children may be less than nothing, by rounding.
        let children =
            |number: usize| Some(field(number)?.parse::<i64>().ok()?.max(0).unsigned_abs());
        Some(Self {
            parent: field(4)?.parse().ok()?,
            cpu_ticks: ticks(14)? + ticks(15)?,
            children_cpu_ticks: children(16)? + children(17)?,
            n_threads: field(20)?.parse().ok()?,
            resident_pages: field(24)?.parse().ok()?,
        })
    }

    /// [`Self::cpu_ticks`] in nanoseconds.
    #[must_use]
    pub fn cpu_ns(&self) -> u64 {
        self.cpu_ticks.saturating_mul(TICK_NS)
    }

    /// [`Self::children_cpu_ticks`] in nanoseconds.
    #[must_use]
    pub fn children_cpu_ns(&self) -> u64 {
        self.children_cpu_ticks.saturating_mul(TICK_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::ProcessStat;

    #[test]
    fn name_with_blanks_and_brackets_does_not_shift_the_fields() {
        let text = "7 (a b) c) S 1 7 7 0 -1 4194560 1 0 0 0 20 5 3 4 20 0 9 0 88 1000 321 18446";
        let stat = ProcessStat::parse(text).unwrap();
        let expected = ProcessStat {
            parent: 1,
            cpu_ticks: 25,
            children_cpu_ticks: 7,
            n_threads: 9,
            resident_pages: 321,
        };
        assert_eq!(stat, expected);
        assert_eq!((stat.cpu_ns(), stat.children_cpu_ns()), (250_000_000, 70_000_000));
    }

    #[test]
    fn torn_line_is_no_reading() {
        assert_eq!(ProcessStat::parse("7 (saker) S 1 7"), None);
        assert_eq!(ProcessStat::parse(""), None);
    }

    #[test]
    fn this_process_is_there_and_a_process_without_an_id_is_not() {
        assert!(ProcessStat::own().is_some_and(|it| 0 < it.n_threads && 0 < it.resident_pages));
        assert!(ProcessStat::of(std::process::id()).is_some());
        assert_eq!(ProcessStat::of(0), None);
    }
}
