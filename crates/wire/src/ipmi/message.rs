//! Commands and their answers.
//!
//! ```text
//! to (1) · net function and LUN (1) · checksum (1) · from (1) · number and LUN (1) · command (1) ·
//! data, of answers a completion code first · checksum (1)
//! ```

/// The controller of a device.
const BMC: u8 = 0x20;
/// Software on another machine.
const CONSOLE: u8 = 0x81;

/// Families of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetFn {
    Chassis,
    Sensor,
    App,
    Storage,
}

impl NetFn {
    fn code(self) -> u8 {
        match self {
            Self::Chassis => 0x00,
            Self::Sensor => 0x04,
            Self::App => 0x06,
            Self::Storage => 0x0a,
        }
    }
}

/// A command to the device's controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IpmiExchange {
    pub net_fn: NetFn,
    pub command: u8,
    /// Of the requested sensor; 0 for everything else.
    pub lun: u8,
    /// 0 to 63: it matches an answer to its question.
    pub number: u8,
}

impl IpmiExchange {
    /// The command with its data.
    #[must_use]
    pub fn question(&self, data: &[u8]) -> Vec<u8> {
        let mut message = vec![BMC, self.net_fn.code() << 2 | self.lun & 3];
        message.push(checksum(&message));
        let start = message.len();
        message.extend_from_slice(&[CONSOLE, self.number << 2, self.command]);
        message.extend_from_slice(data);
        message.push(checksum(message.get(start..).unwrap_or_default()));
        message
    }

    /// Completion code and data of the answer; `None`: the message is not the answer to this.
    #[must_use]
    pub fn answer<'a>(&self, message: &'a [u8]) -> Option<(u8, &'a [u8])> {
        let (head, rest) = message.split_at_checked(3)?;
        let (body, sum) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
        let is_whole = checksum(head) == 0 && checksum(body) == *sum.first()?;
        let [_from, number, command, code, data @ ..] = body else { return None };
        let is_this = head.first() == Some(&CONSOLE)
            && head.get(1)? >> 2 == self.net_fn.code() | 1
            && number >> 2 == self.number
            && *command == self.command;
        (is_whole && is_this).then_some((*code, data))
    }
}

/// The byte that makes the sum of all bytes 0.
fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0_u8, |sum, it| sum.wrapping_sub(*it))
}

/// The meaning of a completion code.
#[must_use]
pub fn completion_text(code: u8) -> String {
    let text = match code {
        0xc0 => "node busy",
        0xc1 => "invalid command",
        0xc3 => "timeout while processing the command",
        0xc5 => "reservation canceled",
        0xc9 => "parameter out of range",
        0xca => "cannot return so many bytes",
        0xcb => "requested sensor, data or record is not there",
        0xcc => "invalid data field in request",
        0xcd => "command is not for this sensor or record",
        0xce => "command cannot be answered",
        0xd4 => "insufficient privilege level",
        0xd5 => "command is not supported in the present state",
        0xff => "unspecified error",
        other => return format!("error 0x{other:02x}"),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET_DEVICE_ID: IpmiExchange =
        IpmiExchange { net_fn: NetFn::App, command: 0x01, lun: 0, number: 5 };

    /// The example of the specification: the sums of its two parts are 0.
    #[test]
    fn commands_are_written_with_their_sums() {
        let question = GET_DEVICE_ID.question(&[]);
        assert_eq!(question, [0x20, 0x18, 0xc8, 0x81, 0x14, 0x01, 0x6a]);
    }

    #[test]
    fn only_the_own_answer_is_taken() {
        let mut answer = vec![0x81, 0x1c, 0x63, 0x20, 0x14, 0x01, 0x00, 0xaa, 0xbb];
        answer.push(checksum(&answer[3..]));
        assert_eq!(GET_DEVICE_ID.answer(&answer), Some((0, &[0xaa, 0xbb][..])));
        let other = IpmiExchange { number: 6, ..GET_DEVICE_ID };
        assert_eq!(other.answer(&answer), None);
        for at in 0..answer.len() {
            let mut damaged = answer.clone();
            damaged[at] ^= 0x40;
            assert_eq!(GET_DEVICE_ID.answer(&damaged), None, "{at}");
            assert_eq!(GET_DEVICE_ID.answer(&answer[..at]), None, "{at}");
        }
    }
}
