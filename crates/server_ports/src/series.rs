//! Series that others push: the receiver with its surroundings, and its answers in HTTP's words.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use api::ports::{Pushing, SeriesAnswer, SeriesProtocol, SeriesPush, SeriesPusher};
use collect::series::{
    self, PushSeriesError, PushedMessage, SeriesDiscovery, SeriesJudge, SeriesReceiver,
    SeriesReport, SeriesSettings, SeriesStore,
};
use db::{Actor, ConfigError, Db, Editor, ImportFormat, ImportRules, ObjectKind};
use ingress::Ingress;
use model::snapshot::Host;
use model::{ItemId, Time};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::task::TaskError;
use rt::worker::{GroupContext, WorkerGroup};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use tracing::{info, warn};
use wire::series::{OtlpAnswer, RemoteWriteVersion, SeriesError, decompress};

use crate::running::Running;

/// The template that hosts are linked to unless the settings name another one.
const TEMPLATE: &str = "Pushed metrics";
const TEMPLATE_TEXT: &str = include_str!("../../../templates/push/pushed_metrics.json");
/// Seconds after which a sender may retry, as the response asks it to.
const RETRY_AFTER_S: &str = "5";

/// Settings of series that are pushed.
#[derive(Clone, Debug)]
pub struct SeriesPortSettings {
    pub receiver: SeriesSettings,
    /// Group of hosts that are made.
    pub group: String,
    /// Template that they are linked to.
    pub template: String,
    /// Of a request, decompressed.
    pub bytes_max: usize,
}

/// The receiver of series, and its target.
#[derive(Debug)]
pub struct SeriesParts {
    pub settings: SeriesPortSettings,
    pub db: Db,
    pub ingress: Ingress,
    pub configuration: Arc<Running>,
    pub clock: Clock,
}

/// The receiver of series of Prometheus and OpenTelemetry. To be called within the runtime.
///
/// # Errors
/// The system refuses the thread of discovery.
pub fn open(
    parts: SeriesParts,
    registry: &Registry,
    context: &GroupContext,
) -> Result<SeriesPort, TaskError> {
    let SeriesParts { settings, db, ingress, configuration, clock } = parts;
    let SeriesPortSettings { receiver, group, template, bytes_max } = settings;
    let store = SqlSeries { db, clock: clock.clone(), group, template };
    if receiver.new_hosts {
        store.ensure_template();
    }
    let receiver = Arc::new(SeriesReceiver::new(
        receiver,
        (ingress, configuration as Arc<dyn collect::Configuration>),
        Arc::new(store),
        (&clock, registry),
    ));
    // A thread of its own: a host may have thousands of series.
    let mut group = WorkerGroup::new(series::ROW.name, context);
    group.add(series::ROW, |wake| SeriesDiscovery::new(Arc::clone(&receiver), wake));
    group.start()?;
    Ok(SeriesPort { receiver, runtime: Handle::current(), bytes_max })
}

/// The database as the receiver needs it.
struct SqlSeries {
    db: Db,
    clock: Clock,
    group: String,
    template: String,
}

impl SqlSeries {
    /// The template of created hosts has to exist.
    fn ensure_template(&self) {
        if self.template != TEMPLATE || self.db.snapshot().template_named(TEMPLATE).is_some() {
            return;
        }
        let format = ImportFormat::guess(TEMPLATE_TEXT);
        match self.db.import(Actor::System, TEMPLATE_TEXT, format, &ImportRules::ALL) {
            Ok(_) => info!(template = TEMPLATE, "imported the template of hosts that push series"),
            Err(error) => warn!(%error, template = TEMPLATE, "cannot import the template"),
        }
    }

    fn create(&self, editor: &mut Editor, name: &str) -> Result<(), ConfigError> {
        let snapshot = editor.snapshot();
        if snapshot.host_named(name).is_some() {
            return Ok(());
        }
        let template = snapshot.template_named(&self.template).map(|it| it.id);
        let group = snapshot.host_groups.iter().find(|(_, it)| it.name == self.group);
        let group = match group.map(|(id, _)| *id) {
            Some(id) => id.0,
            None => editor.create(ObjectKind::HostGroup, fields(json!({"name": self.group})))?,
        };
        let templates = template.map(|it| json!({"templateid": it.0.to_string()}));
        let host = json!({
            "host": name,
            "groups": [{"groupid": group.to_string()}],
            "templates": Vec::from_iter(templates),
        });
        editor.create(ObjectKind::Host, fields(host)).map(|_| ())
    }
}

fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(it) => it,
        _ => Map::new(),
    }
}

impl SeriesStore for SqlSeries {
    fn discover(&self, rule: ItemId, rows: &str, now: Time) -> Result<(), String> {
        self.db.apply_lld(rule, rows, now).map(|_report| ()).map_err(|error| error.to_string())
    }

    fn create_host(&self, name: &str) -> Result<(), String> {
        let made = self.db.edit(Actor::System, |editor| {
            editor.set_time(self.clock.wall());
            self.create(editor, name)
        });
        made.map_err(|error| error.to_string())
    }
}

/// The API's way to the receiver.
pub struct SeriesPort {
    receiver: Arc<SeriesReceiver>,
    runtime: Handle,
    /// Of a request, decompressed.
    bytes_max: usize,
}

struct ByPusher<'a>(&'a SeriesPusher<'a>);

impl SeriesJudge for ByPusher<'_> {
    fn may_write(&self, host: &Host) -> bool {
        (self.0.may_write)(host)
    }

    fn may_create(&self) -> bool {
        self.0.may_create
    }
}

impl fmt::Debug for SeriesPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeriesPort")
    }
}

impl SeriesPush for SeriesPort {
    fn push_here<'a>(
        &'a self,
        protocol: SeriesProtocol,
        body: &'a [u8],
        pusher: &'a SeriesPusher<'a>,
    ) -> Pushing<'a, Option<SeriesAnswer>> {
        Box::pin(async move {
            let judge = ByPusher(pusher);
            let pushed = match self.plain(protocol, body) {
                Ok(plain) => self.receiver.push_here(&message(protocol, &plain), &judge).await?,
                Err(error) => Err(error.into()),
            };
            Some(answer(protocol, pushed))
        })
    }

    fn push(
        &self,
        protocol: SeriesProtocol,
        body: &[u8],
        pusher: &SeriesPusher<'_>,
    ) -> SeriesAnswer {
        let judge = ByPusher(pusher);
        let pushed = match self.plain(protocol, body) {
            Ok(plain) => self.receiver.push(&message(protocol, &plain), &judge, &self.runtime),
            Err(error) => Err(error.into()),
        };
        answer(protocol, pushed)
    }
}

impl SeriesPort {
    /// A body without the compression of its protocol.
    fn plain<'a>(
        &self,
        protocol: SeriesProtocol,
        body: &'a [u8],
    ) -> Result<Cow<'a, [u8]>, SeriesError> {
        match protocol {
            SeriesProtocol::RemoteWrite | SeriesProtocol::RemoteWrite2 => {
                decompress(body, self.bytes_max).map(Cow::Owned)
            }
            SeriesProtocol::Otlp | SeriesProtocol::OtlpJson => Ok(Cow::Borrowed(body)),
        }
    }
}

fn message(protocol: SeriesProtocol, plain: &[u8]) -> PushedMessage<'_> {
    match protocol {
        SeriesProtocol::RemoteWrite => PushedMessage::RemoteWrite(RemoteWriteVersion::V1, plain),
        SeriesProtocol::RemoteWrite2 => PushedMessage::RemoteWrite(RemoteWriteVersion::V2, plain),
        SeriesProtocol::Otlp => PushedMessage::Otlp(plain),
        SeriesProtocol::OtlpJson => PushedMessage::OtlpJson(plain),
    }
}

/// The response to a request.
fn answer(protocol: SeriesProtocol, pushed: Result<SeriesReport, PushSeriesError>) -> SeriesAnswer {
    match protocol {
        SeriesProtocol::RemoteWrite => of_remote_write(pushed, None),
        SeriesProtocol::RemoteWrite2 => {
            let n_taken = pushed.as_ref().map_or(0, |it| it.n_taken);
            of_remote_write(pushed, Some(n_taken))
        }
        SeriesProtocol::Otlp => of_otlp(pushed, "application/x-protobuf", OtlpAnswer::protobuf),
        SeriesProtocol::OtlpJson => {
            of_otlp(pushed, "application/json", |it| it.json().into_bytes())
        }
    }
}

fn text(status: u16, text: String) -> SeriesAnswer {
    let headers = vec![("content-type", "text/plain; charset=utf-8".to_owned())];
    SeriesAnswer { status, headers, body: text.into_bytes() }
}

fn failed(error: &PushSeriesError) -> SeriesAnswer {
    let status = match error {
        PushSeriesError::Message(_) => 400,
        PushSeriesError::Waiting | PushSeriesError::Late | PushSeriesError::Closed => 503,
    };
    let mut answer = text(status, format!("{error}\n"));
    if status == 503 {
        answer.headers.push(("retry-after", RETRY_AFTER_S.to_owned()));
    }
    answer
}

/// A sender does not repeat refused samples, and logs the reason.
fn of_remote_write(
    pushed: Result<SeriesReport, PushSeriesError>,
    n_written: Option<u64>,
) -> SeriesAnswer {
    let mut answer = match pushed {
        Ok(SeriesReport { refusal: None, .. }) => {
            SeriesAnswer { status: 204, headers: Vec::new(), body: Vec::new() }
        }
        Ok(SeriesReport { refusal: Some(why), n_refused, .. }) => {
            text(400, format!("{n_refused} samples refused; the first of {why}\n"))
        }
        Err(error) => failed(&error),
    };
    if let Some(n) = n_written {
        answer.headers.push(("x-prometheus-remote-write-samples-written", n.to_string()));
        answer.headers.push(("x-prometheus-remote-write-histograms-written", "0".to_owned()));
        answer.headers.push(("x-prometheus-remote-write-exemplars-written", "0".to_owned()));
    }
    answer
}

fn of_otlp(
    pushed: Result<SeriesReport, PushSeriesError>,
    content_type: &str,
    encode: impl Fn(&OtlpAnswer) -> Vec<u8>,
) -> SeriesAnswer {
    let report = match pushed {
        Ok(it) => it,
        Err(error) => return failed(&error),
    };
    let message = report.refusal.unwrap_or_default();
    let answer = OtlpAnswer { n_rejected: report.n_refused, message };
    let headers = vec![("content-type", content_type.to_owned())];
    SeriesAnswer { status: 200, headers, body: encode(&answer) }
}
