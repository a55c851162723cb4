//! Memory, from /proc/meminfo. The kernel's numbers are in units of 1,024 bytes, those of keys in
//! bytes.

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, Value};
use crate::params::invalid;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[Key::small("vm.memory.size", 1, size)];

fn size(ask: &Ask<'_>) -> Outcome {
    let mode = ask.params.get_or(0, "total");
    if mode == "shared" {
        return Err(Refusal::from("Supported for Linux 2.4 only."));
    }
    let text = ask.root.read_or_refuse("/proc/meminfo")?;
    let info = Info(&text);
    let value = match mode {
        "total" => info.bytes("MemTotal")?.into(),
        "free" => info.bytes("MemFree")?.into(),
        "buffers" => info.bytes("Buffers")?.into(),
        "cached" => info.bytes("Cached")?.into(),
        "active" => info.bytes("Active")?.into(),
        "inactive" => info.bytes("Inactive")?.into(),
        "anon" => info.bytes("AnonPages")?.into(),
        "slab" => info.bytes("Slab")?.into(),
        "used" => info.used()?.into(),
        "pused" => info.percent(info.used()?)?,
        "available" => info.available()?.into(),
        "pavailable" => info.percent(info.available()?)?,
        _ => return Err(invalid(0)),
    };
    Ok(value)
}

pub(super) fn total(root: &Root) -> Result<u64, Refusal> {
    Info(&root.read_or_refuse("/proc/meminfo")?).bytes("MemTotal")
}

struct Info<'a>(&'a str);

impl Info<'_> {
    fn find(&self, name: &str) -> Option<u64> {
        let line = self.0.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':'))?;
        let kib = line.split_whitespace().next()?.parse::<u64>().ok()?;
        kib.checked_mul(1024)
    }

    fn bytes(&self, name: &str) -> Result<u64, Refusal> {
        self.find(name).ok_or_else(|| Refusal::from("Cannot obtain value from /proc/meminfo."))
    }

    fn used(&self) -> Result<u64, Refusal> {
        Ok(self.bytes("MemTotal")?.saturating_sub(self.bytes("MemFree")?))
    }

    /// Kernels before 3.14 do not report it; the memory that they can reclaim at once is close
    /// enough.
    fn available(&self) -> Result<u64, Refusal> {
        match self.find("MemAvailable") {
            Some(bytes) => Ok(bytes),
            None => Ok(self.bytes("MemFree")? + self.bytes("Buffers")? + self.bytes("Cached")?),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a percentage needs no 16th digit")]
    fn percent(&self, part: u64) -> Result<Value, Refusal> {
        match self.bytes("MemTotal")? {
            0 => Err(Refusal::from("Cannot calculate percentage because total is zero.")),
            total => Ok((part as f64 / total as f64 * 100.0).into()),
        }
    }
}
