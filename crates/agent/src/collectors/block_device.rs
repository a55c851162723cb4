//! Block devices: counters of /proc/diskstats, speeds, discovery.
//!
//! `all` adds up every line of /proc/diskstats, partitions and mapped devices included, as Zabbix
//! does; name a device for a figure without doubles.

use std::os::linux::fs::MetadataExt as _;

use nix::sys::stat::{major, minor};
use serde::Serialize;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, json};
use crate::params::invalid;
use crate::root::Root;
use crate::samples::{N_DISK_COUNTERS, Window};

pub(crate) const KEYS: &[Key] = &[
    Key::small("vfs.dev.read", 3, |ask| statistics(ask, Direction::Read)),
    Key::small("vfs.dev.write", 3, |ask| statistics(ask, Direction::Write)),
    Key::small("vfs.dev.discovery", 0, discover),
];

#[derive(Debug, Clone, Copy)]
enum Direction {
    Read,
    Write,
}

const SECTORS: usize = 0;
const OPERATIONS: usize = 1;

fn statistics(ask: &Ask<'_>, direction: Direction) -> Outcome {
    let first = match direction {
        Direction::Read => 0,
        Direction::Write => 2,
    };
    match ask.params.get_or(1, "sps") {
        "sectors" => counter(ask, first + SECTORS),
        "operations" => counter(ask, first + OPERATIONS),
        "sps" => speed(ask, first + SECTORS),
        "ops" => speed(ask, first + OPERATIONS),
        _ => Err(invalid(1)),
    }
}

fn counter(ask: &Ask<'_>, column: usize) -> Outcome {
    if ask.params.len() > 2 {
        return Err(Refusal::from("Invalid number of parameters."));
    }
    let name = device_name(ask);
    let stats = read(ask.root).unwrap_or_default();
    let name = kernel_name(ask.root, &stats, name);
    let counters = name.and_then(|it| find(&stats, &it));
    let counters = counters.ok_or_else(|| Refusal::from("Cannot obtain disk information."))?;
    Ok(counters[column].into())
}

fn speed(ask: &Ask<'_>, column: usize) -> Outcome {
    let window = Window::parse(ask.params.get_or(2, "avg1")).ok_or_else(|| invalid(2))?;
    let stats = read(ask.root).unwrap_or_default();
    let Some(name) = kernel_name(ask.root, &stats, device_name(ask)) else {
        return Err(Refusal::from("Cannot obtain device name used internally by the kernel."));
    };
    let counters = find(&stats, &name);
    let counters = counters.ok_or_else(|| Refusal::from("Cannot obtain disk information."))?;

    let mono_ns = ask.now.mono_ns;
    let mut samples = ask.samples.lock().expect("no collector panics while it holds the samples");
    if !samples.watch_device(mono_ns, &name) {
        return Err(Refusal::from("Cannot add disk device to agent collector."));
    }
    if samples.device(&name, window).is_none() {
        samples.push_device(mono_ns, &name, counters);
    }
    let growth = samples.device(&name, window);
    drop(samples);
    match growth {
        Some(it) if it.seconds > 0.0 => {
            #[expect(clippy::cast_precision_loss, reason = "a speed needs no 16th digit")]
            let grown = it.counters[column] as f64;
            Ok((grown / it.seconds).into())
        }
        // The first request starts the measuring.
        Some(_) | None => Ok(0.0.into()),
    }
}

/// Empty for all devices.
fn device_name<'a>(ask: &Ask<'a>) -> &'a str {
    match ask.params.get(0) {
        "all" => "",
        name => name.strip_prefix("/dev/").unwrap_or(name),
    }
}

#[derive(Debug)]
pub(crate) struct DiskStats {
    device: (u64, u64),
    name: String,
    counters: [u64; N_DISK_COUNTERS],
}

pub(crate) fn read(root: &Root) -> Option<Vec<DiskStats>> {
    Some(root.read("/proc/diskstats").ok()?.lines().filter_map(parse_line).collect())
}

fn parse_line(line: &str) -> Option<DiskStats> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let number = |idx: usize| fields.get(idx)?.parse::<u64>().ok();
    let counters = match fields.len() {
        // Partitions before kernel 2.6.25: reads, sectors, writes, sectors.
        7 => [number(4)?, number(3)?, number(6)?, number(5)?],
        _ => [number(5)?, number(3)?, number(9)?, number(7)?],
    };
    Some(DiskStats {
        device: (number(0)?, number(1)?),
        name: (*fields.get(2)?).to_owned(),
        counters,
    })
}

/// The counters of one device, or of all for the empty name.
pub(crate) fn find(stats: &[DiskStats], name: &str) -> Option<[u64; N_DISK_COUNTERS]> {
    if !name.is_empty() {
        return stats.iter().find(|it| it.name == name).map(|it| it.counters);
    }
    let mut total = [0_u64; N_DISK_COUNTERS];
    for line in stats {
        for (sum, counter) in total.iter_mut().zip(line.counters) {
            *sum = sum.wrapping_add(counter);
        }
    }
    (!stats.is_empty()).then_some(total)
}

/// The kernel's name of a device that may be given by a link (`mapper/root`, `disk/by-label/x`).
fn kernel_name(root: &Root, stats: &[DiskStats], name: &str) -> Option<String> {
    if name.is_empty() || stats.iter().any(|it| it.name == name) {
        return Some(name.to_owned());
    }
    let id = root.metadata(&format!("/dev/{name}")).ok()?.st_rdev();
    let device = (major(id), minor(id));
    stats.iter().find(|it| it.device == device).map(|it| it.name.clone())
}

fn discover(ask: &Ask<'_>) -> Outcome {
    let class = "/sys/class/block";
    let mut names = ask.root.names(class).map_err(|_source| {
        Refusal::from("Cannot obtain device list: failed to open /sys/class/block directory.")
    })?;
    names.sort_unstable();
    let mut rows = Vec::new();
    for name in names {
        let Ok(event) = ask.root.read(&format!("{class}/{name}/uevent")) else {
            // The device has disappeared since the folder was read.
            continue;
        };
        let field = |key: &str| event.lines().find_map(|it| it.strip_prefix(key));
        rows.push(Matched {
            name: field("DEVNAME=").unwrap_or(&name).to_owned(),
            kind: field("DEVTYPE=").unwrap_or_default().to_owned(),
        });
    }
    json(&rows)
}

#[derive(Debug, Serialize)]
struct Matched {
    #[serde(rename = "{#DEVNAME}")]
    name: String,
    #[serde(rename = "{#DEVTYPE}")]
    kind: String,
}
