//! From the series of a request to those of the register.

use model::map::Map;
use model::snapshot::{Host, Snapshot};
use model::{HostId, Time};
use serde_json::{Map as Object, Value};
use wire::series::{Labels, NAME, Sample, Sink};

use super::register::{Handle, Register, SERIES, rules};
use super::report::{
    Point, SeriesJudge, SeriesMetrics, SeriesRefusal, SeriesReport, SeriesSettings,
};

/// New hosts within a minute. Further ones are refused.
const HOSTS_A_MINUTE: u32 = 600;
/// Longest text of a series: a key has room for it, even in quotes. A longer one is refused.
const TEXT_MAX: usize = 1_000;
/// Longest name of a series, in characters: names of items have 255, and prototypes may add to it.
const NAME_MAX: usize = 200;

/// The points of a request, and its report so far.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    pub(super) points: Vec<Point>,
    pub(super) report: SeriesReport,
    pub(super) refused: Vec<(SeriesRefusal, u64)>,
    pub(super) n_not_numbers: u64,
    pub(super) n_skipped: u64,
    /// Some series do not have their items yet.
    pub(super) is_waiting: bool,
    /// Hosts to be made.
    pub(super) new_hosts: Vec<String>,
    /// Values of series that the register does not know, where new ones may not be added.
    pub(super) n_unknown: u64,
}

/// Receives the series of one request.
pub(super) struct Learning<'a> {
    settings: &'a SeriesSettings,
    metrics: &'a SeriesMetrics,
    register: &'a mut Register,
    snapshot: &'a Snapshot,
    judge: &'a dyn SeriesJudge,
    now: Time,
    /// Series that are not in the register yet are ignored.
    only_known: bool,
    /// Whether values of a host are taken.
    hosts: Map<HostId, Result<(), SeriesRefusal>>,
    identity: Vec<u8>,
    learnt: Learnt,
}

impl<'a> Learning<'a> {
    pub(super) fn new(
        (settings, metrics): (&'a SeriesSettings, &'a SeriesMetrics),
        (register, snapshot): (&'a mut Register, &'a Snapshot),
        judge: &'a dyn SeriesJudge,
        now: Time,
    ) -> Self {
        let (hosts, identity, learnt) = (Map::default(), Vec::new(), Learnt::default());
        let only_known = false;
        Self {
            settings,
            metrics,
            register,
            snapshot,
            judge,
            now,
            only_known,
            hosts,
            identity,
            learnt,
        }
    }

    /// Does not add series: values of unknown ones are counted and left to another reading.
    pub(super) fn only_known(mut self) -> Self {
        self.only_known = true;
        self
    }

    pub(super) fn end(self) -> Learnt {
        self.learnt
    }

    /// The series of these labels in the register.
    fn find(&mut self, labels: &Labels<'_>) -> Result<Handle, SeriesRefusal> {
        self.identity.clear();
        for (name, value) in &labels.labels {
            for part in [name, value] {
                // Lengths first: different lists of labels never have the same bytes.
                self.identity.extend_from_slice(&part.len().to_le_bytes());
                self.identity.extend_from_slice(part.as_bytes());
            }
        }
        if let Some((at, host)) = self.register.find(&self.identity) {
            self.is_taken(host)?;
            return Ok(at);
        }
        if self.only_known {
            self.learnt.n_unknown += 1;
            return Err(SeriesRefusal::UnknownHost);
        }
        self.check(labels)?;
        let host = self.host(labels)?;
        self.is_taken(host.id)?;
        let text = labels.text(self.left_out(labels, host));
        if TEXT_MAX < text.len() {
            return Err(SeriesRefusal::TooLong);
        }
        self.register.load(host, self.now.clock());
        let at = match self.register.find_text(host.id, &text) {
            Some(at) => at,
            None => self.add(labels, host, &text)?,
        };
        self.register.also(at, &self.identity);
        Ok(at)
    }

    fn add(
        &mut self,
        labels: &Labels<'_>,
        host: &Host,
        text: &str,
    ) -> Result<Handle, SeriesRefusal> {
        if self.settings.host_series_max <= self.register.n_series_of(host.id) {
            return Err(SeriesRefusal::HostSeries);
        }
        if self.settings.series_max <= self.register.n_series() {
            return Err(SeriesRefusal::AllSeries);
        }
        let minute = self.now.clock() / 60;
        if !self.register.admits_series(minute, self.settings.new_series_per_minute) {
            return Err(SeriesRefusal::NewSeries);
        }
        self.metrics.new_series_total.inc();
        let row = row(labels, text);
        Ok(self.register.add((host.id, text), row, self.now.clock(), None))
    }

    fn check(&self, labels: &Labels<'_>) -> Result<(), SeriesRefusal> {
        if labels.metric().is_none() {
            return Err(SeriesRefusal::NoName);
        }
        if self.settings.labels_max < labels.labels.len() {
            return Err(SeriesRefusal::TooManyLabels);
        }
        let max = self.settings.label_bytes_max;
        let is_long = labels.labels.iter().any(|(name, it)| max < name.len() || max < it.len());
        if is_long { Err(SeriesRefusal::TooLong) } else { Ok(()) }
    }

    fn host(&mut self, labels: &Labels<'_>) -> Result<&'a Host, SeriesRefusal> {
        let named = self.settings.host_labels.iter().find_map(|it| labels.get(it));
        let name = named.ok_or(SeriesRefusal::NoHost)?;
        let bare = without_port(name);
        let found = self.snapshot.host_named(name).or_else(|| self.snapshot.host_named(bare));
        if let Some(host) = found {
            return Ok(host);
        }
        let minute = self.now.clock() / 60;
        let is_made = self.settings.new_hosts
            && self.judge.may_create()
            && lang::host_name::is_valid(bare)
            && (self.learnt.new_hosts.iter().any(|it| it == bare)
                || self.register.admits_host(minute, HOSTS_A_MINUTE));
        if is_made && !self.learnt.new_hosts.iter().any(|it| it == bare) {
            self.learnt.new_hosts.push(bare.to_owned());
        }
        Err(SeriesRefusal::UnknownHost)
    }

    /// The label that only repeats the host's name.
    fn left_out(&self, labels: &Labels<'_>, host: &Host) -> &'a str {
        let named = self.settings.host_labels.iter().find(|it| labels.get(it).is_some());
        named.filter(|it| labels.get(it) == Some(&*host.host)).map_or("", String::as_str)
    }

    fn is_taken(&mut self, id: HostId) -> Result<(), SeriesRefusal> {
        if let Some(known) = self.hosts.get(&id) {
            return *known;
        }
        let taken = match self.snapshot.hosts.get(&id) {
            None => Err(SeriesRefusal::UnknownHost),
            Some(host) if !self.judge.may_write(host) => Err(SeriesRefusal::NoPermission),
            Some(host) if rules(host).next().is_none() => Err(SeriesRefusal::NoRule),
            Some(_) => Ok(()),
        };
        self.hosts.insert(id, taken);
        taken
    }

    fn refuse(&mut self, refusal: SeriesRefusal, labels: &Labels<'_>, n: u64) {
        let learnt = &mut self.learnt;
        learnt.report.n_refused += n;
        learnt.report.refusal.get_or_insert_with(|| {
            let text: String = labels.text("").chars().take(NAME_MAX).collect();
            format!("{text}: {refusal}")
        });
        match learnt.refused.iter_mut().find(|it| it.0 == refusal) {
            Some((_, sum)) => *sum += n,
            None => learnt.refused.push((refusal, n)),
        }
    }
}

impl Sink for Learning<'_> {
    fn series(&mut self, labels: &mut Labels<'_>, samples: &[Sample]) {
        labels.sort();
        let at = match self.find(labels) {
            Ok(at) => at,
            Err(refusal) => {
                self.refuse(refusal, labels, samples.len() as u64);
                return;
            }
        };
        let n_before = self.learnt.points.len();
        for sample in samples {
            if !sample.value.is_finite() {
                self.learnt.n_not_numbers += 1;
                continue;
            }
            let time = if sample.ns == 0 { self.now } else { Time(sample.ns) };
            self.learnt.points.push(Point { series: at, time, value: sample.value });
        }
        // A point that only marks the end of a series has no value.
        if n_before < self.learnt.points.len() {
            self.register.see(at, self.now.clock());
        }
        self.learnt.is_waiting |= self.register.is_waiting(at);
    }

    fn skipped(&mut self, n: usize) {
        self.learnt.n_skipped += n as u64;
    }
}

/// `web1` for `web1:9100`; IPv6 addresses stay.
fn without_port(name: &str) -> &str {
    match name.rsplit_once(':') {
        Some((host, port))
            if !host.is_empty()
                && !host.contains(':')
                && port.bytes().all(|it| it.is_ascii_digit()) =>
        {
            host
        }
        _ => name,
    }
}

/// With an ellipsis if it is longer than a name.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(NAME_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The row of a series for its host's rules.
fn row(labels: &Labels<'_>, text: &str) -> String {
    let mut row = Object::new();
    row.insert(SERIES.to_owned(), text.into());
    row.insert("{#NAME}".to_owned(), shortened(text).into());
    row.insert("{#METRIC}".to_owned(), labels.metric().unwrap_or_default().into());
    row.insert("{#TYPE}".to_owned(), labels.kind.as_str().into());
    row.insert("{#UNIT}".to_owned(), labels.unit.into());
    for (name, value) in labels.labels.iter().filter(|it| it.0 != NAME) {
        let name = name.chars().map(|it| match it.to_ascii_uppercase() {
            it @ ('A'..='Z' | '0'..='9' | '_' | '.') => it,
            _ => '_',
        });
        let name = format!("{{#LABEL.{}}}", name.collect::<String>());
        row.insert(name, Value::String(value.clone().into_owned()));
    }
    Value::Object(row).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_part_of_a_name() {
        for (name, bare) in [
            ("web1:9100", "web1"),
            ("web1", "web1"),
            ("web1:", "web1"),
            ("web1:http", "web1:http"),
            (":9100", ":9100"),
            ("::1", "::1"),
            ("10.0.0.1:80", "10.0.0.1"),
        ] {
            assert_eq!(without_port(name), bare, "{name}");
        }
    }

    #[test]
    fn a_row_has_macros_of_all_labels() {
        let labels = [("__name__", "up"), ("job", "a"), ("http.route-x", "/")];
        let labels = labels.map(|(name, value)| (name.into(), value.into())).into();
        let labels = Labels { labels, kind: wire::series::Kind::Gauge, unit: "s" };
        let row: Value = serde_json::from_str(&row(&labels, "up{}")).expect("JSON");
        assert_eq!(
            row,
            serde_json::json!({
                "{#SERIES}": "up{}", "{#NAME}": "up{}", "{#METRIC}": "up", "{#TYPE}": "gauge", "{#UNIT}": "s",
                "{#LABEL.JOB}": "a", "{#LABEL.HTTP.ROUTE_X}": "/",
            })
        );
    }
}
