//! The text of scripts of type IPMI: `<control> [<value>]`, as in Zabbix.
//!
//! Two controls are known, those that every chassis has: `power` and `reset`. A value is `on`, `off` or a number, and
//! without one a control is switched on. For `power` the words of `ipmitool` are taken as well.

use thiserror::Error;

/// A command or a question to a chassis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IpmiCommand {
    PowerUp,
    PowerDown,
    PowerCycle,
    HardReset,
    DiagnosticInterrupt,
    /// By the operating system, as a press of the power button does.
    SoftShutdown,
    /// Whether the power is on.
    PowerStatus,
}

/// Why a text is no command.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IpmiCommandError {
    #[error("IPMI command is empty")]
    Empty,
    #[error("IPMI control \"{0}\" is not supported: there are \"power\" and \"reset\"")]
    UnknownControl(String),
    #[error("IPMI command value \"{value}\" is not supported: \"{control}\" takes {taken}")]
    UnknownValue { control: &'static str, value: String, taken: &'static str },
}

impl IpmiCommand {
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<Self, IpmiCommandError> {
        let text = text.trim();
        let (control, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim_start().to_ascii_lowercase();
        match control {
            "" => Err(IpmiCommandError::Empty),
            "power" => power(&value).ok_or(IpmiCommandError::UnknownValue {
                control: "power",
                value,
                taken: "on, off, a number, up, down, cycle, reset, diag, soft and status",
            }),
            // To switch a reset off means nothing.
            "reset" => is_on(&value).filter(|it| *it).map(|_| Self::HardReset).ok_or(
                IpmiCommandError::UnknownValue {
                    control: "reset",
                    value,
                    taken: "on and a number above 0",
                },
            ),
            other => Err(IpmiCommandError::UnknownControl(other.to_owned())),
        }
    }
}

fn power(value: &str) -> Option<IpmiCommand> {
    Some(match value {
        "up" => IpmiCommand::PowerUp,
        "down" => IpmiCommand::PowerDown,
        "cycle" => IpmiCommand::PowerCycle,
        "reset" => IpmiCommand::HardReset,
        "diag" => IpmiCommand::DiagnosticInterrupt,
        "soft" => IpmiCommand::SoftShutdown,
        "status" => IpmiCommand::PowerStatus,
        other if is_on(other)? => IpmiCommand::PowerUp,
        _ => IpmiCommand::PowerDown,
    })
}

/// A value of any control; `None`: it is none.
fn is_on(value: &str) -> Option<bool> {
    match value {
        "" | "on" => Some(true),
        "off" => Some(false),
        number if number.bytes().all(|it| it.is_ascii_digit()) => {
            number.parse::<u32>().ok().map(|it| it != 0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        IpmiCommand::parse(text).expect_err("it is no command").to_string()
    }

    #[test]
    fn a_control_has_a_value_and_is_switched_on_without_one() {
        use IpmiCommand::*;
        let cases = [
            ("power", PowerUp),
            ("power on", PowerUp),
            (" power\tON \r\n", PowerUp),
            ("power 1", PowerUp),
            // As in Zabbix, whose control is on or off.
            ("power 2", PowerUp),
            ("power off", PowerDown),
            ("power 0", PowerDown),
            ("power up", PowerUp),
            ("power down", PowerDown),
            ("power cycle", PowerCycle),
            ("power reset", HardReset),
            ("power diag", DiagnosticInterrupt),
            ("power Soft", SoftShutdown),
            ("power   status", PowerStatus),
            ("reset", HardReset),
            ("reset on", HardReset),
            ("reset 1", HardReset),
        ];
        for (text, expected) in cases {
            assert_eq!(IpmiCommand::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn malformed_command_is_refused() {
        assert_eq!(error(" \n"), "IPMI command is empty");
        let unknown = |name: &str| {
            format!("IPMI control \"{name}\" is not supported: there are \"power\" and \"reset\"")
        };
        for (text, name) in [("fan 3", "fan"), ("Power on", "Power"), ("poweroff", "poweroff")] {
            assert_eq!(error(text), unknown(name));
        }
        assert_eq!(
            error("power maybe"),
            "IPMI command value \"maybe\" is not supported: \"power\" takes on, off, a number, up, down, cycle, reset, \
             diag, soft and status"
        );
        for text in ["power -1", "power 1.5", "power 99999999999", "power off now"] {
            assert!(error(text).starts_with("IPMI command value \""), "{text}");
        }
        for text in ["reset off", "reset 0", "reset cycle"] {
            assert!(error(text).ends_with("\"reset\" takes on and a number above 0"), "{text}");
        }
    }
}
