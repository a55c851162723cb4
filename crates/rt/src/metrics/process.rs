//! What the kernel knows about this process, under the names that Prometheus's clients use.

use std::fs;

use super::{CounterCopy, Gauge, Registry};
use crate::clock::Clock;

crate::metrics! {
    /// What the kernel counts for this process.
    pub(crate) struct ProcessMetrics in "process" {
        /// CPU time used by the process, user and system together, in seconds.
        pub(crate) cpu_seconds_total: CounterCopy,
        /// Memory of the process that is in RAM, in bytes.
        pub(crate) resident_memory_bytes: Gauge,
        /// File descriptors that the process has open.
        pub(crate) open_fds: Gauge,
        /// Threads of the process.
        pub(crate) threads: Gauge,
        /// Time since the process started watching itself, in seconds.
        pub(crate) uptime_seconds: Gauge,
    }
}

/// Adds the `process_*` metrics; they are read from /proc whenever metrics are read.
pub fn observe_process(registry: &Registry, clock: &Clock) {
    let metrics = ProcessMetrics::register(registry);
    let clock = clock.clone();
    registry.add_probe(move || {
        metrics.uptime_seconds.set(clock.mono_ns() as f64 * 1e-9);
        if let Ok(fds) = fs::read_dir("/proc/self/fd") {
            metrics.open_fds.set_n(fds.count());
        }
        if let Some(stat) =
            fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(parse_stat)
        {
            metrics.cpu_seconds_total.set(stat.cpu_ticks as f64 / TICKS_PER_SECOND);
            metrics.threads.set_n(stat.n_threads);
            metrics.resident_memory_bytes.set(stat.resident_pages as f64 * page_bytes());
        }
        true
    });
}

/// USER_HZ is 100 on every Linux architecture that Saker is built for.
const TICKS_PER_SECOND: f64 = 100.0;

fn page_bytes() -> f64 {
    let bytes = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    bytes.map_or(4096.0, |it| it as f64)
}

struct Stat {
    cpu_ticks: u64,
    n_threads: usize,
    resident_pages: u64,
}

/// Fields 14 (utime), 15 (stime), 20 (num_threads) and 24 (rss) of proc(5); the name of the
/// process, in brackets, may hold blanks and brackets itself.
fn parse_stat(text: &str) -> Option<Stat> {
    let (_, after_name) = text.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    // The first field after the name is number 3.
    let field = |number: usize| fields.get(number - 3).copied();
    let user: u64 = field(14)?.parse().ok()?;
    let system: u64 = field(15)?.parse().ok()?;
    Some(Stat {
        cpu_ticks: user + system,
        n_threads: field(20)?.parse().ok()?,
        resident_pages: field(24)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::parse_stat;

    #[test]
    fn name_with_blanks_and_brackets_does_not_shift_the_fields() {
        let text = "7 (a b) c) S 1 7 7 0 -1 4194560 1 0 0 0 20 5 0 0 20 0 9 0 88 1000 321 18446";
        let stat = parse_stat(text).unwrap();
        assert_eq!((stat.cpu_ticks, stat.n_threads, stat.resident_pages), (25, 9, 321));
    }

    #[test]
    fn torn_line_is_no_reading() {
        assert!(parse_stat("7 (saker) S 1 7").is_none());
        assert!(parse_stat("").is_none());
    }
}
