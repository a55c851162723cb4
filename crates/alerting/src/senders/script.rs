//! Scripts of the operator: a file of one folder is executed with arguments.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use db::objects::mediatype;
use model::document::Body;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use serde_json::Value as Json;

use super::outbound::{MessageError, Outbound, Said, Transcript, failed, text_of, with_message};

/// Bytes that are kept of a script's output.
const OUTPUT_BYTES_MAX: usize = 64 << 10;
/// Between two checks of a running script.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);
/// Of the output in an error, in characters.
const ERROR_CHARS: usize = 1_024;

/// Where scripts lie.
#[derive(Debug)]
pub struct ScriptFolder {
    /// `None`: no script is executed.
    pub folder: Option<PathBuf>,
    /// For one run.
    pub time: Duration,
    pub clock: Clock,
}

impl ScriptFolder {
    pub(super) fn send(
        &self,
        kind: &Body,
        message: &Outbound,
        stop: &Shutdown,
        transcript: &Transcript,
    ) -> Result<Option<String>, MessageError> {
        let Some(folder) = &self.folder else {
            return Err(MessageError::Hopeless(
                "scripts of media types are not executed: the setting alerting.scripts names no \
                 folder"
                    .to_owned(),
            ));
        };
        let name = text_of(kind, "exec_path");
        // The configuration refuses such names; a second check before execution.
        if name.is_empty() || name.contains('/') || name == ".." {
            return Err(MessageError::Hopeless(format!("\"{name}\" is no name of a script")));
        }
        let arguments = arguments(kind, message);
        transcript.add(Said::Us, format!("{name} {}", Json::from(arguments.clone())));
        let child = Command::new(folder.join(name))
            .args(&arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its child processes end with it.
            .process_group(0)
            .spawn();
        let child = child.map_err(|it| failed(format!("cannot execute \"{name}\": {it}")))?;
        let mut run = Run { child, output: Vec::new() };
        let ended = run.wait(self.time, &self.clock, stop);
        let output = String::from_utf8_lossy(&run.output).into_owned();
        transcript.add(Said::Them, output.trim_end());
        let short: String = output.trim().chars().take(ERROR_CHARS).collect();
        let shown = if short.is_empty() { String::new() } else { format!(": {short}") };
        match ended {
            Ok(0) => Ok(Some(output)),
            Ok(code) => Err(failed(format!("\"{name}\" ended with code {code}{shown}"))),
            Err(what) => Err(failed(format!("\"{name}\" {what}{shown}"))),
        }
    }
}

fn arguments(kind: &Body, message: &Outbound) -> Vec<String> {
    let given: Option<Vec<String>> = serde_json::from_str(&message.parameters).ok();
    given.unwrap_or_else(|| {
        let own = mediatype::parameters(kind).into_iter();
        own.map(|(_, value)| with_message(value, message)).collect()
    })
}

/// A script that runs; ended when it is dropped.
struct Run {
    child: Child,
    output: Vec<u8>,
}

impl Run {
    /// Gives the exit code.
    fn wait(&mut self, time: Duration, clock: &Clock, stop: &Shutdown) -> Result<i32, String> {
        let mut pipes: Vec<Box<dyn Pipe>> = Vec::new();
        if let Some(it) = self.child.stdout.take() {
            pipes.push(Box::new(it));
        }
        if let Some(it) = self.child.stderr.take() {
            pipes.push(Box::new(it));
        }
        for it in &pipes {
            let flags = FcntlArg::F_SETFL(OFlag::O_NONBLOCK);
            fcntl(it.as_fd(), flags).map_err(|it| format!("cannot be read: {it}"))?;
        }
        let limit_ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let end_ns = clock.mono_ns().saturating_add(limit_ns);
        loop {
            let ended = self.child.try_wait().map_err(|it| format!("is lost: {it}"))?;
            // After its end, for the rest of its output.
            pipes.retain_mut(|it| read_some(it.as_mut(), &mut self.output));
            if let Some(status) = ended {
                return status.code().ok_or_else(|| format!("was ended: {status}"));
            }
            if end_ns <= clock.mono_ns() {
                return Err(format!("took longer than {} s", time.as_secs()));
            }
            if stop.wait(LOOK_INTERVAL) {
                return Err("was ended with the server".to_owned());
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let group = i32::try_from(self.child.id()).map(Pid::from_raw);
        // The group may be gone: then there is nothing to end.
        group.ok().and_then(|it| killpg(it, Signal::SIGKILL).ok());
        self.child.wait().ok();
    }
}

trait Pipe: Read + AsFd + Send {}

impl<T: Read + AsFd + Send> Pipe for T {}

/// Reads the available bytes; false at the end.
fn read_some(pipe: &mut dyn Pipe, output: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 4_096];
    // A script that writes without end has others wait no longer for that.
    for _ in 0..64 {
        match pipe.read(&mut buffer) {
            Ok(0) => return false,
            Ok(n) => {
                let room = OUTPUT_BYTES_MAX.saturating_sub(output.len());
                output.extend_from_slice(buffer.get(..n.min(room)).unwrap_or_default());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
    true
}
