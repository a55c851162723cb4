//! Swap space and traffic. Linux counts traffic for all devices together.

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;

pub(crate) const KEYS: &[Key] = &[
    Key::small("system.swap.size", 2, size),
    Key::small("system.swap.in", 2, |ask| traffic(ask, "pswpin")),
    Key::small("system.swap.out", 2, |ask| traffic(ask, "pswpout")),
];

fn size(ask: &Ask<'_>) -> Outcome {
    if ask.params.get_or(0, "all") != "all" {
        return Err(invalid(0));
    }
    let text = ask.root.read_or_refuse("/proc/meminfo")?;
    let find = |name: &str| {
        let line = text.lines().find_map(|it| it.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
    };
    let (Some(total), Some(free)) = (find("SwapTotal:"), find("SwapFree:")) else {
        return Err(Refusal::from("Cannot obtain value from /proc/meminfo."));
    };
    let used = total.saturating_sub(free);
    let free_percent = percent(free, total);
    match ask.params.get_or(1, "free") {
        "total" => Ok(total.into()),
        "free" => Ok(free.into()),
        "used" => Ok(used.into()),
        "pfree" => Ok(free_percent.into()),
        "pused" => Ok((100.0 - free_percent).into()),
        _ => Err(invalid(1)),
    }
}

/// No swap counts as 100 % free, so that a trigger on free swap stays quiet.
#[expect(clippy::cast_precision_loss, reason = "a percentage needs no 16th digit")]
fn percent(free: u64, total: u64) -> f64 {
    if total == 0 { 100.0 } else { free as f64 / total as f64 * 100.0 }
}

/// Pages since boot. Zabbix also accepts the kinds `count` and `sectors`, which kernels up to 2.4
/// report for single devices only: for all devices they are 0.
fn traffic(ask: &Ask<'_>, counter: &str) -> Outcome {
    let kind = ask.params.get_or(1, "pages");
    if !matches!(kind, "count" | "sectors" | "pages") {
        return Err(invalid(1));
    }
    if ask.params.get_or(0, "all") != "all" {
        return Err(Refusal::from("Cannot obtain swap information."));
    }
    if kind != "pages" {
        return Ok(0_u64.into());
    }
    let text = ask.root.read_or_refuse("/proc/vmstat")?;
    let pages = text.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        if name == counter { value.trim().parse::<u64>().ok() } else { None }
    });
    pages.map(Into::into).ok_or_else(|| Refusal::from("Cannot obtain swap information."))
}
