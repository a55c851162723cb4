//! The use of processor time, as shares over the last minutes.

use std::collections::BTreeMap;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::samples::{N_CPU_STATES, Window};

pub(crate) const KEYS: &[Key] = &[Key::small("system.cpu.util", 3, util)];

/// In the order of /proc/stat.
const STATES: [&str; N_CPU_STATES] = [
    "user",
    "nice",
    "system",
    "idle",
    "iowait",
    "interrupt",
    "softirq",
    "steal",
    "guest",
    "guest_nice",
];
const USER: usize = 0;
const NICE: usize = 1;
const GUEST: usize = 8;
const GUEST_NICE: usize = 9;

fn util(ask: &Ask<'_>) -> Outcome {
    let cpu = match ask.params.get_or(0, "all") {
        "all" => None,
        number => Some(number.parse::<u32>().map_err(|_source| invalid(0))?),
    };
    let state = ask.params.get_or(1, STATES[USER]);
    let state = STATES.iter().position(|it| *it == state).ok_or_else(|| invalid(1))?;
    let window = Window::parse(ask.params.get_or(2, "avg1")).ok_or_else(|| invalid(2))?;

    let samples = ask.samples.lock().expect("no collector panics while it holds the samples");
    if !samples.cpus_are_sampled() {
        return Err(Refusal::from("Collector is not started."));
    }
    let Some(growth) = samples.cpu(cpu, window) else {
        return Err(Refusal::from("Cannot obtain CPU information."));
    };
    drop(samples);
    let total: u64 = growth.counters.iter().sum();
    if total == 0 {
        return Ok(0.0.into());
    }
    #[expect(clippy::cast_precision_loss, reason = "15 minutes in ticks are exact")]
    let share = growth.counters[state] as f64 / total as f64;
    Ok((share * 100.0).into())
}

/// The processors of /proc/stat. Linux counts the time of guests in `user` and `nice` as well;
/// here each tick counts once.
pub(crate) fn parse(stat: &str) -> BTreeMap<Option<u32>, [u64; N_CPU_STATES]> {
    let mut cpus = BTreeMap::new();
    for line in stat.lines() {
        let Some((name, fields)) = line.strip_prefix("cpu").and_then(|it| it.split_once(' '))
        else {
            continue;
        };
        let cpu = match name.parse::<u32>() {
            Ok(number) => Some(number),
            Err(_not_a_number) if name.is_empty() => None,
            Err(_not_a_number) => continue,
        };
        let mut counters = [0_u64; N_CPU_STATES];
        // Old kernels have fewer columns; missing counters stay 0.
        for (counter, field) in counters.iter_mut().zip(fields.split_whitespace()) {
            *counter = field.parse().unwrap_or(0);
        }
        counters[USER] = counters[USER].saturating_sub(counters[GUEST]);
        counters[NICE] = counters[NICE].saturating_sub(counters[GUEST_NICE]);
        cpus.insert(cpu, counters);
    }
    cpus
}
