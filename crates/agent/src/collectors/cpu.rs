//! Number of processors and load average.

use serde::Serialize;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, json};
use crate::params::invalid;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::small("system.cpu.num", 1, number),
    Key::small("system.cpu.load", 2, load),
    Key::small("system.cpu.discovery", 0, discover),
];

fn number(ask: &Ask<'_>) -> Outcome {
    let cpus = match ask.params.get_or(0, "online") {
        "online" => online(ask.root)?,
        "max" => present(ask.root)?,
        _ => return Err(invalid(0)),
    };
    Ok((cpus.len() as u64).into())
}

fn load(ask: &Ask<'_>) -> Outcome {
    let n_cpus = match ask.params.get_or(0, "all") {
        "all" => 1.0,
        "percpu" => per_processor(online(ask.root)?.len()),
        _ => return Err(invalid(0)),
    };
    let column = match ask.params.get_or(1, "avg1") {
        "avg1" => 0,
        "avg5" => 1,
        "avg15" => 2,
        _ => return Err(invalid(1)),
    };
    let text = ask.root.read_or_refuse("/proc/loadavg")?;
    let load = text.split_whitespace().nth(column).and_then(|it| it.parse::<f64>().ok());
    let load = load.ok_or_else(|| Refusal::from("Cannot obtain load average."))?;
    Ok((load / n_cpus).into())
}

#[expect(clippy::cast_precision_loss, reason = "at most 8192 processors")]
fn per_processor(n_cpus: usize) -> f64 {
    n_cpus.max(1) as f64
}

fn discover(ask: &Ask<'_>) -> Outcome {
    let online = online(ask.root)?;
    let rows: Vec<_> = present(ask.root)?
        .iter()
        .map(|cpu| {
            let status = if online.contains(cpu) { "online" } else { "offline" };
            Matched { number: *cpu, status }
        })
        .collect();
    json(&rows)
}

#[derive(Debug, Serialize)]
struct Matched {
    #[serde(rename = "{#CPU.NUMBER}")]
    number: u32,
    #[serde(rename = "{#CPU.STATUS}")]
    status: &'static str,
}

fn online(root: &Root) -> Result<Vec<u32>, Refusal> {
    list(root, "/sys/devices/system/cpu/online")
}

fn present(root: &Root) -> Result<Vec<u32>, Refusal> {
    list(root, "/sys/devices/system/cpu/present")
}

/// /sys may be hidden (containers); /proc/stat lists the running processors as well.
fn list(root: &Root, path: &str) -> Result<Vec<u32>, Refusal> {
    if let Some(cpus) = root.read(path).ok().and_then(|it| parse_ranges(it.trim())) {
        return Ok(cpus);
    }
    let text = root.read_or_refuse("/proc/stat")?;
    let names = text.lines().filter_map(|it| it.strip_prefix("cpu")?.split(' ').next());
    Ok(names.filter_map(|it| it.parse().ok()).collect())
}

/// `0-3,8,10-11` as the kernel writes sets of processors.
fn parse_ranges(text: &str) -> Option<Vec<u32>> {
    // The kernel's largest number of processors: an invalid file cannot fill the memory.
    const CPUS_MAX: u32 = 8192;
    let mut cpus = Vec::new();
    for range in text.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        if last >= CPUS_MAX {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::parse_ranges;

    #[test]
    fn processor_sets_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_ranges("0"), Some(vec![0]));
        assert_eq!(parse_ranges("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(parse_ranges(""), None);
        assert_eq!(parse_ranges("0-4294967295"), None);
        assert_eq!(parse_ranges("x-1"), None);
    }
}
