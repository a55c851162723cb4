//! The chassis of a device: its commands, and whether its power is on.

/// Get chassis status.
pub const CHASSIS_STATUS: u8 = 0x01;
/// Chassis control, with [`ChassisControl::code`].
pub const CHASSIS_CONTROL: u8 = 0x02;

/// A command for a chassis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChassisControl {
    PowerDown,
    PowerUp,
    PowerCycle,
    HardReset,
    DiagnosticInterrupt,
    /// As a press of the power button: the operating system shuts down.
    SoftShutdown,
}

impl ChassisControl {
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::PowerDown => 0,
            Self::PowerUp => 1,
            Self::PowerCycle => 2,
            Self::HardReset => 3,
            Self::DiagnosticInterrupt => 4,
            Self::SoftShutdown => 5,
        }
    }

    /// Whether executing the command twice has the same effect as executing it once.
    #[must_use]
    pub fn is_repeatable(self) -> bool {
        matches!(self, Self::PowerDown | Self::PowerUp)
    }
}

/// Whether the power is on, by the data of a status; `None`: there is none.
#[must_use]
pub fn is_powered(status: &[u8]) -> Option<bool> {
    status.first().map(|it| it & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_has_the_power_state() {
        // On, with the policy "stays off after a power failure" and an interlock; off with a fault; nothing.
        let states = [&[0x05, 0x00, 0x00][..], &[0x08, 0x00, 0x00], &[]].map(is_powered);
        assert_eq!(states, [Some(true), Some(false), None]);
    }
}
