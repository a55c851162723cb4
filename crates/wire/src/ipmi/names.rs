//! Names of codes: kinds of sensors and readings, units, states (IPMI 2.0, chapters 42 and 43).
//!
//! Kinds and units have the names of OpenIPMI and therefore of Zabbix, since templates search for
//! them.

/// Kinds of sensors, from code 1 on.
const SENSORS: [&str; 44] = [
    "temperature",
    "voltage",
    "current",
    "fan",
    "physical_security",
    "platform_security",
    "processor",
    "power_supply",
    "power_unit",
    "cooling_device",
    "other_units_based_sensor",
    "memory",
    "drive_slot",
    "power_memory_resize",
    "system_firmware_progress",
    "event_logging_disabled",
    "watchdog_1",
    "system_event",
    "critical_interrupt",
    "button",
    "module_board",
    "microcontroller_coprocessor",
    "add_in_card",
    "chassis",
    "chip_set",
    "other_fru",
    "cable_interconnect",
    "terminator",
    "system_boot_initiated",
    "boot_error",
    "os_boot",
    "os_critical_stop",
    "slot_connector",
    "system_acpi_power_state",
    "watchdog_2",
    "platform_alert",
    "entity_presence",
    "monitor_asic_ic",
    "lan",
    "management_subsystem_health",
    "battery",
    "session_audit",
    "version_change",
    "fru_state",
];

/// Kinds of readings, from code 1 on.
const READINGS: [&str; 12] = [
    "threshold",
    "discrete_usage",
    "discrete_state",
    "discrete_predictive_failure",
    "discrete_limit_exceeded",
    "discrete_performance_met",
    "discrete_severity",
    "discrete_device_presence",
    "discrete_device_enable",
    "discrete_availability",
    "discrete_redundancy",
    "discrete_acpi_power",
];
/// States have a meaning of their own for each kind of sensor.
const SENSOR_SPECIFIC: u8 = 0x6f;

pub(super) const THRESHOLDS: [&str; 6] = [
    "lower non critical",
    "lower critical",
    "lower non recoverable",
    "upper non critical",
    "upper critical",
    "upper non recoverable",
];

/// Units from code 0 on.
const UNITS: [&str; 80] = [
    "unspecified",
    "degrees C",
    "degrees F",
    "degrees K",
    "volts",
    "amps",
    "watts",
    "joules",
    "coulombs",
    "VA",
    "nits",
    "lumen",
    "lux",
    "candela",
    "kPa",
    "PSI",
    "newton",
    "CFM",
    "RPM",
    "HZ",
    "usecs",
    "msecs",
    "secs",
    "minutes",
    "hours",
    "days",
    "weeks",
    "mil",
    "inches",
    "feet",
    "cubic inches",
    "cubic feet",
    "millimeters",
    "centimeters",
    "meters",
    "cubic centimeters",
    "cubic meters",
    "liters",
    "fluid oz",
    "radians",
    "steradians",
    "revolutions",
    "cycles",
    "gravities",
    "ounces",
    "pounds",
    "foot pounds",
    "ounce inches",
    "gauss",
    "gilberts",
    "henries",
    "mhenries",
    "farads",
    "ufarads",
    "ohms",
    "siemens",
    "moles",
    "becquerels",
    "PPM",
    "reserved",
    "decibels",
    "dba",
    "dbc",
    "grays",
    "sieverts",
    "color temp deg K",
    "bits",
    "kbits",
    "mbits",
    "gbits",
    "bytes",
    "kbytes",
    "mbytes",
    "gbytes",
    "words",
    "dwords",
    "qwords",
    "lines",
    "hits",
    "misses",
];

const RATES: [&str; 8] = ["", "/usec", "/msec", "/sec", "/min", "/hour", "/day", ""];

/// States of generic readings, from code 2 on.
const GENERIC: [&[&str]; 11] = [
    &["transition to idle", "transition to active", "transition to busy"],
    &["state deasserted", "state asserted"],
    &["predictive failure deasserted", "predictive failure asserted"],
    &["limit not exceeded", "limit exceeded"],
    &["performance met", "performance lags"],
    &[
        "transition to OK",
        "transition to non-critical from OK",
        "transition to critical from less severe",
        "transition to non-recoverable from less severe",
        "transition to non-critical from more severe",
        "transition to critical from non-recoverable",
        "transition to non-recoverable",
        "monitor",
        "informational",
    ],
    &["device removed/device absent", "device inserted/device present"],
    &["device disabled", "device enabled"],
    &[
        "transition to running",
        "transition to in test",
        "transition to power off",
        "transition to on line",
        "transition to off line",
        "transition to off duty",
        "transition to degraded",
        "transition to power save",
        "install error",
    ],
    &[
        "fully redundant",
        "redundancy lost",
        "redundancy degraded",
        "non-redundant: sufficient resources from redundant",
        "non-redundant: sufficient resources from insufficient resources",
        "non-redundant: insufficient resources",
        "redundancy degraded from fully redundant",
        "redundancy degraded from non-redundant",
    ],
    &["D0 power state", "D1 power state", "D2 power state", "D3 power state"],
];

/// The states of kinds of sensors, by their code.
const SPECIFIC: &[(u8, &[&str])] = &[
    (
        0x05,
        &[
            "general chassis intrusion",
            "drive bay intrusion",
            "I/O card area intrusion",
            "processor area intrusion",
            "LAN leash lost",
            "unauthorized dock/undock",
            "fan area intrusion",
        ],
    ),
    (
        0x07,
        &[
            "IERR",
            "thermal trip",
            "FRB1/BIST failure",
            "FRB2/hang in POST failure",
            "FRB3/processor startup failure",
            "configuration error",
            "SM BIOS uncorrectable CPU-complex error",
            "processor presence detected",
            "processor disabled",
            "terminator presence detected",
            "processor throttled",
            "uncorrectable machine check exception",
            "correctable machine check error",
        ],
    ),
    (
        0x08,
        &[
            "presence detected",
            "power supply failure detected",
            "predictive failure",
            "power supply input lost (AC/DC)",
            "power supply input lost or out of range",
            "power supply input out of range, but present",
            "configuration error",
            "power supply inactive",
        ],
    ),
    (
        0x09,
        &[
            "power off/power down",
            "power cycle",
            "240VA power down",
            "interlock power down",
            "AC lost/power input lost",
            "soft power control failure",
            "power unit failure detected",
            "predictive failure",
        ],
    ),
    (
        0x0c,
        &[
            "correctable ECC/other correctable memory error",
            "uncorrectable ECC/other uncorrectable memory error",
            "parity",
            "memory scrub failed",
            "memory device disabled",
            "correctable ECC log limit reached",
            "presence detected",
            "configuration error",
            "spare",
            "memory automatically throttled",
            "critical overtemperature",
        ],
    ),
    (
        0x0d,
        &[
            "drive presence",
            "drive fault",
            "predictive failure",
            "hot spare",
            "consistency/parity check in progress",
            "in critical array",
            "in failed array",
            "rebuild/remap in progress",
            "rebuild/remap aborted",
        ],
    ),
    (
        0x10,
        &[
            "correctable memory error logging disabled",
            "event logging disabled",
            "log area reset/cleared",
            "all event logging disabled",
            "SEL full",
            "SEL almost full",
            "correctable machine check error logging disabled",
        ],
    ),
    (
        0x13,
        &[
            "front panel NMI/diagnostic interrupt",
            "bus timeout",
            "I/O channel check NMI",
            "software NMI",
            "PCI PERR",
            "PCI SERR",
            "EISA fail safe timeout",
            "bus correctable error",
            "bus uncorrectable error",
            "fatal NMI",
            "bus fatal error",
            "bus degraded",
        ],
    ),
    (0x14, &["power button pressed", "sleep button pressed", "reset button pressed"]),
    (
        0x22,
        &[
            "S0/G0: working",
            "S1: sleeping, system hardware and processor context maintained",
            "S2: sleeping, processor context lost",
            "S3: sleeping, processor and hardware context lost, memory retained",
            "S4: non-volatile sleep/suspend to disk",
            "S5/G2: soft off",
            "S4/S5: soft off",
            "G3: mechanical off",
        ],
    ),
    (0x23, &["timer expired", "hard reset", "power down", "power cycle"]),
    (0x25, &["entity present", "entity absent", "entity disabled"]),
    (0x27, &["LAN heartbeat lost", "LAN heartbeat"]),
    (0x29, &["battery low", "battery failed", "battery presence detected"]),
];

pub(super) fn sensor(code: u8) -> &'static str {
    let known = usize::from(code).checked_sub(1).and_then(|it| SENSORS.get(it));
    known.copied().unwrap_or(if code < 0xc0 { "reserved" } else { "oem" })
}

pub(super) fn reading(code: u8) -> &'static str {
    if code == SENSOR_SPECIFIC {
        return "sensor_specific";
    }
    let known = usize::from(code).checked_sub(1).and_then(|it| READINGS.get(it));
    known.copied().unwrap_or("oem")
}

/// The unit and its modifier, by the bytes of units: `% CFM/sec`, `foot pounds*secs`.
pub(super) fn units(flags: u8, base: u8, modifier: u8) -> String {
    let name = |it: u8| UNITS.get(usize::from(it)).copied().unwrap_or("reserved");
    let percent = if flags & 1 == 0 { "" } else { "% " };
    let rate = RATES.get(usize::from(flags >> 3 & 7)).copied().unwrap_or_default();
    let modified = match flags >> 1 & 3 {
        1 => format!("/{}", name(modifier)),
        2 => format!("*{}", name(modifier)),
        _ => String::new(),
    };
    if !percent.is_empty() && base == 0 {
        return format!("%{modified}{rate}");
    }
    format!("{percent}{}{modified}{rate}", name(base))
}

/// `None`: it has no name.
pub(super) fn state(sensor: u8, reading: u8, at: usize) -> Option<&'static str> {
    let of_kind = if reading == SENSOR_SPECIFIC {
        SPECIFIC.iter().find(|(code, _)| *code == sensor).map(|it| it.1)
    } else {
        usize::from(reading).checked_sub(2).and_then(|it| GENERIC.get(it)).copied()
    };
    of_kind?.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_names_that_templates_look_for() {
        assert_eq!((sensor(1), sensor(0x2c), sensor(0xc1)), ("temperature", "fru_state", "oem"));
        assert_eq!((reading(1), reading(0x0c)), ("threshold", "discrete_acpi_power"));
        assert_eq!((reading(0x6f), reading(0x70)), ("sensor_specific", "oem"));
        assert_eq!(units(0, 1, 0), "degrees C");
        assert_eq!(units(0, 18, 0), "RPM");
        assert_eq!(units(1, 0, 0), "%");
        assert_eq!(units(0b1_1000, 17, 0), "CFM/sec");
        assert_eq!(units(0b10, 46, 22), "foot pounds/secs");
        assert_eq!(state(8, 0x6f, 3), Some("power supply input lost (AC/DC)"));
        assert_eq!((state(8, 0x6f, 9), state(1, 1, 0)), (None, None));
        assert_eq!(state(0x25, 9, 1), Some("device enabled"));
    }
}
