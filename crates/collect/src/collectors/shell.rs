//! SSH and Telnet items: a command is run on another machine, and its output is the value.
//!
//! The connections belong to the process ([`crate::ports::RemoteShells`]); each takes a thread. A
//! machine that does not answer does not count against the host's interfaces: the item is not
//! supported, with the reason.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lang::lld::EscapeTarget;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use model::key::ItemKey;
use rt::queue::Receiver;
use rt::reading::Reading;
use tokio::time::timeout;
use wire::charset::to_utf8;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Finished};
use crate::ports::{ShellCommand, ShellWay, not_supported};

const SSH_PORT: u16 = 22;
const TELNET_PORT: u16 = 23;
/// The shell limits the time; a request waits no longer than this for one that fails to.
const GRACE: Duration = Duration::from_secs(5);
/// Codes of `authtype`.
const BY_KEY: i64 = 1;

rt::section! {
    /// SSH and Telnet items.
    pub struct Settings in "collectors.shell" {
        /// Most commands at once. Each takes a thread and a file descriptor.
        pub commands_max: NonZeroUsize = "20",
    }
}

pub(super) struct Shell;

/// A command with its login.
#[derive(Debug)]
pub(crate) struct ShellCheck {
    /// Empty: the interface's address.
    target: String,
    port: u16,
    encoding: String,
    way: ShellWay,
    login: Login,
    command: String,
}

struct Login {
    username: String,
    password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("username", &self.username).finish_non_exhaustive()
    }
}

type Check = super::request::Check<ShellCheck>;
type Request = super::request::Request<ShellCheck>;

impl Collector for Shell {
    type Settings = Settings;
    type Payload = ShellCheck;

    const USES_INTERFACE: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        matches!(content.kind, ItemType::Ssh | ItemType::Telnet).then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        JobLimits { jobs_max: settings.commands_max.get(), device_jobs_max: 2, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<ShellCheck, CheckResult> {
        let key = item.key()?;
        check(item, &key).map_err(CheckResult::Refused)
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let shared = &*shared;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| converse(shared, it);
                        shared.contained("shell check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

/// `ssh.run[name,<ip>,<port>,<encoding>,<options>,<subsystem>]`, `telnet.run[name,<ip>,<port>,<encoding>]`.
fn check(item: &HostItem<'_>, key: &str) -> Result<ShellCheck, String> {
    let content = item.content();
    let key = ItemKey::parse(key).map_err(|_position| "Invalid item key format.".to_owned())?;
    let is_ssh = content.kind == ItemType::Ssh;
    let (name, n_params_max, default_port) =
        if is_ssh { ("ssh.run", 6, SSH_PORT) } else { ("telnet.run", 4, TELNET_PORT) };
    if key.name != name {
        return Err("Unsupported item key for this item type.".to_owned());
    }
    if n_params_max < key.params.len() {
        return Err("Too many parameters.".to_owned());
    }
    let port = match key.param(2) {
        "" => Some(default_port),
        it => it.parse().ok().filter(|_| it.bytes().all(|it| it.is_ascii_digit())),
    };
    let text = |it: &str| item.text(it, EscapeTarget::Text);
    let way = if is_ssh {
        let has_key = content.authtype == BY_KEY;
        ShellWay::Ssh {
            key: has_key.then(|| (text(&content.publickey), text(&content.privatekey))),
            options: key.param(4).to_owned(),
            subsystem: key.param(5).to_owned(),
        }
    } else {
        ShellWay::Telnet
    };
    Ok(ShellCheck {
        target: key.param(1).trim().to_owned(),
        port: port.ok_or("Invalid third parameter.")?,
        encoding: key.param(3).to_owned(),
        way,
        login: Login { username: text(&content.username), password: text(&content.password) },
        // Terminals expect the line ends of Unix.
        command: text(&content.params).replace("\r\n", "\n"),
    })
}

async fn converse(shared: &CollectorContext, request: Request) {
    let own = request.endpoint.as_ref().map_or("", |it| &it.address);
    let mut readings = request.done;
    // Memory of answers until the values are handed over.
    let mut rooms = Vec::new();
    for check in &request.checks {
        let (answer, room) = match ask(shared, own, check).await {
            Ok((answer, room)) => (answer, room),
            Err(reason) => (not_supported(reason), None),
        };
        rooms.extend(room);
        readings.push(check.reading(shared.clock.wall(), CheckResult::Answer(answer)));
    }
    shared.finish(Finished { job: request.job, readings }).await;
    drop(rooms);
}

/// The value, or the reason why there is none.
async fn ask(
    shared: &CollectorContext,
    own: &str,
    check: &Check,
) -> Result<(OwnedRaw, Option<Reading>), String> {
    let ShellCheck { target, port, encoding, way, login, command } = &check.payload;
    let target = if target.is_empty() { own } else { target };
    if target.is_empty() {
        return Err("The item has no address: neither in its key nor of an interface.".to_owned());
    }
    let command = ShellCommand {
        way: way.clone(),
        address: shared.dns.address(target, check.timeout).await?,
        port: *port,
        username: login.username.clone(),
        password: login.password.clone(),
        command: command.clone(),
        time: check.timeout,
    };
    let run = match &shared.transcript {
        None => shared.shells.run(command),
        Some(it) => {
            it.hide(&login.password);
            shared.shells.run_with_transcript(command, it)
        }
    };
    let printed = timeout(check.timeout.saturating_add(GRACE), run).await;
    let printed = printed.map_err(|_late| "Timeout while executing a command.".to_owned())??;
    let text = if encoding.is_empty() {
        lang::text::repair_utf8(&printed.bytes)
    } else {
        to_utf8(encoding, &printed.bytes)?
    };
    Ok((OwnedRaw::Text(text.trim_end().to_owned()), printed.room))
}
