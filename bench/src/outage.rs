//! A whole network goes away and comes back: thousands of devices that are pinged and asked by agent and SNMP, behind
//! switches, with triggers, ranks, actions, mails and webhooks; nine in ten vanish at once, flap, vanish, and come back.
//!
//! The oracle knows which devices are away, and says which problems have to be open, which are symptoms, and which messages
//! had to come. The command fails if anything is missing, stuck or double.

pub(super) mod configuration;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use self::configuration::{BEHIND_ONE, Configured, Kind, Plan, configure, create_actions};
use super::alerting::count;
use super::client::Client;
use super::oracle::{self, Event, Open};
use super::process::{Server, Settings};
use super::receivers::quiet_own_host;
use super::responders::Responders;
use super::settle::{all_messages, comes, wait_for};
use super::sinks::{Sink, smtp, webhook};
use super::usage::Usage;
use crate::common::{BenchError, Common};
use crate::report::report_checked;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct OutageArgs {
    /// Devices, each pinged and asked by agent and SNMP. The first of each 50 is the parent of the others.
    #[arg(long, default_value_t = 10_000)]
    devices: usize,
    /// Each item is due once in so many seconds.
    #[arg(long, default_value_t = 30)]
    delay: u64,
    /// For how long devices come and go, each once in some periods.
    #[arg(long, default_value_t = 300)]
    flap_seconds: u64,
    /// The step that sends webhooks: 2 gives children that notice first a minute to become symptoms.
    #[arg(long, default_value_t = 2)]
    webhook_step: u64,
    /// The longest wait until all problems are open, or over.
    #[arg(long, default_value_t = 900)]
    limit_seconds: u64,
    /// Interfaces that do not answer are asked again each second, and count as unavailable after six.
    #[arg(long)]
    impatient: bool,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

const SETTINGS: Settings =
    &[("SAKER_ALERTING_RATE_PER_S", "0"), ("SAKER_ALERTING_SESSIONS_MAX", "64")];
const IMPATIENT: Settings = &[
    ("SAKER_ALERTING_RATE_PER_S", "0"),
    ("SAKER_ALERTING_SESSIONS_MAX", "64"),
    ("SAKER_COLLECT_UNREACHABLE_DELAY_S", "1"),
    ("SAKER_COLLECT_UNREACHABLE_PERIOD_S", "6"),
    ("SAKER_COLLECT_UNAVAILABLE_DELAY_S", "1"),
];
/// One in so many devices stays.
const STAYS: usize = 10;
/// Until the second step of open problems.
const WEBHOOKS_DUE: Duration = Duration::from_secs(90);

/// Whether a device is one of those that go.
fn goes(device: usize) -> bool {
    device % STAYS != STAYS - 1
}

pub(super) fn run(args: &OutageArgs) -> Result<(), BenchError> {
    let devices = Responders::start(args.devices)?;
    let settings = if args.impatient { IMPATIENT } else { SETTINGS };
    let program = args.server.as_deref();
    let server = Server::start_with(&args.common.scratch, "outage", program, settings)?;
    let client = Client::login(&server)?;
    quiet_own_host(&client)?;
    let (mails, hooks) = (Sink::start(smtp)?, Sink::start(webhook)?);
    let (delay, webhook_step) = (args.delay, args.webhook_step);
    let plan = Plan { devices: args.devices, delay, webhook_step, templates: Vec::new() };
    let triggers = configure(&client, &plan, &devices)?;
    // Afterwards: recipients may see the groups that there are by then.
    create_actions(&client, webhook_step, (&mails, &hooks))?;
    let outage = Outage { args, devices, server, client, mails, hooks, triggers };
    outage.run()
}

struct Outage<'a> {
    args: &'a OutageArgs,
    devices: Responders,
    server: Server,
    client: Client,
    mails: Sink,
    hooks: Sink,
    /// The check of each trigger of a device.
    triggers: BTreeMap<u64, Configured>,
}

impl Outage<'_> {
    fn run(&self) -> Result<(), BenchError> {
        let mut figures = json!({
            "devices": self.args.devices, "items": self.args.devices * 5,
            "delay_s": self.args.delay, "pings_vanish": self.devices.pings_vanish,
        });
        wait_for(Duration::from_secs(2 * self.args.delay + 2));
        self.usage("steady", &mut figures, || {
            wait_for(Duration::from_secs(2 * self.args.delay));
            Ok(())
        })?;
        let mut faults: Vec<String> = Vec::new();
        let open = oracle::open(&self.client)?;
        faults.extend(open.iter().map(|it| format!("problem {} before anything went", it.id)));

        self.all(true);
        let is_open = || Ok(count(&self.client)? >= self.due().len() as u64);
        self.usage("vanish", &mut figures, || self.until(&is_open, "vanish", &mut faults))?;
        faults.extend(self.state_faults()?);
        self.usage("flap", &mut figures, || {
            self.flap();
            Ok(())
        })?;
        self.all(true);
        self.usage("vanish_again", &mut figures, || {
            self.until(&is_open, "vanish_again", &mut faults)
        })?;
        faults.extend(self.state_faults()?);
        if self.args.webhook_step != 1 {
            wait_for(WEBHOOKS_DUE);
        }
        let ranked = oracle::open(&self.client)?;

        self.all(false);
        let is_over = || Ok(count(&self.client)? == 0);
        self.usage("return", &mut figures, || self.until(&is_over, "return", &mut faults))?;
        self.usage("messages", &mut figures, || {
            all_messages(&self.client, self.args.limit_seconds)
        })?;
        let events = oracle::events(&self.client)?;
        faults.extend(self.final_faults(&events, &ranked)?);
        figures["events"] = json!(events.len());
        figures["symptoms"] = json!(ranked.iter().filter(|it| it.cause != 0).count());
        figures["mails"] = json!(self.mails.n());
        figures["webhooks"] = json!(self.hooks.n());
        let memory = self.server.memory();
        figures["rss_mb"] = json!(memory.rss >> 20);
        figures["rss_peak_mb"] = json!(memory.peak >> 20);
        report_checked(&self.args.common, "outage", figures, &faults)
    }

    /// Triggers that have an open problem while all that go are away, with their devices.
    fn due(&self) -> BTreeMap<u64, Configured> {
        let is_due = |it: &Configured| {
            goes(it.device) && (self.devices.pings_vanish || it.kind != Kind::Ping)
        };
        self.triggers.iter().filter(|it| is_due(it.1)).map(|it| (*it.0, *it.1)).collect()
    }

    fn all(&self, is_vanished: bool) {
        let going = (0..self.args.devices).filter(|it| goes(*it));
        going.for_each(|it| self.devices.set(it, is_vanished));
    }

    /// Each second some devices go or come.
    fn flap(&self) {
        let mut random: u64 = 0x5EED;
        for _ in 0..self.args.flap_seconds {
            for device in (0..self.args.devices).filter(|it| goes(*it)) {
                // Numerical Recipes' generator: the same devices in each run.
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xFFFF_FFFF;
                if (random >> 16).is_multiple_of(3 * self.args.delay) {
                    self.devices.toggle(device);
                }
            }
            wait_for(Duration::from_secs(1));
        }
    }

    /// The cost of a part of the run.
    fn usage(
        &self,
        name: &str,
        figures: &mut Value,
        part: impl FnOnce() -> Result<(), BenchError>,
    ) -> Result<(), BenchError> {
        let before = Usage::read(&self.server, &self.client)?;
        part()?;
        figures[name] = Usage::read(&self.server, &self.client)?.since(&before);
        Ok(())
    }

    /// Waits for a state; one that does not come is a fault, whose details the oracle knows.
    fn until(
        &self,
        is_so: &dyn Fn() -> Result<bool, BenchError>,
        name: &str,
        faults: &mut Vec<String>,
    ) -> Result<(), BenchError> {
        if !comes(self.args.limit_seconds, is_so)? {
            faults.push(format!("{name}: not done in {} s", self.args.limit_seconds));
        }
        Ok(())
    }

    /// While all that go are away: problems that are missing or too many, and ranks.
    fn state_faults(&self) -> Result<Vec<String>, BenchError> {
        // The last ranks may follow their problems by a moment.
        let is_right = || Ok(self.faults_of(&oracle::open(&self.client)?).is_empty());
        comes(self.args.limit_seconds, is_right)?;
        Ok(self.faults_of(&oracle::open(&self.client)?))
    }

    fn faults_of(&self, open: &[Open]) -> Vec<String> {
        let mut due = self.due();
        let device_of: BTreeMap<u64, usize> = open
            .iter()
            .filter_map(|it| Some((it.id, self.triggers.get(&it.trigger)?.device)))
            .collect();
        let mut faults = Vec::new();
        for problem in open {
            let Some(it) = due.remove(&problem.trigger) else {
                faults.push(format!("problem {} of a device that is there, or double", problem.id));
                continue;
            };
            let parent = it.device - it.device % BEHIND_ONE;
            let is_symptom = it.device != parent;
            let cause = device_of.get(&problem.cause).copied();
            if cause != is_symptom.then_some(parent) {
                let kind = it.kind;
                faults.push(format!("{kind:?} of device {} has the cause {cause:?}", it.device));
            }
        }
        let missing =
            due.values().map(|it| format!("no problem: {:?} of device {}", it.kind, it.device));
        faults.extend(missing);
        faults
    }

    fn final_faults(&self, events: &[Event], ranked: &[Open]) -> Result<Vec<String>, BenchError> {
        let mut faults = oracle::faults(events, &oracle::open(&self.client)?);
        let strangers = events
            .iter()
            .filter(|it| self.triggers.get(&it.trigger).is_none_or(|it| !goes(it.device)));
        faults.extend(strangers.map(|it| format!("event {} of a device that stayed", it.id)));
        let of_mails = oracle::message_faults(events, &self.mails.notices(), |_| true);
        faults.extend(of_mails.into_iter().map(|it| format!("mails: {it}")));
        // Those of the others depend on the order of checks.
        let causes: Vec<u64> = ranked.iter().filter(|it| it.cause == 0).map(|it| it.id).collect();
        let must = |event: &Event| {
            let of = self.triggers.get(&event.trigger);
            let is_agent =
                of.is_some_and(|it| it.kind == Kind::Agent && it.device % BEHIND_ONE == 0);
            is_agent && causes.binary_search(&event.id).is_ok()
        };
        let of_hooks = oracle::message_faults(events, &self.hooks.notices(), must);
        faults.extend(of_hooks.into_iter().map(|it| format!("webhooks: {it}")));
        Ok(faults)
    }
}
