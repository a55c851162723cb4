//! Commands by SSH.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use alerting::ports::CommandLogin;
use collect::Transcript;
use collect::transcript::{LineKind, SHOWN_BYTES_MAX};
use rt::reading::Reading;
use ssh2::{Channel, ExtendedData, KeyboardInteractivePrompt, MethodType, Prompt, Session};

use super::{Deadline, Output};

/// A command, and how it is executed.
pub(crate) struct SshCommand<'a> {
    pub(crate) login: &'a CommandLogin,
    /// Files of the public and the private key; `None`: with a password.
    pub(crate) key: Option<(&'a str, &'a str)>,
    /// Where they lie.
    pub(crate) keys: Option<&'a Path>,
    /// `KexAlgorithms=…;Ciphers=…`
    pub(crate) options: &'a str,
    /// Asked instead of a shell; empty: none.
    pub(crate) subsystem: &'a str,
    pub(crate) command: &'a str,
    /// Error output is part of the result.
    pub(crate) takes_errors: bool,
    /// Of a trial.
    pub(crate) transcript: Option<&'a Transcript>,
}

impl SshCommand<'_> {
    fn record(&self, kind: LineKind, head: &str, body: &[u8]) {
        if let Some(it) = self.transcript {
            it.push(kind, head, body);
        }
    }
}

/// Logs in and executes it.
///
/// # Errors
/// In words for people.
pub(crate) fn execute(
    stream: TcpStream,
    command: &SshCommand<'_>,
    (deadline, room): (&Deadline<'_>, Reading),
) -> Result<Output, String> {
    let printed = converse(stream, command, (deadline, room));
    if let Err(reason) = &printed {
        command.record(LineKind::Note, reason, b"");
    }
    printed
}

fn converse(
    stream: TcpStream,
    command: &SshCommand<'_>,
    (deadline, room): (&Deadline<'_>, Reading),
) -> Result<Output, String> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |it: ssh2::Error| format!("{what}: {}", it.message())
    };
    let mut session = Session::new().map_err(failed("Cannot establish SSH session"))?;
    apply(deadline, &session)?;
    set_options(&session, command.options)?;
    session.set_tcp_stream(stream);
    session.handshake().map_err(failed("Cannot establish SSH session"))?;
    if let Some(banner) = session.banner_bytes() {
        command.record(LineKind::Note, "SSH server: ", banner.trim_ascii());
    }
    apply(deadline, &session)?;
    log_in(&session, command, deadline)?;
    let how = match command.key {
        Some((_, private)) => format!("the key {private}"),
        None => "password".to_owned(),
    };
    let logged_in = format!("logged in as {} by {how}", command.login.username);
    command.record(LineKind::Note, &logged_in, b"");
    apply(deadline, &session)?;
    let mut channel =
        session.channel_session().map_err(failed("Cannot establish generic session channel"))?;
    let errors = match command.transcript {
        _ if command.takes_errors => ExtendedData::Merge,
        // They are read after all output: up to the size of the window, 2 MB.
        Some(_) => ExtendedData::Normal,
        None => ExtendedData::Ignore,
    };
    channel.handle_extended_data(errors).map_err(failed("Cannot request a shell"))?;
    command.record(LineKind::Sent, command.command, b"");
    if command.subsystem.is_empty() {
        channel.exec(command.command).map_err(failed("Cannot request a shell"))?;
    } else {
        channel.subsystem(command.subsystem).map_err(failed("Cannot request SSH subsystem"))?;
        let sent = channel.write_all(command.command.as_bytes());
        sent.map_err(|it| format!("Cannot send data to SSH server: {it}"))?;
        channel.send_eof().map_err(failed("Cannot send data to SSH server"))?;
    }
    let printed = read(&session, &mut channel, (deadline, room))?;
    if command.transcript.is_some() {
        command.record(LineKind::Received, "", printed.bytes());
        record_end(&session, &mut channel, (command, deadline));
    }
    Ok(printed)
}

/// Records what was printed as an error, and the exit code. The value is complete already:
/// unavailable parts are left out.
fn record_end(
    session: &Session,
    channel: &mut Channel,
    (command, deadline): (&SshCommand<'_>, &Deadline<'_>),
) {
    let mut errors = Vec::new();
    let shown_max = u64::try_from(SHOWN_BYTES_MAX).unwrap_or(u64::MAX);
    let read = apply(deadline, session).is_ok()
        && channel.stderr().take(shown_max).read_to_end(&mut errors).is_ok();
    if read && !errors.is_empty() && !command.takes_errors {
        command.record(LineKind::Received, "as an error:\n", &errors);
    }
    let has_ended =
        apply(deadline, session).is_ok() && channel.close().is_ok() && channel.wait_close().is_ok();
    if let (true, Ok(code)) = (has_ended && command.subsystem.is_empty(), channel.exit_status()) {
        command.record(LineKind::Note, &format!("exit code {code}"), b"");
    }
}

fn apply(deadline: &Deadline<'_>, session: &Session) -> Result<(), String> {
    session.set_timeout(u32::try_from(deadline.left()?.as_millis()).unwrap_or(u32::MAX));
    Ok(())
}

fn read(
    session: &Session,
    channel: &mut Channel,
    (deadline, room): (&Deadline<'_>, Reading),
) -> Result<Output, String> {
    let mut printed = Output::new(room);
    let mut buffer = [0; 16_384];
    loop {
        apply(deadline, session)?;
        let n = channel.read(&mut buffer);
        let n = n.map_err(|it| format!("Cannot read data from SSH server: {it}"))?;
        if n == 0 {
            return Ok(printed);
        }
        printed.keep(buffer.get(..n).unwrap_or_default(), 0)?;
    }
}

fn log_in(
    session: &Session,
    command: &SshCommand<'_>,
    deadline: &Deadline<'_>,
) -> Result<(), String> {
    let CommandLogin { username, password, .. } = command.login;
    let Some((public, private)) = command.key else {
        return log_in_by_password(session, (username, password), deadline);
    };
    let folder = command
        .keys
        .ok_or("SSH keys are not available: the setting commands.ssh_keys names no folder.")?;
    for name in [public, private] {
        // A path would lead out of the folder.
        if name.is_empty() || name == ".." || name.contains('/') {
            return Err(format!("\"{name}\" is no name of a key file."));
        }
    }
    let phrase = (!password.is_empty()).then_some(password.as_str());
    let (public, private) = (folder.join(public), folder.join(private));
    let tried = session.userauth_pubkey_file(username, Some(&public), &private, phrase);
    tried.map_err(|it| format!("Public key authentication failed: {}", it.message()))
}

fn log_in_by_password(
    session: &Session,
    (username, password): (&str, &str),
    deadline: &Deadline<'_>,
) -> Result<(), String> {
    let methods = match session.auth_methods(username) {
        Ok(methods) => methods.to_owned(),
        // Nobody asked for anything.
        Err(_) if session.authenticated() => return Ok(()),
        Err(it) => return Err(format!("Cannot obtain authentication methods: {}", it.message())),
    };
    apply(deadline, session)?;
    let has = |method: &str| methods.split(',').any(|it| it == method);
    let (tried, how) = if has("password") {
        (session.userauth_password(username, password), "Password")
    } else if has("keyboard-interactive") {
        let mut answers = SameAnswer(password);
        (session.userauth_keyboard_interactive(username, &mut answers), "Keyboard-interactive")
    } else {
        return Err(format!("Unsupported authentication method. Supported methods: {methods}"));
    };
    tried.map_err(|it| format!("{how} authentication failed: {}", it.message()))
}

/// Answers each question with the password.
struct SameAnswer<'a>(&'a str);

impl KeyboardInteractivePrompt for SameAnswer<'_> {
    fn prompt<'b>(&mut self, _: &str, _: &str, prompts: &[Prompt<'b>]) -> Vec<String> {
        prompts.iter().map(|_| self.0.to_owned()).collect()
    }
}

/// Lists of algorithms that the session may use.
fn set_options(session: &Session, options: &str) -> Result<(), String> {
    for option in options.split(';').map(str::trim).filter(|it| !it.is_empty()) {
        let wrong = || format!("Cannot set SSH option \"{option}\".");
        let (name, list) = option.split_once('=').ok_or_else(wrong)?;
        let methods: &[MethodType] = match name.trim() {
            "KexAlgorithms" => &[MethodType::Kex],
            "HostkeyAlgorithms" | "HostKeyAlgorithms" => &[MethodType::HostKey],
            "Ciphers" => &[MethodType::CryptCs, MethodType::CryptSc],
            "MACs" => &[MethodType::MacCs, MethodType::MacSc],
            "PubkeyAcceptedKeyTypes" | "PubkeyAcceptedAlgorithms" => &[MethodType::SignAlgo],
            _ => return Err(wrong()),
        };
        for method in methods {
            session.method_pref(*method, list.trim()).map_err(|_unknown| wrong())?;
        }
    }
    Ok(())
}
