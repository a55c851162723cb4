//! Processor time of processes, as shares of one processor over the last minutes.
//!
//! The first request about processes starts the measurement: see [`crate::samples`].

use nix::unistd::{SysconfVar, sysconf};

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::processes::{self, Filter};
use crate::root::Root;
use crate::samples::{ProcessTimes, Window};

pub(crate) const KEYS: &[Key] = &[Key::may_block("proc.cpu.util", 6, util)];

/// The value on every Linux.
const TICKS_A_SECOND: f64 = 100.0;

fn util(ask: &Ask<'_>) -> Outcome {
    let columns: &[usize] = match ask.params.get_or(2, "total") {
        "total" => &[0, 1],
        "user" => &[0],
        "system" => &[1],
        _ => return Err(invalid(2)),
    };
    let window = Window::parse(ask.params.get_or(4, "avg1")).ok_or_else(|| invalid(4))?;
    if !ask.params.get(5).is_empty() {
        // Only Solaris has zones.
        return Err(invalid(5));
    }
    let filter = Filter::new(&ask.params, 3)?;
    let name = [ask.params.get(0), ask.params.get(1), ask.params.get(3)].join("\0");

    let mono_ns = ask.now.mono_ns;
    let mut samples = ask.samples.lock().expect("no collector panics while it holds the samples");
    if !samples.cpus_are_sampled() {
        return Err(Refusal::from("Collector is not started."));
    }
    let is_new = samples.process(&name, window).is_none();
    if !samples.watch_processes(mono_ns, &name, &filter) {
        return Err(Refusal::from("Too many different requests for the CPU time of processes."));
    }
    drop(samples);
    if is_new {
        let times = times(ask.root, &filter);
        let mut samples = ask.samples.lock().expect("as above");
        samples.push_processes(mono_ns, &name, times);
    }
    let samples = ask.samples.lock().expect("as above");
    let growth = samples.process(&name, window);
    drop(samples);
    match growth {
        Some(it) if it.seconds > 0.0 => {
            let ticks: u64 = columns.iter().map(|column| it.counters[*column]).sum();
            #[expect(clippy::cast_precision_loss, reason = "a share needs no 16th digit")]
            let seconds = ticks as f64 / ticks_a_second();
            Ok((seconds / it.seconds * 100.0).into())
        }
        Some(_) | None => Ok(0.0.into()),
    }
}

fn ticks_a_second() -> f64 {
    let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten();
    #[expect(clippy::cast_precision_loss, reason = "a hundred")]
    ticks.map_or(TICKS_A_SECOND, |it| it as f64)
}

/// The times of all processes that match.
pub(crate) fn times(root: &Root, filter: &Filter) -> ProcessTimes {
    let mut times = ProcessTimes::new();
    // A process whose times are unreadable has none.
    drop(processes::each(root, filter, |process| {
        let stat = root.read(&format!("/proc/{}/stat", process.pid)).unwrap_or_default();
        if let (Ok(pid), Some(time)) = (process.pid.parse(), parse(&stat)) {
            times.insert(pid, time);
        }
    }));
    times
}

/// Start, and ticks of user and system: the 22nd, 14th and 15th fields. The second, in brackets,
/// may contain any characters.
pub(super) fn parse(stat: &str) -> Option<(u64, [u64; 2])> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |idx: usize| fields.get(idx)?.parse::<u64>().ok();
    Some((number(19)?, [number(11)?, number(12)?]))
}
