//! A storm of problems during a load of values: how soon they are in the live list, in the
//! database, and judged by actions;
//! messages to receivers of the benchmark itself; restarts while escalations run.

mod common;
mod storm;

use std::time::Duration;

use serde_json::{Value, json};

pub(crate) use self::common::AlertingArgs;
pub(super) use self::common::count;
use self::common::{TRIGGERS, until};
use self::storm::{Problems, Storm, send_problems};
use super::client::{Client, Load};
use super::process::{Server, Settings, wait};
use super::receivers::{Receivers, Texts, quiet_own_host};
use super::sinks::{Sink, smtp, webhook};
use crate::common::BenchError;
use crate::report::report;

const SETTINGS: Settings =
    &[("SAKER_ALERTING_RATE_PER_S", "0"), ("SAKER_ALERTING_SESSIONS_MAX", "64")];
const TEXTS: Texts = &[("0", "{EVENT.NAME}")];
/// Messages whose way is timed one by one.
const PROBES: usize = 30;
/// After a restart, to notice repeated messages.
const REPEATS_S: u64 = 5;
pub(super) fn run(args: &AlertingArgs) -> Result<(), BenchError> {
    let program = args.server.as_deref();
    let server = Server::start_with(&args.common.scratch, "alerting", program, SETTINGS)?;
    let client = Client::login(&server)?;
    quiet_own_host(&client)?;
    let template = client.create_template(Load::Senders, 2 * TRIGGERS, TRIGGERS)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let (mails, hooks) = (Sink::start(smtp)?, Sink::start(webhook)?);
    let actions = Actions::create(&client, &mails, &hooks)?;
    let n_problems = args.hosts * TRIGGERS;
    let mut figures = json!({
        "problems": n_problems, "seconds": args.seconds, "escalations": args.hosts,
        "rss_before_mb": server.memory().rss >> 20,
    });

    let storm = Storm { args, n_problems, is_problem: true };
    storm.run(&server, &client, "storm", &mut figures)?;
    until("messages of the storm", || Ok(mails.n() >= args.hosts as u64))?;

    let (slowest, typical) = probe(&server, &mails)?;
    figures["message_after_value_ms_max"] = json!(slowest);
    figures["message_after_value_ms_median"] = json!(typical);

    let n_before = mails.n();
    let server = server.crash()?;
    let client = restarted(&server, args, "kill", &mut figures)?;
    let running = client.call("problem.get", &json!({"countOutput": true}))?;
    figures["kill_problems"] = json!(running.as_str().and_then(|it| it.parse::<u64>().ok()));
    let server = server.restart()?;
    figures["planned_stop_ms"] = json!(millis(server.stopped_after));
    let client = restarted(&server, args, "planned", &mut figures)?;
    wait(REPEATS_S);
    figures["messages_after_restarts"] = json!(mails.n() - n_before);

    Storm { is_problem: false, ..storm }.run(&server, &client, "recovery", &mut figures)?;

    for (name, action, sink) in
        [("mails", &actions.mails, &mails), ("webhooks", &actions.webhooks, &hooks)]
    {
        client.call("action.update", &json!({"actionid": actions.storm, "status": "1"}))?;
        client.call("action.update", &json!({"actionid": action, "status": "0"}))?;
        figures[format!("{name}_per_s")] = json!(rate(&server, args, sink)?);
        client.call("action.update", &json!({"actionid": action, "status": "1"}))?;
        let all = Problems { first: 0, n: args.hosts, step: TRIGGERS, is_problem: false };
        send_problems(&server, all)?;
        until("the end of all problems", || Ok(count(&client)? == 0))?;
    }
    report(&args.common, "alerting", figures)
}

/// The names of the actions.
struct Actions {
    /// Notifies of the first trigger of each host once, and continues until its end.
    storm: String,
    /// As it, one message each, by mail and by a webhook.
    mails: String,
    webhooks: String,
}

impl Actions {
    fn create(client: &Client, mails: &Sink, hooks: &Sink) -> Result<Self, BenchError> {
        let Receivers { user, mail, hook } = Receivers::create(client, mails, hooks, TEXTS)?;
        let action = |name: &str, status: &str, last_step: &str, media: &str| {
            let action = json!({"name": name, "eventsource": "0", "esc_period": "1h",
                "status": status,
                "filter": {"evaltype": "0", "conditions": [
                    {"conditiontype": "3", "operator": "2", "value": "Load 0 is high"}]},
                "operations": [{"operationtype": "0", "esc_step_from": "1",
                    "esc_step_to": last_step, "opmessage_usr": [{"userid": user}],
                    "opmessage": {"default_msg": "1", "mediatypeid": media}}]});
            Ok::<_, BenchError>(client.ids("action.create", &action)?.remove(0))
        };
        Ok(Self {
            storm: action("Bench storm", "0", "0", &mail)?,
            mails: action("Bench mails", "1", "1", &mail)?,
            webhooks: action("Bench webhooks", "1", "1", &hook)?,
        })
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// From a value to the message at its receiver, one after the other: (longest, median), in milliseconds.
fn probe(server: &Server, mails: &Sink) -> Result<(u64, u64), BenchError> {
    let clock = rt::clock::Clock::real();
    let mut times = Vec::with_capacity(PROBES);
    for host in 0..PROBES {
        let of = |is_problem| Problems { first: host * TRIGGERS, n: 1, step: 1, is_problem };
        send_problems(server, of(false))?;
        let (n_before, started_ns) = (mails.n(), clock.mono_ns());
        send_problems(server, of(true))?;
        until("a message", || Ok(mails.n() > n_before))?;
        times.push((clock.mono_ns() - started_ns) / 1_000_000);
    }
    times.sort_unstable();
    Ok((times[PROBES - 1], times[PROBES / 2]))
}

/// Waits until all escalations are back.
fn restarted(
    server: &Server,
    args: &AlertingArgs,
    name: &str,
    figures: &mut Value,
) -> Result<Client, BenchError> {
    let clock = rt::clock::Clock::real();
    let started_ns = clock.mono_ns();
    let client = Client::login(server)?;
    until("escalations after a restart", || {
        Ok(client.metric("saker_escalations_running")? >= args.hosts as u64)
    })?;
    let behind = (clock.mono_ns() - started_ns) / 1_000_000;
    figures[format!("{name}_ready_ms")] = json!(millis(server.ready_after));
    figures[format!("{name}_escalations_ms")] = json!(millis(server.ready_after) + behind);
    Ok(client)
}

/// A problem of each host at once; messages a second from the first to the last one.
fn rate(server: &Server, args: &AlertingArgs, sink: &Sink) -> Result<u64, BenchError> {
    let (clock, before) = (rt::clock::Clock::real(), sink.n());
    let first_of_each = Problems { first: 0, n: args.hosts, step: TRIGGERS, is_problem: true };
    send_problems(server, first_of_each)?;
    until("the first message", || Ok(sink.n() > before))?;
    let (first_ns, first) = (clock.mono_ns(), sink.n());
    until("the last message", || Ok(sink.n() >= before + args.hosts as u64))?;
    let took_ns = (clock.mono_ns() - first_ns).max(1);
    Ok((sink.n() - first) * 1_000_000_000 / took_ns)
}
