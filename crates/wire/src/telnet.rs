//! The part of Telnet below a terminal's text: commands are removed from the received bytes, and
//! every option that the other side offers or requests is declined.

const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
const BEGIN_OPTION: u8 = 250;
const END_OPTION: u8 = 240;

/// Reads a stream byte by byte.
#[derive(Debug, Clone, Copy, Default)]
pub struct TelnetReader {
    state: State,
}

#[derive(Debug, Clone, Copy, Default)]
enum State {
    #[default]
    Text,
    Command,
    /// The option of a `DO`, `WILL`, ….
    Option(u8),
    /// Inside an option's subnegotiation.
    Talk,
    TalkCommand,
}

impl TelnetReader {
    /// The byte if it is one of the text; the reply to a command is appended to `answer`.
    pub fn take(&mut self, byte: u8, answer: &mut Vec<u8>) -> Option<u8> {
        let mut text = None;
        self.state = match (self.state, byte) {
            (State::Text, IAC) => State::Command,
            (State::Text, byte) | (State::Command, byte @ IAC) => {
                text = Some(byte);
                State::Text
            }
            (State::Command, DO | DONT | WILL | WONT) => State::Option(byte),
            (State::Command, BEGIN_OPTION) => State::Talk,
            (State::Command, _) => State::Text,
            (State::Option(asked), option) => {
                match asked {
                    DO => answer.extend_from_slice(&[IAC, WONT, option]),
                    WILL => answer.extend_from_slice(&[IAC, DONT, option]),
                    _ => {}
                }
                State::Text
            }
            (State::Talk, IAC) => State::TalkCommand,
            (State::Talk, _) => State::Talk,
            (State::TalkCommand, END_OPTION) => State::Text,
            (State::TalkCommand, _) => State::Talk,
        };
        text
    }
}

/// Appends a line as a user types it: the byte that begins a command is doubled, the end is CR LF.
pub fn write_line(line: &[u8], out: &mut Vec<u8>) {
    for byte in line {
        out.push(*byte);
        if *byte == IAC {
            out.push(IAC);
        }
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_declined_and_taken_out() {
        let mut reader = TelnetReader::default();
        let mut answer = Vec::new();
        let sent = [
            b"a".as_slice(),
            &[IAC, DO, 24, IAC, WILL, 1, IAC, DONT, 3],
            &[IAC, BEGIN_OPTION, 24, 1, IAC, IAC, b'x', IAC, END_OPTION],
            &[b'b', IAC, IAC, b'c'],
        ];
        let sent = sent.concat();
        let text: Vec<u8> = sent.iter().filter_map(|it| reader.take(*it, &mut answer)).collect();
        assert_eq!(text, [b'a', b'b', 255, b'c']);
        assert_eq!(answer, [IAC, WONT, 24, IAC, DONT, 1]);
    }

    #[test]
    fn a_typed_line_cannot_hold_a_command() {
        let mut out = Vec::new();
        write_line(&[b'a', IAC, b'b'], &mut out);
        assert_eq!(out, [b'a', IAC, IAC, b'b', b'\r', b'\n']);
    }
}
