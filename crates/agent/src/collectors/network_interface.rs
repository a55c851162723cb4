//! Network interfaces, from /proc/net/dev.

use serde::Serialize;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, json};
use crate::params::invalid;

pub(crate) const KEYS: &[Key] = &[
    Key::small("net.if.in", 2, |ask| mode_of(ask, INPUT)),
    Key::small("net.if.out", 2, |ask| mode_of(ask, OUTPUT)),
    Key::small("net.if.total", 2, |ask| mode_of(ask, TOTAL)),
    Key::small("net.if.collisions", 1, |ask| sum(ask, &[COLLISIONS])),
    Key::small("net.if.discovery", 0, discover),
];

const N_COUNTERS: usize = 16;
const COLLISIONS: usize = 13;

/// Mode and the columns of /proc/net/dev that it sums.
type Modes = &'static [(&'static str, &'static [usize])];

const INPUT: Modes = &[
    ("bytes", &[0]),
    ("packets", &[1]),
    ("errors", &[2]),
    ("dropped", &[3]),
    ("overruns", &[4]),
    ("frame", &[5]),
    ("compressed", &[6]),
    ("multicast", &[7]),
];

const OUTPUT: Modes = &[
    ("bytes", &[8]),
    ("packets", &[9]),
    ("errors", &[10]),
    ("dropped", &[11]),
    ("overruns", &[12]),
    ("collisions", &[COLLISIONS]),
    ("carrier", &[14]),
    ("compressed", &[15]),
];

const TOTAL: Modes = &[
    ("bytes", &[0, 8]),
    ("packets", &[1, 9]),
    ("errors", &[2, 10]),
    ("dropped", &[3, 11]),
    ("overruns", &[4, 12]),
    ("compressed", &[6, 15]),
];

fn mode_of(ask: &Ask<'_>, modes: Modes) -> Outcome {
    let wanted = ask.params.get_or(1, "bytes");
    match modes.iter().find(|(mode, _)| *mode == wanted) {
        Some((_, columns)) => sum(ask, columns),
        None => {
            // A missing interface is the more useful error, and the one that Zabbix reports.
            sum(ask, &[])?;
            Err(invalid(1))
        }
    }
}

fn sum(ask: &Ask<'_>, columns: &[usize]) -> Outcome {
    let name = ask.params.get(0);
    if name.is_empty() {
        return Err(Refusal::from("Network interface name cannot be empty."));
    }
    let text = ask.root.read_or_refuse("/proc/net/dev")?;
    let counters = interfaces(&text).find(|it| it.0 == name).and_then(|it| parse_counters(it.1));
    let Some(counters) = counters else {
        return Err(Refusal::from(
            "Cannot find information for this network interface in /proc/net/dev.",
        ));
    };
    // Counters wrap in the kernel; so do their sums.
    let total = columns.iter().fold(0_u64, |sum, it| sum.wrapping_add(counters[*it]));
    Ok(total.into())
}

fn discover(ask: &Ask<'_>) -> Outcome {
    let text = ask.root.read_or_refuse("/proc/net/dev")?;
    let rows: Vec<_> = interfaces(&text).map(|(name, _)| Matched { name }).collect();
    json(&rows)
}

#[derive(Debug, Serialize)]
struct Matched<'a> {
    #[serde(rename = "{#IFNAME}")]
    name: &'a str,
}

/// Name and counters of each line below the two lines of headings.
fn interfaces(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().skip(2).filter_map(|line| {
        // The last colon: names of alias interfaces (`eth0:1`) have one themselves.
        let (name, counters) = line.rsplit_once(':')?;
        Some((name.trim(), counters))
    })
}

fn parse_counters(text: &str) -> Option<[u64; N_COUNTERS]> {
    let mut counters = [0; N_COUNTERS];
    let mut fields = text.split_whitespace();
    for counter in &mut counters {
        *counter = fields.next()?.parse().ok()?;
    }
    Some(counters)
}
