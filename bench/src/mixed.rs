//! Everything at once: devices that are asked, values that are pushed to the same hosts, problems that begin and end,
//! edits of hosts and of a template, discovery, the housekeeper, and a backup.
//!
//! The oracle knows how often each problem began, which rows discovery was sent, and which values an item was given. The command
//! fails if a problem or message is missing, stuck or double, if a device that answers has a problem, or if a value is lost.

mod load;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use self::load::{Discovery, Edits, LoadTemplate, Probes, send_old_events, stored_values_faults};
use super::background::{Background, Rate, percentile_ms};
use super::backup::Copy;
use super::client::Client;
use super::oracle;
use super::outage::configuration::{Configured, Plan, configure, create_actions};
use super::process::{Server, Settings};
use super::receivers::quiet_own_host;
use super::responders::Responders;
use super::settle::{all_messages, comes, wait_for};
use super::sinks::{Sink, smtp, webhook};
use super::usage::Usage;
use crate::common::{BenchError, Common};
use crate::report::report_checked;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct MixedArgs {
    /// Devices, each pinged and asked by agent and SNMP.
    #[arg(long, default_value_t = 10_000)]
    devices: usize,
    /// Each of their items is due once in so many seconds.
    #[arg(long, default_value_t = 30)]
    delay: u64,
    /// Items of each device that values are pushed to.
    #[arg(long, default_value_t = 10)]
    pushed: usize,
    /// Pushed values a second.
    #[arg(long, default_value_t = 200_000)]
    values_per_s: u64,
    /// Every other pushed value is a text.
    #[arg(long)]
    texts: bool,
    /// Seconds of the run.
    #[arg(long, default_value_t = 300)]
    seconds: u64,
    /// Events that are past their period.
    #[arg(long, default_value_t = 200_000)]
    old_events: usize,
    /// The longest wait for each state that has to come.
    #[arg(long, default_value_t = 600)]
    limit_seconds: u64,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

const SETTINGS: Settings = &[
    ("SAKER_ALERTING_RATE_PER_S", "0"),
    ("SAKER_ALERTING_SESSIONS_MAX", "64"),
    ("SAKER_HOUSEKEEPING_INTERVAL_S", "10"),
];
/// Of the devices, one in so many has a problem that begins and ends.
const PROBED: usize = 10;
/// Events that actions were asked about.
const JUDGED: &str = "saker_escalations_events_total";
const DELETED: &str = "saker_housekeeping_events_deleted_total";

pub(super) fn run(args: &MixedArgs) -> Result<(), BenchError> {
    let devices = Responders::start(args.devices)?;
    let program = args.server.as_deref();
    let server = Server::start_with(&args.common.scratch, "mixed", program, SETTINGS)?;
    let client = Client::login(&server)?;
    quiet_own_host(&client)?;
    let template = LoadTemplate::create(&client, args.pushed, args.texts)?;
    let plan = Plan {
        devices: args.devices,
        delay: args.delay,
        webhook_step: 2,
        templates: vec![template.id.clone()],
    };
    let watched = configure(&client, &plan, &devices)?;
    let discovery = Discovery::create(&client)?;
    let n_old = send_old_events(&server, args.devices, args.old_events)?;
    // Actions are created behind them: an event that is not judged by then would be notified of.
    comes(args.limit_seconds, || Ok(client.metric(JUDGED)? >= n_old))?;
    let (mails, hooks) = (Sink::start(smtp)?, Sink::start(webhook)?);
    create_actions(&client, plan.webhook_step, (&mails, &hooks))?;
    wait_for(Duration::from_secs(args.delay + 2));
    let mixed = Mixed { args, server, client, template, discovery, mails, hooks, watched, n_old };
    mixed.run()
}

struct Mixed<'a> {
    args: &'a MixedArgs,
    server: Server,
    client: Client,
    template: LoadTemplate,
    discovery: Discovery,
    mails: Sink,
    hooks: Sink,
    /// Triggers of devices, which answer all the time.
    watched: BTreeMap<u64, Configured>,
    n_old: u64,
}

impl Mixed<'_> {
    fn run(&self) -> Result<(), BenchError> {
        let args = self.args;
        let mut faults = Vec::new();
        let before = Usage::read(&self.server, &self.client)?;
        self.client.call("housekeeping.update", &json!({"hk_events_trigger": "1d"}))?;
        let rate = Rate {
            hosts: args.devices,
            items: args.pushed,
            first_item: 0,
            values_per_s: args.values_per_s,
            has_texts: args.texts,
        };
        let load = Background::start(self.server.trapper, rate);
        let together = self.together(&mut faults)?;
        let mut requests_ns = load.take_times_ns();
        let n_pushed = load.n_values();
        load.end()?;
        let mut figures = json!({
            "devices": args.devices, "items": args.devices * (args.pushed + 7),
            "texts": args.texts, "values_pushed": n_pushed,
            "together": Usage::read(&self.server, &self.client)?.since(&before),
            "rounds": together.n_rounds, "round_ms_max": together.round_ms_max,
            "backup_ms": together.backup_ms, "backup_bytes": together.backup_bytes,
            "edits": together.edits_ns.len(),
        });
        let mut edits_ns = together.edits_ns;
        for (what, times) in [("request", &mut requests_ns), ("edit", &mut edits_ns)] {
            for (name, percent) in [("median", 50), ("p99", 99), ("max", 100)] {
                figures[format!("{what}_ms_{name}")] = json!(percentile_ms(times, percent));
            }
        }
        all_messages(&self.client, args.limit_seconds)?;
        // The newest event may stay.
        let is_clean = || Ok(self.client.metric_or_zero(DELETED)? + 1 >= self.n_old);
        if !comes(args.limit_seconds, is_clean)? {
            let n = self.client.metric_or_zero(DELETED)?;
            faults.push(format!("the housekeeper deleted {n} of {} events", self.n_old));
        }
        if !comes(args.limit_seconds, || self.discovery.is_done(&self.client))? {
            faults.push("discovered items are not those of the last rows".to_owned());
        }
        faults.extend(self.event_faults(together.n_rounds)?);
        faults.extend(stored_values_faults(&self.client, args.devices, args.texts)?);
        figures["mails"] = json!(self.mails.n());
        figures["events_deleted"] = json!(self.client.metric_or_zero(DELETED)?);
        let memory = self.server.memory();
        figures["rss_mb"] = json!(memory.rss >> 20);
        figures["rss_peak_mb"] = json!(memory.peak >> 20);
        let name = if args.texts { "mixed_texts" } else { "mixed" };
        report_checked(&args.common, name, figures, &faults)
    }

    /// All work in addition to the load, until its time is over.
    fn together(&self, faults: &mut Vec<String>) -> Result<Together, BenchError> {
        let (args, is_over) = (self.args, AtomicBool::new(false));
        let clock = rt::clock::Clock::real();
        let end_ns = clock.mono_ns() + args.seconds * 1_000_000_000;
        std::thread::scope(|scope| {
            let _ending = EndOnDrop(&is_over);
            let edits = scope.spawn(|| Edits::run(&self.server, &self.template, &is_over));
            let rows = scope.spawn(|| self.discovery.run(&self.server, &is_over));
            let backup = scope.spawn(|| {
                let clock = rt::clock::Clock::real();
                let (program, started_ns) = (args.server.as_deref(), clock.mono_ns());
                let copy = Copy::make(&args.common.scratch, program, &self.server)?;
                Ok::<_, BenchError>(((clock.mono_ns() - started_ns) / 1_000_000, copy.bytes))
            });
            let (mut n_rounds, mut round_ms_max) = (0, 0);
            while n_rounds == 0 || clock.mono_ns() < end_ns {
                let started_ns = clock.mono_ns();
                if !self.probe(true)? || !self.probe(false)? {
                    faults.push(format!("round {n_rounds}: not all problems came or went"));
                }
                n_rounds += 1;
                round_ms_max = round_ms_max.max((clock.mono_ns() - started_ns) / 1_000_000);
            }
            is_over.store(true, Ordering::Relaxed);
            let panicked = |_| Err(BenchError::Answer("a panic".to_owned()));
            let edits_ns = edits.join().unwrap_or_else(panicked)?;
            let panicked = |_| Err(BenchError::Answer("a panic".to_owned()));
            rows.join().unwrap_or_else(panicked)?;
            let panicked = |_| Err(BenchError::Answer("a panic".to_owned()));
            let (backup_ms, backup_bytes) = backup.join().unwrap_or_else(panicked)?;
            Ok(Together { n_rounds, round_ms_max, edits_ns, backup_ms, backup_bytes })
        })
    }

    /// Has the problems of all probed devices begin or end; false if they don't.
    fn probe(&self, is_problem: bool) -> Result<bool, BenchError> {
        let probes = Probes { n: self.args.devices.div_ceil(PROBED), step: PROBED };
        probes.send(&self.server, is_problem)?;
        let due = if is_problem { probes.n as u64 } else { 0 };
        let get = json!({"countOutput": true, "search": {"name": "Probe"}});
        let is_so = || Ok(oracle::number(&self.client.call("problem.get", &get)?) == due);
        comes(self.args.limit_seconds, is_so)
    }

    fn event_faults(&self, n_rounds: usize) -> Result<Vec<String>, BenchError> {
        let get = json!({"output": ["triggerid"], "filter": {"description": "Old"}});
        let old = self.client.call("trigger.get", &get)?;
        let id = |it: &Value| oracle::number(&it["triggerid"]);
        let old: BTreeSet<u64> = old.as_array().into_iter().flatten().map(id).collect();
        let mut events = oracle::events(&self.client)?;
        events.retain(|it| !old.contains(&it.trigger));
        let mut faults = oracle::faults(&events, &oracle::open(&self.client)?);
        let strangers = events.iter().filter(|it| self.watched.contains_key(&it.trigger));
        faults.extend(strangers.map(|it| format!("event {} of a device that answers", it.id)));
        let due = n_rounds * self.args.devices.div_ceil(PROBED);
        let n = events.iter().filter(|it| it.is_problem).count();
        if n != due {
            faults.push(format!("{n} problems, not {due}"));
        }
        let of_mails = oracle::message_faults(&events, &self.mails.notices(), |_| true);
        faults.extend(of_mails.into_iter().map(|it| format!("mails: {it}")));
        let of_hooks = oracle::message_faults(&events, &self.hooks.notices(), |_| false);
        faults.extend(of_hooks.into_iter().map(|it| format!("webhooks: {it}")));
        Ok(faults)
    }
}

struct Together {
    n_rounds: usize,
    round_ms_max: u64,
    edits_ns: Vec<u64>,
    backup_ms: u64,
    backup_bytes: u64,
}

/// Ends the threads, also when one of them fails.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
