//! The status of services under one change, and a year of an agreement.

use divan::{Bencher, black_box};
use jiff::tz::TimeZone;
use lang::service::{Algorithm, Live, ProblemState, ServiceDefinition};
use lang::sla::{Sla, SlaPeriod, Span, StatusHistory, week};
use model::content::{ServiceProblemTag, ServiceTagOperator, Severity, Tag};

fn main() {
    divan::main();
}

const N_SERVICES: u64 = 10_000;
const N_PROBLEMS: u64 = 100_000;
const DAY: i64 = 86_400;

fn tags(service: u64) -> Vec<Tag> {
    let tag = |tag: &str, value: String| Tag { tag: tag.to_owned(), value };
    vec![tag("service", service.to_string()), tag("scope", "availability".to_owned())]
}

/// A root, a hundred services below it, ten thousand below these; ten problems for each of them.
fn live() -> Live<Vec<Tag>> {
    let mut live = Live::default();
    let inner = |parents: Vec<u64>| ServiceDefinition {
        algorithm: Algorithm::MostCriticalOfAny,
        parents,
        ..ServiceDefinition::default()
    };
    let leaf = |id: u64| ServiceDefinition {
        problem_tags: vec![ServiceProblemTag {
            tag: "service".to_owned(),
            operator: ServiceTagOperator::Equal,
            value: id.to_string(),
        }],
        parents: vec![2 + id % 100],
        ..ServiceDefinition::default()
    };
    let mut services = vec![(1, Some(inner(Vec::new())))];
    services.extend((2..102).map(|id| (id, Some(inner(vec![1])))));
    services.extend((0..N_SERVICES).map(|id| (1_000 + id, Some(leaf(id)))));
    live.put_services(services);
    let state = ProblemState { severity: Severity::Warning, counts: true };
    for id in 0..N_PROBLEMS {
        live.put_problem(id, state, tags(id % N_SERVICES));
    }
    live.evaluate_due();
    live
}

/// A worse problem changes the status up to the root, and is resolved: two changes of three services each.
#[divan::bench(sample_count = 20, sample_size = 200)]
fn one_problem_of_ten_thousand_services(bencher: Bencher<'_, '_>) {
    let mut live = live();
    let state = ProblemState { severity: Severity::High, counts: true };
    bencher.bench_local(|| {
        live.put_problem(N_PROBLEMS, state, tags(77));
        let n_up = live.evaluate_due().len();
        live.remove_problem(N_PROBLEMS);
        assert_eq!((n_up, live.evaluate_due().len()), (3, 3));
    });
}

/// The same without consequences: the problem is as severe as the present status.
#[divan::bench(sample_count = 20, sample_size = 200)]
fn one_problem_that_changes_nothing(bencher: Bencher<'_, '_>) {
    let mut live = live();
    let state = ProblemState { severity: Severity::Warning, counts: true };
    bencher.bench_local(|| {
        live.put_problem(N_PROBLEMS, state, tags(77));
        live.remove_problem(N_PROBLEMS);
        assert_eq!(live.evaluate_due().len(), 0);
    });
}

/// 100 services over the twelve months of a year, each with 1,000 changes, in office hours.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn a_year_of_a_hundred_services() {
    let start = 1_767_225_600;
    let office = (1..6).map(|day| Span { from: day * DAY + 9 * 3_600, to: day * DAY + 17 * 3_600 });
    let sla = Sla {
        period: SlaPeriod::Month,
        slo: 99.9,
        effective_from: start,
        zone: TimeZone::get("Europe/Riga").expect("it is known"),
        schedule: week(office),
        excluded: Vec::new(),
    };
    let now = start + 365 * DAY;
    let changes: Vec<(i64, bool)> =
        (0..1_000).map(|at| (start + at * 365 * DAY / 1_000, at % 2 == 1)).collect();
    for period in sla.periods(&Default::default(), now) {
        let scheduled = sla.schedule_of(period);
        let first = changes.partition_point(|(at, _)| *at < period.from);
        let end = changes.partition_point(|(at, _)| *at < period.to);
        for _service in 0..100 {
            let changes = &changes[first..end];
            let history = StatusHistory { created_at: start, was_ok: true, changes };
            black_box(sla.indicator(&scheduled, history, now));
        }
    }
}
