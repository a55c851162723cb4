//! Processes: their number and memory. Each request walks through /proc.

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::processes::{Filter, ProcessState, each};

pub(crate) const KEYS: &[Key] =
    &[Key::may_block("proc.num", 4, number), Key::may_block("proc.mem", 5, memory)];

fn number(ask: &Ask<'_>) -> Outcome {
    let state = match ask.params.get_or(2, "all") {
        "all" => None,
        "run" => Some(ProcessState::Run),
        "sleep" => Some(ProcessState::Sleep),
        "zomb" => Some(ProcessState::Zombie),
        "disk" => Some(ProcessState::Disk),
        "trace" => Some(ProcessState::Trace),
        _ => return Err(invalid(2)),
    };
    let filter = Filter::new(&ask.params, 3)?;
    let mut n_found = 0_u64;
    each(ask.root, &filter, |process| {
        n_found += u64::from(state.is_none_or(|it| process.is_in(it)));
    })?;
    Ok(n_found.into())
}

/// Parameter and the fields of `status` that it sums.
const KINDS: [(&str, &[&str]); 14] = [
    ("vsize", &["VmSize"]),
    ("rss", &["VmRSS"]),
    ("pmem", &["VmRSS"]),
    ("size", &["VmData", "VmStk", "VmExe"]),
    ("data", &["VmData"]),
    ("exe", &["VmExe"]),
    ("hwm", &["VmHWM"]),
    ("lck", &["VmLck"]),
    ("lib", &["VmLib"]),
    ("peak", &["VmPeak"]),
    ("pin", &["VmPin"]),
    ("pte", &["VmPTE"]),
    ("stk", &["VmStk"]),
    ("swap", &["VmSwap"]),
];

#[expect(clippy::cast_precision_loss, reason = "an average needs no 16th digit")]
fn memory(ask: &Ask<'_>) -> Outcome {
    let mode = ask.params.get_or(2, "sum");
    if !matches!(mode, "sum" | "avg" | "min" | "max") {
        return Err(invalid(2));
    }
    let kind = ask.params.get_or(4, "vsize");
    let fields = KINDS.iter().find(|it| it.0 == kind).ok_or_else(|| invalid(4))?.1;
    let filter = Filter::new(&ask.params, 3)?;

    let mut sizes = Vec::new();
    each(ask.root, &filter, |process| {
        let bytes: Option<u64> = fields.iter().map(|it| process.bytes(it)).sum();
        sizes.extend(bytes);
    })?;
    let sum: u64 = sizes.iter().sum();
    let whole = match mode {
        "avg" => None,
        "min" => Some(sizes.iter().copied().min().unwrap_or(0)),
        "max" => Some(sizes.iter().copied().max().unwrap_or(0)),
        _ => Some(sum),
    };
    let average = || if sizes.is_empty() { 0.0 } else { sum as f64 / sizes.len() as f64 };
    match (kind, whole) {
        ("pmem", part) => {
            let part = part.map_or_else(average, |it| it as f64);
            let total = super::memory::total(ask.root)?;
            if total == 0 {
                return Err(Refusal::from("Invalid total count."));
            }
            Ok((part / total as f64 * 100.0).into())
        }
        (_, Some(bytes)) => Ok(bytes.into()),
        (_, None) => Ok(average().into()),
    }
}
