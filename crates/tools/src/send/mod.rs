//! `saker send`: values to a server or proxy, as zabbix_sender sends them.
//!
//! A connection is kept for the next batch if the server keeps it, as Saker does.

mod agent_config;
mod line;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write as _};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use clap::{ArgAction, Args};
use rt::clock::{Clock, nanos};
use thiserror::Error;
use wire::sender::{RequestWriter, Row, SenderAnswer};

use self::agent_config::AgentConfig;
use self::line::{Columns, Line};
use super::connection::{Connection, ConnectionError, PeerAddress};
use super::tls::{Tls, TlsArgs, TlsArgsError};

const PORT: u16 = 10051;
/// Values that a batch has at most, as with zabbix_sender.
const BATCH_MAX: usize = 250;
/// A batch is sent with this many bytes before it is full: long texts do not add up to a packet
/// that servers refuse.
const BATCH_BYTES_MAX: usize = 8 << 20;
/// With `--real-time`: values that follow each other this quickly travel together …
const GAP: Duration = Duration::from_millis(200);
/// … and none waits for longer.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// Longest line of the input.
const LINE_MAX: u64 = 64 << 20;
/// Lines that are read ahead.
const AHEAD_MAX: usize = 1_000;
/// Values were sent and some of them not processed, as zabbix_sender says it.
const EXIT_NOT_ALL: u8 = 2;

/// Options have the names of zabbix_sender's.
#[derive(Clone, PartialEq, Eq, Debug, Args)]
pub struct SendArgs {
    /// Server or proxy, HOST or HOST:PORT; several, separated by commas, get the same values.
    #[arg(short = 'z', long = "server", visible_alias = "zabbix-server", value_name = "SERVER")]
    server: Option<String>,
    /// Port of the server [default: 10051].
    #[arg(short, long)]
    port: Option<u16>,
    /// Address of this machine to connect from.
    #[arg(short = 'I', long, value_name = "ADDRESS")]
    source_address: Option<IpAddr>,
    /// Seconds for the connection and for each answer, 1 to 300.
    #[arg(short, long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
    /// Technical name of the host; it replaces "-" in files.
    #[arg(short = 's', long)]
    host: Option<String>,
    /// Key of the item.
    #[arg(short, long, requires = "value", conflicts_with = "input_file")]
    key: Option<String>,
    /// The value.
    #[arg(short = 'o', long, requires = "key", allow_hyphen_values = true)]
    value: Option<String>,
    /// Read lines "HOST KEY VALUE" from this file; "-" is standard input.
    #[arg(short, long, value_name = "FILE", required_unless_present = "key")]
    input_file: Option<PathBuf>,
    /// Lines are "HOST KEY TIMESTAMP VALUE", seconds since 1970.
    #[arg(short = 'T', long, requires = "input_file")]
    with_timestamps: bool,
    /// Lines are "HOST KEY TIMESTAMP NANOSECONDS VALUE".
    #[arg(short = 'N', long, requires = "with_timestamps")]
    with_ns: bool,
    /// Send values at once instead of in batches of 250.
    #[arg(short, long, requires = "input_file")]
    real_time: bool,
    /// Take ServerActive, Hostname, SourceIP and TLS parameters from an agent's configuration file.
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print each answer.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    #[command(flatten)]
    tls: TlsArgs,
    /// Required issuer of the server's certificate.
    #[arg(long, value_name = "ISSUER")]
    tls_server_cert_issuer: Option<String>,
    /// Required subject of the server's certificate.
    #[arg(long, value_name = "SUBJECT")]
    tls_server_cert_subject: Option<String>,
}

#[derive(Debug, Error)]
pub enum SendCommandError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("no server: give --server, or --config with a file that has ServerActive")]
    NoServer,
    #[error("{0}")]
    Server(String),
    #[error("SourceIP \"{0}\" of the configuration file is no address")]
    SourceIp(String),
    #[error("no host: give --host, or --config with a file that has Hostname")]
    NoHost,
    #[error("line {line}: {what}; lines before it were sent, later lines were not")]
    Line { line: u64, what: String },
    #[error("{0}")]
    Connection(#[from] ConnectionError),
    #[error("{0}")]
    Tls(#[from] TlsArgsError),
    #[error("{peer} refused the values: {info}")]
    Refused { peer: String, info: String },
    #[error("the response of {peer} does not follow the protocol")]
    Answer { peer: String },
    #[error("not all values could be sent to {0}")]
    NotSent(String),
    #[error("cannot print the result: {0}")]
    Say(io::Error),
}

/// Sends the values.
///
/// # Errors
/// [`SendCommandError`] when something could not be sent. Values that were sent and not processed are no
/// error but an exit code.
pub fn run(args: &SendArgs) -> Result<ExitCode, SendCommandError> {
    let config = match &args.config {
        Some(path) => {
            let text = std::fs::read(path)
                .map_err(|source| SendCommandError::Read { path: path.clone(), source })?;
            AgentConfig::parse(&String::from_utf8_lossy(&text))
        }
        None => AgentConfig::default(),
    };
    let host = args.host.clone().or_else(|| config.host.clone());
    let mut sender = Sender::new(servers(args, &config)?, args.verbose > 0);
    match (&args.key, &args.value, &args.input_file) {
        (Some(key), Some(value), _) => {
            let host = host.ok_or(SendCommandError::NoHost)?;
            let line = Line { host, key: key.clone(), value: value.clone(), ..Line::default() };
            sender.add(line)?;
        }
        (_, _, Some(path)) => send_file(args, path, host.as_deref(), &mut sender)?,
        _ => unreachable!("clap asks for a key with a value or for a file"),
    }
    sender.finish()
}

fn servers(args: &SendArgs, config: &AgentConfig) -> Result<Vec<Server>, SendCommandError> {
    let source = match (args.source_address, &config.source_ip) {
        (Some(address), _) => Some(address),
        (None, Some(text)) => {
            Some(text.parse().map_err(|_no_address| SendCommandError::SourceIp(text.clone()))?)
        }
        (None, None) => None,
    };
    let listed =
        args.server.as_ref().or(config.servers.as_ref()).ok_or(SendCommandError::NoServer)?;
    let timeout = Duration::from_secs(args.timeout);
    let tls = args.tls.clone().or(&config.tls).open(
        args.tls_server_cert_issuer.as_deref().or(config.tls_issuer.as_deref()),
        args.tls_server_cert_subject.as_deref().or(config.tls_subject.as_deref()),
    )?;
    let parse = |text: &str| {
        let port = args.port.unwrap_or(PORT);
        let mut target = PeerAddress::parse(text.trim(), port, source, timeout)?;
        // As with zabbix_sender, --port counts for the servers of a configuration file too.
        if let (Some(port), None) = (args.port, &args.server) {
            target.port = port;
        }
        Ok(target)
    };
    let servers = listed.split(',').map(|cluster| {
        let nodes = cluster.split(';').map(parse).collect::<Result<_, String>>();
        Ok(Server {
            nodes: nodes.map_err(SendCommandError::Server)?,
            tls: tls.clone(),
            connection: None,
            has_failed: false,
        })
    });
    servers.collect()
}

/// Sends lines as they come. A thread reads ahead, so that the sender can wait with a time limit.
fn send_file(
    args: &SendArgs,
    path: &PathBuf,
    host: Option<&str>,
    sender: &mut Sender,
) -> Result<(), SendCommandError> {
    let failed = |source| SendCommandError::Read { path: path.clone(), source };
    let mut reader: Box<dyn BufRead + Send> = match path.as_os_str() == "-" {
        true => Box::new(BufReader::new(io::stdin())),
        false => Box::new(BufReader::new(File::open(path).map_err(failed)?)),
    };
    let (ahead, lines) = mpsc::sync_channel::<io::Result<Vec<u8>>>(AHEAD_MAX);
    // It ends with the input, or with the program: nobody waits for a pipe that stays open.
    std::thread::spawn(move || {
        while let Some(line) = read_line(reader.as_mut()).transpose() {
            let is_last = line.is_err();
            if ahead.send(line).is_err() || is_last {
                return;
            }
        }
    });
    let columns = Columns { has_clock: args.with_timestamps, has_ns: args.with_ns };
    let mut number = 0;
    loop {
        let wait = match args.real_time {
            true => sender.wait(),
            false => None,
        };
        let read = match wait {
            Some(wait) => lines.recv_timeout(wait),
            None => lines.recv().map_err(|_end| RecvTimeoutError::Disconnected),
        };
        match read {
            Ok(read) => {
                number += 1;
                let bytes = match read {
                    Ok(bytes) => bytes,
                    Err(error) => {
                        sender.flush()?;
                        return Err(failed(error));
                    }
                };
                let text = String::from_utf8_lossy(&bytes);
                match line::parse(text.trim_end_matches(['\r', '\n']), columns, host) {
                    Ok(Some(line)) => sender.add(line)?,
                    Ok(None) => {}
                    Err(what) => {
                        sender.flush()?;
                        return Err(SendCommandError::Line { line: number, what });
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => sender.flush()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// `None` at the end.
fn read_line(reader: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let n = io::Read::take(reader, LINE_MAX).read_until(b'\n', &mut line)?;
    if n as u64 == LINE_MAX {
        return Err(io::Error::other(format!("a line is longer than {LINE_MAX} bytes")));
    }
    Ok(Some(line).filter(|it| !it.is_empty()))
}

/// One server, or the nodes of a cluster of which one takes the values.
#[derive(Debug)]
struct Server {
    nodes: VecDeque<PeerAddress>,
    tls: Tls,
    connection: Option<Connection>,
    /// It gets no further batches.
    has_failed: bool,
}

impl Server {
    /// The node that answers is asked first from then on.
    fn send(&mut self, request: &[u8]) -> Result<SenderAnswer, SendCommandError> {
        let mut last = None;
        for _ in 0..self.nodes.len() {
            match self.exchange(request) {
                Ok(payload) => {
                    let peer = self.nodes[0].to_string();
                    return SenderAnswer::parse(&payload)
                        .map_err(|_other| SendCommandError::Answer { peer });
                }
                Err(error) => last = Some(error),
            }
            self.connection = None;
            self.nodes.rotate_left(1);
        }
        Err(last.map_or(SendCommandError::NoServer, SendCommandError::from))
    }

    fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>, ConnectionError> {
        if let Some(mut kept) = self.connection.take().filter(Connection::is_kept) {
            match kept.exchange(request) {
                Ok(answer) => {
                    self.connection = Some(kept);
                    return Ok(answer);
                }
                // It was closed while nobody looked: the server has not read the request.
                Err(ConnectionError::Closed { .. } | ConnectionError::Send { .. })
                    if kept.is_used() => {}
                Err(error) => return Err(error),
            }
        }
        let mut connection = Connection::open(&self.nodes[0], &self.tls)?;
        let answer = connection.exchange(request)?;
        self.connection = Some(connection);
        Ok(answer)
    }
}

/// Batches values and counts the results.
struct Sender {
    servers: Vec<Server>,
    is_verbose: bool,
    batch: RequestWriter,
    n_batch: usize,
    clock: Clock,
    /// When its first value came, on the monotonic clock.
    batch_since_ns: Option<u64>,
    n_sent: u64,
    n_all: u64,
    has_unprocessed: bool,
    buffer: Vec<u8>,
}

impl Sender {
    fn new(servers: Vec<Server>, is_verbose: bool) -> Self {
        Self {
            servers,
            is_verbose,
            batch: RequestWriter::sender_data(Vec::new()),
            n_batch: 0,
            clock: Clock::real(),
            batch_since_ns: None,
            n_sent: 0,
            n_all: 0,
            has_unprocessed: false,
            buffer: Vec::new(),
        }
    }

    fn add(&mut self, line: Line) -> Result<(), SendCommandError> {
        self.batch.push(&Row {
            host: Some(&line.host),
            key: Some(&line.key),
            value: Some(&line.value),
            clock: line.clock,
            ns: line.ns,
            ..Row::default()
        });
        self.n_batch += 1;
        self.n_all += 1;
        let now_ns = self.clock.mono_ns();
        self.batch_since_ns.get_or_insert(now_ns);
        if self.n_batch == BATCH_MAX || self.batch.len() > BATCH_BYTES_MAX {
            self.flush()?;
        }
        Ok(())
    }

    /// How long to wait for another value; `None`: for as long as it takes.
    fn wait(&self) -> Option<Duration> {
        self.batch_since_ns.map(|since_ns| {
            let waited_ns = self.clock.mono_ns().saturating_sub(since_ns);
            let left_ns = nanos(WAIT_MAX).saturating_sub(waited_ns);
            GAP.min(Duration::from_nanos(left_ns))
        })
    }

    /// Sends the batch to all servers that have taken all before.
    fn flush(&mut self) -> Result<(), SendCommandError> {
        if self.n_batch == 0 {
            return Ok(());
        }
        let now = self.clock.wall();
        let next = RequestWriter::sender_data(std::mem::take(&mut self.buffer));
        let request = std::mem::replace(&mut self.batch, next).finish(now.clock(), now.ns());
        let n = std::mem::take(&mut self.n_batch) as u64;
        self.batch_since_ns = None;
        let mut is_taken = false;
        for server in self.servers.iter_mut().filter(|it| !it.has_failed) {
            let answer = server.send(&request);
            let peer = server.nodes[0].to_string();
            match answer {
                Ok(answer) if answer.success => {
                    is_taken = true;
                    let info = answer.info.unwrap_or_default();
                    if self.is_verbose {
                        say(&format!("Response from \"{peer}\": \"{info}\"\n"))?;
                    }
                    self.has_unprocessed |= answer.counts.is_none_or(|it| it.failed > 0);
                }
                Ok(answer) => {
                    server.has_failed = true;
                    let info = answer.info.unwrap_or_default();
                    print_error(&SendCommandError::Refused { peer, info });
                }
                Err(error) => {
                    server.has_failed = true;
                    print_error(&error);
                }
            }
        }
        if is_taken {
            self.n_sent += n;
        }
        self.buffer = request;
        Ok(())
    }

    /// Sends the rest, and prints a summary.
    fn finish(mut self) -> Result<ExitCode, SendCommandError> {
        self.flush()?;
        say(&format!(
            "sent: {}; skipped: {}; total: {}\n",
            self.n_sent,
            self.n_all - self.n_sent,
            self.n_all
        ))?;
        let failed = self.servers.iter().filter(|it| it.has_failed);
        let failed: Vec<_> = failed.map(|it| it.nodes[0].to_string()).collect();
        if !failed.is_empty() {
            return Err(SendCommandError::NotSent(failed.join(", ")));
        }
        Ok(match self.has_unprocessed {
            true => ExitCode::from(EXIT_NOT_ALL),
            false => ExitCode::SUCCESS,
        })
    }
}

fn say(text: &str) -> Result<(), SendCommandError> {
    crate::say(text).map_err(SendCommandError::Say)
}

/// Prints the error of one of several servers; the summary repeats it in short.
fn print_error(error: &SendCommandError) {
    // Standard error may be closed; the exit code says it as well.
    drop(writeln!(io::stderr(), "saker: {error}"));
}
