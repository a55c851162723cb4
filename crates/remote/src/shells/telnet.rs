//! Commands by Telnet: negotiation is declined, a prompt is waited for, the command is typed in.
//!
//! There is no sign of a command's end but the next prompt: a line that ends with one of `$ # > %`, as in Zabbix.

use std::io::{Read, Write};
use std::net::TcpStream;

use alerting::ports::CommandLogin;
use collect::Transcript;
use collect::transcript::LineKind;
use rt::reading::Reading;
use wire::telnet;

use super::{Deadline, OUTPUT_BYTES_MAX, Output};

/// Last characters of a prompt.
const PROMPTS: [u8; 4] = [b'$', b'#', b'>', b'%'];

/// Logs in and types the command's lines. The terminal's output goes to the transcript, if there is
/// one.
pub(crate) fn execute(
    stream: &mut TcpStream,
    login: &CommandLogin,
    command: &str,
    (deadline, transcript): (&Deadline<'_>, Option<&Transcript>),
    room: Reading,
) -> Result<Output, String> {
    let (reader, printed) = (telnet::TelnetReader::default(), Output::new(room));
    let mut terminal = Terminal { stream, deadline, transcript, reader, text: Vec::new(), printed };
    let printed = terminal.converse(login, command);
    if let (Some(it), Err(reason)) = (transcript, &printed) {
        it.push(LineKind::Note, reason, b"");
    }
    printed.map(|()| terminal.printed)
}

fn is_prompt(text: &[u8]) -> bool {
    text.trim_ascii_end().last().is_some_and(|it| PROMPTS.contains(it))
}

fn is_prompt_or_refusal(text: &[u8]) -> bool {
    is_prompt(text) || text.trim_ascii_end().ends_with(b":")
}

/// The output of a command, without the typed line and the next prompt.
fn without_echo(text: &[u8], line: &str) -> Vec<u8> {
    let text: Vec<u8> = text.iter().copied().filter(|it| *it != b'\r').collect();
    let start = text.trim_ascii_start();
    let rest = start.strip_prefix(line.as_bytes()).unwrap_or(start);
    let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    let end = rest.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    rest.get(..end).unwrap_or_default().to_vec()
}

struct Terminal<'a> {
    stream: &'a mut TcpStream,
    deadline: &'a Deadline<'a>,
    transcript: Option<&'a Transcript>,
    reader: telnet::TelnetReader,
    /// Since the last line was typed.
    text: Vec<u8>,
    printed: Output,
}

impl Terminal<'_> {
    fn converse(&mut self, login: &CommandLogin, command: &str) -> Result<(), String> {
        self.until(&mut |it| it.ends_with(b":"), "No login prompt.")?;
        self.write(&login.username)?;
        self.until(&mut |it| it.ends_with(b":"), "No password prompt.")?;
        self.write(&login.password)?;
        self.record(LineKind::Note, "the password was typed");
        self.until(&mut is_prompt_or_refusal, "Login failed.")?;
        if !is_prompt(&self.text) {
            return Err("Login failed.".to_owned());
        }
        self.record(LineKind::Note, &format!("logged in as {}", login.username));
        for line in command.lines() {
            self.record(LineKind::Sent, line);
            self.write(line)?;
            self.until(&mut is_prompt, "Cannot find prompt after command execution.")?;
            let printed = without_echo(&self.text, line);
            self.printed.keep(&printed, self.text.len())?;
        }
        Ok(())
    }

    fn record(&self, kind: LineKind, text: &str) {
        if let Some(it) = self.transcript {
            it.push(kind, text, b"");
        }
    }

    fn write(&mut self, line: &str) -> Result<(), String> {
        self.text.clear();
        self.deadline.apply(self.stream)?;
        let mut bytes = Vec::with_capacity(line.len() + 2);
        telnet::write_line(line.as_bytes(), &mut bytes);
        self.stream.write_all(&bytes).map_err(|it| format!("Telnet failed: {it}"))
    }

    /// Reads until the text ends as wanted; `otherwise`: the error if the other side hangs up
    /// before.
    fn until(
        &mut self,
        is_end: &mut dyn FnMut(&[u8]) -> bool,
        otherwise: &str,
    ) -> Result<(), String> {
        let read = self.read_until(is_end, otherwise);
        if let Some(it) = self.transcript {
            it.push(LineKind::Received, "", &self.text);
        }
        read
    }

    fn read_until(
        &mut self,
        is_end: &mut dyn FnMut(&[u8]) -> bool,
        otherwise: &str,
    ) -> Result<(), String> {
        let mut buffer = [0; 4_096];
        while !is_end(self.text.trim_ascii_end()) {
            self.deadline.apply(self.stream)?;
            let n = self.stream.read(&mut buffer).map_err(|it| {
                let is_late = matches!(
                    it.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                );
                if is_late { otherwise.to_owned() } else { format!("Telnet failed: {it}") }
            })?;
            if n == 0 {
                return Err(otherwise.to_owned());
            }
            let mut answer = Vec::new();
            for byte in buffer.get(..n).unwrap_or_default() {
                if let Some(byte) = self.reader.take(*byte, &mut answer) {
                    self.text.push(byte);
                }
            }
            // Of too much the end counts: there the prompt is.
            if 2 * OUTPUT_BYTES_MAX < self.text.len() {
                let end = self.text.len() - buffer.len();
                self.text.drain(OUTPUT_BYTES_MAX..end);
            }
            self.printed.keep(b"", self.text.len())?;
            self.deadline.apply(self.stream)?;
            self.stream.write_all(&answer).map_err(|it| format!("Telnet failed: {it}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_was_typed_is_no_output() {
        let of = |text: &str| String::from_utf8(without_echo(text.as_bytes(), "id")).unwrap();
        assert_eq!(of("id\r\nuid=0\r\nroot@box:~# "), "uid=0\n");
        assert_eq!(of("uid=0\r\n$ "), "uid=0\n");
        assert_eq!(of("id\r\n$ "), "");
    }
}
