//! Entry of the fuzz target in `fuzz/`; an ordinary test runs it over the corpus.

use std::fs;
use std::path::Path;

use model::key::ItemKey;
use model::{Now, Time};

use crate::{Agent, AgentSettings};

/// Every file that a collector reads.
pub const FILES: &[&str] = &[
    "proc/stat",
    "proc/meminfo",
    "proc/net/dev",
    "proc/net/tcp",
    "proc/net/udp",
    "proc/mounts",
    "proc/diskstats",
    "proc/loadavg",
    "proc/uptime",
    "proc/vmstat",
    "proc/1/status",
    "proc/1/cmdline",
    "proc/sys/fs/file-nr",
    "proc/sys/kernel/hostname",
    "proc/version",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/present",
    "sys/class/block/sda/uevent",
    "etc/os-release",
    "etc/hosts",
    "var/run/utmp",
    "file",
    "proc/1/stat",
    "proc/cpuinfo",
    "var/lib/dpkg/status",
    "sys/class/hwmon/hwmon0/name",
    "sys/class/hwmon/hwmon0/temp1_input",
    "sys/class/net/eth0/address",
    "etc/services",
];

/// Any key over any file: the first line is the file's place in [`FILES`], the second the key, the
/// rest the content of the file. `root` is a folder for this call alone.
pub fn answer(root: &Path, data: &[u8]) {
    let mut parts = data.splitn(3, |it| *it == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let (file, key, content) = (part(), part(), part());
    let text = |it| std::str::from_utf8(it).ok();
    let file = text(file).and_then(|it| it.parse::<usize>().ok()).and_then(|it| FILES.get(it));
    let (Some(file), Some(key)) = (file, text(key)) else { return };
    // A key may leave the root, and would then read the machine's own files.
    if key.contains("..") {
        return;
    }
    let Ok(key) = ItemKey::parse(key) else { return };
    let path = root.join(file);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).expect("a folder is made");
    }
    fs::write(&path, content).expect("a file is written");
    let agent = Agent::new(AgentSettings {
        root: root.to_owned(),
        time_zone: jiff::tz::TimeZone::UTC,
        ..AgentSettings::default()
    });
    let at = |secs: u64| Now {
        wall: Time::from_clock(1_800_000_000, 765_000_000),
        mono_ns: secs * 1_000_000_000,
    };
    agent.sample(at(1));
    let _answer = agent.get(&key, at(1));
    agent.sample(at(2));
    let _answer = agent.get(&key, at(3));
    fs::remove_file(&path).expect("a file is removed");
}
