//! The machine: processors, chassis, devices, addresses of network cards.
//!
//! `system.hw.devices` is the output of `lspci` or `lsusb`, which are started without a shell.

use std::process::{Command, Stdio};

use nix::ifaddrs::{InterfaceAddress, getifaddrs};

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::regex;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("system.hw.chassis", 1, chassis),
    Key::may_block("system.hw.cpu", 2, processors),
    Key::may_block("system.hw.devices", 1, devices),
    Key::may_block("system.hw.macaddr", 2, addresses),
];

const CHASSIS: &str = "Cannot obtain hardware information.";

/// Fields of the firmware that the kernel shows.
fn chassis(ask: &Ask<'_>) -> Outcome {
    let field = |name: &str| {
        let text = ask.root.read(&format!("/sys/class/dmi/id/{name}")).ok()?;
        Some(text.trim().to_owned()).filter(|it| !it.is_empty())
    };
    let parts: &[&str] = match ask.params.get_or(0, "full") {
        "full" => &["sys_vendor", "product_name", "product_version", "product_serial", "type"],
        "model" => &["product_name", "product_version"],
        "serial" => &["product_serial"],
        "type" => &["type"],
        "vendor" => &["sys_vendor"],
        _ => return Err(invalid(0)),
    };
    let value = |name: &&str| match *name {
        "type" => field("chassis_type")?
            .parse::<usize>()
            .ok()
            .and_then(|it| CHASSIS_TYPES.get(it.checked_sub(1)?).map(|it| (*it).to_owned())),
        name => field(name),
    };
    let parts: Vec<String> = parts.iter().filter_map(value).collect();
    if parts.is_empty() { Err(Refusal::from(CHASSIS)) } else { Ok(parts.join(" ").into()) }
}

/// The standard's names of types, from 1.
const CHASSIS_TYPES: [&str; 36] = [
    "Other",
    "Unknown",
    "Desktop",
    "Low Profile Desktop",
    "Pizza Box",
    "Mini Tower",
    "Tower",
    "Portable",
    "LapTop",
    "Notebook",
    "Hand Held",
    "Docking Station",
    "All in One",
    "Sub Notebook",
    "Space-saving",
    "Lunch Box",
    "Main Server Chassis",
    "Expansion Chassis",
    "SubChassis",
    "Bus Expansion Chassis",
    "Peripheral Chassis",
    "RAID Chassis",
    "Rack Mount Chassis",
    "Sealed-case PC",
    "Multi-system chassis",
    "Compact PCI",
    "Advanced TCA",
    "Blade",
    "Blade Enclosure",
    "Tablet",
    "Convertible",
    "Detachable",
    "IoT Gateway",
    "Embedded PC",
    "Mini PC",
    "Stick PC",
];

const NO_CPU: &str = "Cannot obtain CPU information.";

/// A processor of /proc/cpuinfo.
#[derive(Debug, Default)]
struct Processor {
    vendor: String,
    model: String,
    mhz: Option<f64>,
}

fn processors(ask: &Ask<'_>) -> Outcome {
    let wanted = match ask.params.get_or(0, "all") {
        "all" => None,
        number => Some(number.parse::<u32>().map_err(|_source| invalid(0))?),
    };
    let mode = ask.params.get_or(1, "full");
    if !matches!(mode, "full" | "maxfreq" | "vendor" | "model" | "curfreq") {
        return Err(invalid(1));
    }
    let text = ask.root.read_or_refuse("/proc/cpuinfo")?;
    let mut lines = Vec::new();
    for (number, processor) in parse(&text) {
        if wanted.is_some_and(|it| it != number) {
            continue;
        }
        let max_khz = max_khz(ask.root, number);
        if let Some(value) = processor.show(mode, max_khz, wanted.is_some()) {
            // A processor asked for by its number is shown without a name, except with all its
            // details.
            lines.push(match wanted {
                Some(_) if mode != "full" => value,
                _ => format!("processor {number}: {value}"),
            });
        }
    }
    if lines.is_empty() {
        return Err(Refusal::from(NO_CPU));
    }
    // A single frequency is returned as a number.
    match (lines.as_slice(), wanted, mode) {
        ([one], Some(_), "maxfreq" | "curfreq") => match one.parse::<u64>() {
            Ok(hertz) => Ok(hertz.into()),
            Err(_not_a_number) => Err(Refusal::from(NO_CPU)),
        },
        _ => Ok(lines.join("\n").into()),
    }
}

fn max_khz(root: &Root, number: u32) -> Option<u64> {
    let path = format!("/sys/devices/system/cpu/cpu{number}/cpufreq/cpuinfo_max_freq");
    root.read(&path).ok()?.trim().parse().ok()
}

fn parse(text: &str) -> Vec<(u32, Processor)> {
    let mut found: Vec<(u32, Processor)> = Vec::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.trim() == "processor" {
            if let Ok(number) = value.parse() {
                found.push((number, Processor::default()));
            }
            continue;
        }
        let Some((_, processor)) = found.last_mut() else { continue };
        match name.trim() {
            "vendor_id" => value.clone_into(&mut processor.vendor),
            "model name" => value.clone_into(&mut processor.model),
            "cpu MHz" => processor.mhz = value.parse().ok(),
            _ => {}
        }
    }
    found
}

impl Processor {
    fn show(&self, mode: &str, max_khz: Option<u64>, is_alone: bool) -> Option<String> {
        let filled = |it: &String| (!it.is_empty()).then(|| it.clone());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a frequency")]
        let mhz = self.mhz.map(|it| it as u64);
        let frequency = |mhz: u64, hertz: u64| {
            if is_alone { hertz.to_string() } else { format!("{mhz}MHz") }
        };
        match mode {
            "vendor" => filled(&self.vendor),
            "model" => filled(&self.model),
            "curfreq" => mhz.map(|it| frequency(it, it * 1_000_000)),
            "maxfreq" => max_khz.map(|it| frequency(it / 1_000, it * 1_000)),
            _ => {
                let mut parts: Vec<String> =
                    [&self.vendor, &self.model].into_iter().filter_map(filled).collect();
                parts.extend(mhz.map(|it| format!("working at {it}MHz")));
                parts.extend(max_khz.map(|it| format!("(maximum {}MHz)", it / 1_000)));
                Some(parts.join(" "))
            }
        }
    }
}

fn devices(ask: &Ask<'_>) -> Outcome {
    let program = match ask.params.get_or(0, "pci") {
        "pci" => "lspci",
        "usb" => "lsusb",
        _ => return Err(invalid(0)),
    };
    let output = Command::new(program).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output =
        output.map_err(|source| Refusal::from(format!("Cannot execute {program}: {source}")))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().into())
}

/// Ethernet cards, each address once.
fn addresses(ask: &Ask<'_>) -> Outcome {
    let pattern = regex::compile_optional(&ask.params, 0)?;
    let shows_names = match ask.params.get_or(1, "full") {
        "full" => true,
        "short" => false,
        _ => return Err(invalid(1)),
    };
    // As in Zabbix, only cards with an IPv4 address.
    let named: Vec<String> = match getifaddrs() {
        Ok(all) => all.filter(has_address).map(|it| it.interface_name).collect(),
        Err(_none) => Vec::new(),
    };
    let class = "/sys/class/net";
    let mut names = ask.root.names(class).unwrap_or_default();
    names.sort_unstable();
    let mut found: Vec<(String, String)> = Vec::new();
    for name in names {
        let field = |it: &str| {
            let text = ask.root.read(&format!("{class}/{name}/{it}")).unwrap_or_default();
            text.trim().to_owned()
        };
        let is_wanted = pattern.as_ref().is_none_or(|it| regex::is_match(it, &name));
        let address = field("address");
        // Type 1 is Ethernet; a device without an address is no card.
        let is_card = field("type") == "1" && address.bytes().any(|it| !matches!(it, b'0' | b':'));
        let is_known = found.iter().any(|it| it.1 == address);
        if is_wanted && is_card && !is_known && named.contains(&name) {
            found.push((name, address));
        }
    }
    let show = |(name, address): &(String, String)| {
        if shows_names { format!("[{name}] {address}") } else { address.clone() }
    };
    let mut shown: Vec<String> = found.iter().map(show).collect();
    shown.sort_unstable();
    Ok(shown.join(", ").into())
}

fn has_address(interface: &InterfaceAddress) -> bool {
    interface.address.is_some_and(|it| it.as_sockaddr_in().is_some())
}
