//! Sensors of the hardware, from /sys/class/hwmon: temperatures, voltages, fans.
//!
//! Values are in the units of the hardware's documentation: degrees, volts, turns a minute. The device is
//! a name such as `coretemp` or, with a mode, a pattern for several.

use formats::regexp::Regexp;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::regex;

pub(crate) const KEYS: &[Key] = &[Key::may_block("sensor", 3, sensor)];

const CLASS: &str = "/sys/class/hwmon";

fn sensor(ask: &Ask<'_>) -> Outcome {
    let device = ask.params.required(0)?;
    let name = ask.params.required(1)?;
    let mode = ask.params.get(2);
    if !matches!(mode, "" | "avg" | "max" | "min") {
        return Err(invalid(2));
    }
    let (devices, sensors): (Option<Regexp>, Option<Regexp>) = match mode {
        "" => (None, None),
        _ => (Some(regex::compile(&ask.params, 0)?), Some(regex::compile(&ask.params, 1)?)),
    };
    let fits = |pattern: &Option<Regexp>, written: &str, text: &str| match pattern {
        Some(pattern) => regex::is_match(pattern, text),
        None => written == text,
    };
    let mut values = Vec::new();
    let mut chips = ask.root.names(CLASS).unwrap_or_default();
    chips.sort_unstable();
    for chip in chips {
        let folder = format!("{CLASS}/{chip}");
        let text = ask.root.read(&format!("{folder}/name")).unwrap_or_default();
        let own = text.trim();
        // `coretemp` and, in another spelling, `coretemp-isa-0000`.
        let written = device.split('-').next().unwrap_or_default();
        let is_meant = fits(&devices, device, own) || (devices.is_none() && written == own);
        if !is_meant {
            continue;
        }
        for file in ask.root.names(&folder).unwrap_or_default() {
            let Some(sensor) = file.strip_suffix("_input") else { continue };
            if !fits(&sensors, name, sensor) {
                continue;
            }
            let raw = ask.root.read(&format!("{folder}/{file}")).unwrap_or_default();
            values.extend(raw.trim().parse::<f64>().ok().map(|it| it / unit(sensor)));
        }
    }
    let first = values.first().copied();
    let value = match mode {
        "max" => values.iter().copied().reduce(f64::max),
        "min" => values.iter().copied().reduce(f64::min),
        #[expect(clippy::cast_precision_loss, reason = "a number of sensors")]
        "avg" => first.map(|_| values.iter().sum::<f64>() / values.len() as f64),
        _ => first,
    };
    let none = || Refusal::from("Cannot obtain sensor information.");
    value.map(Into::into).ok_or_else(none)
}

/// The kernel writes thousandths, except for fans.
fn unit(sensor: &str) -> f64 {
    match sensor.trim_end_matches(|it: char| it.is_ascii_digit()) {
        "fan" | "pwm" => 1.0,
        "power" | "energy" => 1_000_000.0,
        _ => 1_000.0,
    }
}
