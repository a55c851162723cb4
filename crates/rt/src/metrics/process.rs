//! Figures of the kernel about this process, under the names that Prometheus's clients use.

use std::fs;

use super::{CounterCopy, Gauge, Registry};
use crate::clock::Clock;
use crate::process_stat::{ProcessStat, TICKS_PER_SECOND};

crate::metrics! {
    /// Figures of the kernel about this process.
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
        if let Some(stat) = ProcessStat::own() {
            metrics.cpu_seconds_total.set(stat.cpu_ticks as f64 / TICKS_PER_SECOND as f64);
            metrics.threads.set_n(stat.n_threads);
            metrics.resident_memory_bytes.set(stat.resident_pages as f64 * page_bytes());
        }
        true
    });
}

fn page_bytes() -> f64 {
    let bytes = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    bytes.map_or(4096.0, |it| it as f64)
}
