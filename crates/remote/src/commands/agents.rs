//! Commands by passive agents: `system.run` on a connection that is encrypted as the host's items have it. A host that
//! wants an encrypted connection is sent nothing on any other.

use collect::encryption::connect_as;
use model::encryption::Encryption;
use rt::budget::NoRoom;
use rt::reading::NO_ROOM;
use rt::tls::Stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use wire::passive::{self, Form, PassiveAnswer};
use wire::zbxd;

use super::CommandPort;
use crate::shells::OUTPUT_BYTES_MAX;

/// Where an agent listens, and how it is connected to.
type Place<'a> = ((&'a str, u16), Option<&'a Encryption>);

impl CommandPort {
    /// `system.run` of a passive agent; one that does not know the form of 7.0 is asked in the plain one.
    pub(super) fn agent(&self, at: Place<'_>, command: &str) -> Result<Vec<u8>, String> {
        let key = format!("system.run[{}]", quoted(command));
        let answered = async { tokio::time::timeout(self.time, self.run_by_agent(at, &key)).await };
        self.runtime
            .block_on(answered)
            .unwrap_or_else(|_late| Err("Timeout while executing a command.".to_owned()))
    }

    async fn run_by_agent(&self, at: Place<'_>, key: &str) -> Result<Vec<u8>, String> {
        for form in [Form::Json, Form::Plain] {
            let answer = match self.ask(at, form, key).await? {
                // Of a command without output; a server without permission gets no response at all.
                Some(it) if it.is_empty() && form == Form::Plain => return Ok(it),
                answer => answer.unwrap_or_default(),
            };
            return match passive::parse_answer(form, &answer) {
                PassiveAnswer::OldProtocol if form == Form::Json => continue,
                PassiveAnswer::Value(it) => Ok(it.into_owned().into_bytes()),
                PassiveAnswer::NoValue => Ok(Vec::new()),
                PassiveAnswer::NotSupported(why) | PassiveAnswer::RequestFailed(why) => {
                    Err(why.into_owned())
                }
                PassiveAnswer::AccessDenied => {
                    Err("The agent closed the connection: this server is not allowed there."
                        .to_owned())
                }
                PassiveAnswer::AgentError
                | PassiveAnswer::Malformed
                | PassiveAnswer::OldProtocol => {
                    Err("The agent answered something else.".to_owned())
                }
            };
        }
        Err("The agent answered something else.".to_owned())
    }

    /// `None`: the agent has closed the connection without an answer.
    async fn ask(
        &self,
        (address, encryption): Place<'_>,
        form: Form,
        key: &str,
    ) -> Result<Option<Vec<u8>>, String> {
        let mut stream = self.connect(address, encryption).await?;
        let mut payload = Vec::new();
        let seconds = u32::try_from(self.time.as_secs()).unwrap_or(u32::MAX).max(1);
        passive::encode_request(form, key, seconds, &mut payload);
        let mut packet = Vec::with_capacity(payload.len() + 13);
        zbxd::encode(&payload, &mut packet);
        let failed = |it: std::io::Error| format!("Get value from agent failed: {it}");
        stream.write_all(&packet).await.map_err(failed)?;
        let mut limits = zbxd::FrameLimits::with_max(OUTPUT_BYTES_MAX as u64);
        limits.plain = zbxd::Plain::UntilClose;
        let mut decoder = zbxd::Decoder::new(limits);
        let mut room = self.readings.begin((address.0, address.1));
        loop {
            let n = match stream.read_buf(decoder.buffer()).await {
                Ok(n) => n,
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => 0,
                Err(error) => return Err(failed(error)),
            };
            // A whole packet may be a compressed one.
            let bytes = match decoder.progress() {
                Ok(zbxd::Progress::Whole { bytes }) => bytes,
                _ => decoder.buffer().len() as u64,
            };
            room.try_cover(bytes).map_err(|NoRoom| NO_ROOM.to_owned())?;
            let frame = if n == 0 { decoder.close() } else { decoder.poll() };
            match frame {
                Ok(Some(frame)) => return Ok(Some(frame.payload.to_vec())),
                Ok(None) if n == 0 => return Ok(None),
                Ok(None) => {}
                Err(error) => return Err(format!("Get value from agent failed: {error}")),
            }
        }
    }

    /// A connection with the host's encryption. If it cannot be established, no part of the command
    /// was sent.
    async fn connect(
        &self,
        (address, port): (&str, u16),
        encryption: Option<&Encryption>,
    ) -> Result<Stream, String> {
        // Before the connection: a key that can't be used needs none.
        let how = connect_as(encryption)
            .map_err(|error| format!("Get value from agent failed: {error}"))?;
        let failed = |why: String| format!("Cannot connect to [[{address}]:{port}]: {why}");
        let found = tokio::net::lookup_host((address, port))
            .await
            .map_err(|error| failed(error.to_string()))?;
        let mut last = "the name has no address".to_owned();
        for it in found {
            match tokio::time::timeout(self.time / 2, TcpStream::connect(it)).await {
                Ok(Ok(stream)) => {
                    return self.tls.connect(stream, &how).await.map_err(|error| {
                        format!(
                            "Get value from agent failed: TCP successful, cannot establish TLS to \
                             [[{address}]:{port}]: {error}"
                        )
                    });
                }
                Ok(Err(error)) => last = error.to_string(),
                Err(_late) => "connection timed out".clone_into(&mut last),
            }
        }
        Err(failed(last))
    }
}

/// As a parameter of a key. A backslash at the end would hide the closing quote.
pub(super) fn quoted(command: &str) -> String {
    let end = if command.ends_with('\\') { " " } else { "" };
    format!("\"{}{end}\"", command.replace('"', "\\\""))
}
