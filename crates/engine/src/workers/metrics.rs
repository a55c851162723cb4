//! Metrics of workers.

use rt::metrics::{Counter, Family, Gauge, TimeHistogram};

rt::metrics! {
    /// Workers for scripts and long texts.
    pub struct JobWorkerMetrics in "saker_worker" {
        /// Workers that have a job.
        pub busy: Gauge,
        /// Nanoseconds of work of all workers.
        pub busy_ns_total: Counter,
        /// Jobs done, failed ones included.
        pub jobs_total: Counter,
        /// Steps that failed in a worker.
        pub failed_total: Counter,
        /// Scripts that took longer than they may.
        pub timeouts_total: Counter,
        /// Threads that did not come back and were given up.
        pub given_up_total: Counter,
        /// Threads of these that still run, at the lowest priority.
        pub stuck: Gauge,
        /// The same for scripts of items, and those that somebody tried out.
        pub stuck_trials: Gauge,
        /// Scripts that were not run because such threads still run them, or were too many.
        pub refused_total: Counter,
        /// Spare workers that came because all others were held.
        pub spares_total: Counter,
        /// Jobs that wait, by class: of items that are quick, slow, or new.
        pub waiting: Family<Gauge> = "class",
        /// How long the oldest job of a class has been waiting, in seconds.
        pub oldest_wait_seconds: Family<Gauge> = "class",
        /// How long jobs waited until a worker took them, in seconds, by class.
        pub wait_seconds: Family<TimeHistogram> = "class",
        /// Messages of scripts that were too many for the log.
        pub messages_dropped_total: Counter,
        /// Time of one job, in seconds.
        pub job_seconds: TimeHistogram,
    }
}
