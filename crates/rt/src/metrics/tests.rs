use std::time::Duration;

use super::{Counter, Family, Gauge, LABEL_VALUES_MAX, Registry, SizeHistogram, TimeHistogram};

crate::metrics! {
    struct Table in "test" {
        /// Jobs done.
        /// They never get undone.
        jobs_total: Counter,
        /// How full it is.
        fill_ratio: Gauge,
        /// Errors by "kind".
        errors_total: Family<Counter> = "kind",
        /// Time of a step.
        step_seconds: TimeHistogram,
        /// Values of a batch.
        batch_values: SizeHistogram,
    }
}

#[test]
fn text_is_what_prometheus_reads() {
    let registry = Registry::new();
    let table = Table::register(&registry);
    table.jobs_total.add_n(3);
    table.fill_ratio.set(0.5);
    table.fill_ratio.add(-0.25);
    table.errors_total.of("a\"b\\c\n").inc();
    let text = registry.render();
    let head: Vec<&str> =
        text.lines().filter(|it| !it.contains("_step_") && !it.contains("_batch_")).collect();
    insta::assert_snapshot!(head.join("\n"), @r#"
    # HELP test_errors_total Errors by "kind".
    # TYPE test_errors_total counter
    test_errors_total{kind="a\"b\\c\n"} 1
    # HELP test_fill_ratio How full it is.
    # TYPE test_fill_ratio gauge
    test_fill_ratio 0.25
    # HELP test_jobs_total Jobs done. They never get undone.
    # TYPE test_jobs_total counter
    test_jobs_total 3
    "#);
}

#[test]
fn histogram_counts_into_the_bucket_whose_bound_is_not_below() {
    let registry = Registry::new();
    let table = Table::register(&registry);
    for size in [0, 1, 2, 3, 4, 5, u64::MAX >> 32] {
        table.batch_values.observe(size);
    }
    table.step_seconds.observe(Duration::from_millis(1));
    table.step_seconds.observe(Duration::from_secs(3600));
    let text = registry.render();
    for line in [
        "test_batch_values_bucket{le=\"1\"} 2",
        "test_batch_values_bucket{le=\"2\"} 3",
        "test_batch_values_bucket{le=\"4\"} 5",
        "test_batch_values_bucket{le=\"8\"} 6",
        "test_batch_values_bucket{le=\"134217728\"} 6",
        "test_batch_values_bucket{le=\"+Inf\"} 7",
        "test_batch_values_count 7",
        "test_step_seconds_bucket{le=\"+Inf\"} 2",
        "test_step_seconds_count 2",
    ] {
        assert!(text.lines().any(|it| it == line), "no line {line:?} in\n{text}");
    }
    assert!((table.step_seconds.quantile(0.5) - 1.048_576e-3).abs() < 1e-9);
}

#[test]
fn second_registration_gets_the_same_metrics() {
    let registry = Registry::new();
    Table::register(&registry).jobs_total.inc();
    Table::register(&registry).jobs_total.inc();
    assert_eq!(registry.value("test_jobs_total", None), Some(2.0));
    assert_eq!(registry.find::<Counter>("test_jobs_total").unwrap().get(), 2);
    assert!(registry.find::<Gauge>("test_jobs_total").is_none());
    assert_eq!(registry.value("test_nothing", None), None);
}

#[test]
fn label_values_are_bounded() {
    let registry = Registry::new();
    let table = Table::register(&registry);
    for i in 0..LABEL_VALUES_MAX + 50 {
        table.errors_total.of(&i.to_string()).inc();
    }
    assert_eq!(registry.value("test_errors_total", Some("other")), Some(50.0));
    assert_eq!(registry.value("test_errors_total", Some("9")), Some(1.0));
    let sum = LABEL_VALUES_MAX + 50;
    assert_eq!(registry.value("test_errors_total", None), Some(sum as f64));
}

#[test]
fn probes_run_before_a_reading_until_their_subject_is_gone() {
    let registry = Registry::new();
    let gauge = Table::register(&registry).fill_ratio;
    registry.add_probe(move || {
        gauge.add(1.0);
        gauge.get() < 2.0
    });
    for expected in [1.0, 2.0, 2.0] {
        assert_eq!(registry.value("test_fill_ratio", None), Some(expected));
    }
}

#[test]
#[should_panic(expected = "declared with two types")]
fn one_name_has_one_type() {
    let registry = Registry::new();
    let _table = Table::register(&registry);
    let _again: Gauge = registry.declare(super::Declaration {
        name: "test_jobs_total",
        former_name: "",
        help: "",
        label: "",
    });
}

#[test]
fn process_reports_itself() {
    let registry = Registry::new();
    super::observe_process(&registry, &crate::clock::Clock::real());
    assert!(registry.value("process_resident_memory_bytes", None).unwrap() > 100_000.0);
    assert!(registry.value("process_threads", None).unwrap() >= 1.0);
    assert!(registry.value("process_open_fds", None).unwrap() >= 3.0);
}

crate::metrics! {
    struct Renamed in "saker_test", formerly "other" {
        /// Jobs done.
        jobs_total: Counter,
    }
}

#[test]
fn renamed_metric_is_shown_and_found_by_both_names() {
    let registry = Registry::new();
    let table = Renamed::register(&registry);
    table.jobs_total.add_n(2);
    for name in ["saker_test_jobs_total", "other_jobs_total"] {
        assert_eq!(registry.value(name, None), Some(2.0), "{name}");
        assert_eq!(registry.find::<Counter>(name).unwrap().get(), 2, "{name}");
    }
    insta::assert_snapshot!(registry.render(), @r"
    # HELP saker_test_jobs_total Jobs done.
    # TYPE saker_test_jobs_total counter
    saker_test_jobs_total 2
    # HELP other_jobs_total Former name of saker_test_jobs_total, until the next release.
    # TYPE other_jobs_total counter
    other_jobs_total 2
    ");
}
