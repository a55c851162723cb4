//! Service level indicators: the share of its time that a service was up.

use super::{Downtime, Sla, Span, joined};

/// The times of a period that count: computed once for all services.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// Of the schedule.
    spans: Vec<Span>,
    /// Without times that are excluded.
    counted: Vec<Span>,
}

/// The history of a service's status.
#[derive(Clone, Copy, Debug)]
pub struct StatusHistory<'a> {
    /// Before, it was not there.
    pub created_at: i64,
    /// Whether it was OK before the first change.
    pub was_ok: bool,
    /// When the status changed, ascending, and whether it is OK from then on.
    pub changes: &'a [(i64, bool)],
}

/// The indicator of a period.
#[derive(Clone, PartialEq, Debug)]
pub struct Indicator {
    /// Seconds with the status OK.
    pub uptime: i64,
    /// Seconds with another one.
    pub downtime: i64,
    /// Percent of uptime; `None`: there was nothing to count.
    pub sli: Option<f64>,
    /// The seconds of downtime left, by the objective and at most the rest of the period. Below zero: the
    /// service was down longer than allowed.
    pub error_budget: i64,
    /// Excluded times as far as they took something away.
    pub excluded: Vec<Downtime>,
}

impl Sla {
    /// The times of a period that count.
    #[must_use]
    pub fn schedule_of(&self, period: Span) -> Scheduled {
        let spans = self.scheduled(period);
        let excluded = joined(self.excluded.iter().map(|it| it.span).collect());
        let mut counted = Vec::with_capacity(spans.len());
        for span in &spans {
            let mut rest = *span;
            let first = excluded.partition_point(|it| it.to <= rest.from);
            for cut in excluded[first..].iter().take_while(|it| it.from < span.to) {
                counted.push(Span { from: rest.from, to: cut.from });
                rest.from = cut.to;
            }
            counted.push(rest);
        }
        counted.retain(|it| !it.is_empty());
        Scheduled { spans, counted }
    }

    /// The uptime of a service up to now.
    #[must_use]
    pub fn indicator(
        &self,
        scheduled: &Scheduled,
        history: StatusHistory<'_>,
        now: i64,
    ) -> Indicator {
        let life = Span { from: history.created_at, to: i64::MAX };
        let past = Span { to: now, ..life };
        let available: i64 = scheduled.counted.iter().map(|it| it.and(life).seconds()).sum();
        let (mut uptime, mut downtime) = (0, 0);
        let mut changes = history.changes.iter().peekable();
        let mut is_ok = history.was_ok;
        for span in scheduled.counted.iter().map(|it| it.and(past)).filter(|it| !it.is_empty()) {
            let mut rest = span;
            while let Some((at, ok)) = changes.next_if(|(at, _)| *at < span.to) {
                let until = Span { from: rest.from, to: (*at).max(rest.from) };
                *(if is_ok { &mut uptime } else { &mut downtime }) += until.seconds();
                (is_ok, rest.from) = (*ok, until.to);
            }
            *(if is_ok { &mut uptime } else { &mut downtime }) += rest.seconds();
        }
        let counted = uptime + downtime;
        let excluded = self.excluded_of(scheduled, past);
        if counted == 0 {
            return Indicator { uptime, downtime, sli: None, error_budget: 0, excluded };
        }
        Indicator {
            uptime,
            downtime,
            sli: Some(share(uptime, counted)),
            error_budget: self.error_budget(uptime, counted, available),
            excluded,
        }
    }

    fn error_budget(&self, uptime: i64, counted: i64, available: i64) -> i64 {
        let left = available - counted;
        if self.slo <= 0.0 {
            return left;
        }
        left.min(whole(uptime, self.slo) - counted)
    }

    fn excluded_of(&self, scheduled: &Scheduled, past: Span) -> Vec<Downtime> {
        let mut found: Vec<Downtime> = Vec::new();
        for downtime in &self.excluded {
            let cuts = scheduled.spans.iter().map(|it| it.and(past).and(downtime.span));
            let mut cuts = cuts.filter(|it| !it.is_empty());
            let Some(first) = cuts.next() else { continue };
            let span = Span { from: first.from, to: cuts.next_back().unwrap_or(first).to };
            found.push(Downtime { name: downtime.name.clone(), span });
        }
        found.sort_by_key(|it| it.span);
        found
    }
}

/// Percent.
#[expect(clippy::cast_precision_loss, reason = "seconds of a year are far below 2^53")]
fn share(part: i64, all: i64) -> f64 {
    part as f64 / all as f64 * 100.0
}

/// The total seconds of which this number is `slo` percent.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "seconds of a year are far below 2^53; whole seconds are wanted, and huge ones stay huge"
)]
fn whole(part: i64, slo: f64) -> i64 {
    (part as f64 / slo * 100.0) as i64
}
