//! The time since the machine was started.

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};

pub(crate) const KEYS: &[Key] =
    &[Key::small("system.uptime", 0, uptime), Key::small("system.boottime", 0, boot_time)];

fn uptime(ask: &Ask<'_>) -> Outcome {
    let text = ask.root.read_or_refuse("/proc/uptime")?;
    let seconds = text.split(['.', ' ']).next().and_then(|it| it.parse::<u64>().ok());
    seconds.map(Into::into).ok_or_else(|| Refusal::from("Cannot obtain value from /proc/uptime."))
}

fn boot_time(ask: &Ask<'_>) -> Outcome {
    super::kernel::stat_number(ask.root, "btime").map(Into::into)
}
