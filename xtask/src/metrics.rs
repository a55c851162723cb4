//! Reads the `metrics!` tables of all crates and makes `docs/metrics.md` of them.
//!
//! The tables are read as text: a table is written one way only (one doc comment and one line a
//! field), and so the page needs no build.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::source::Tree;

pub(crate) const PAGE: &str = "docs/metrics.md";

struct Metric {
    kind: &'static str,
    label: String,
    help: String,
}

/// The page, and the errors of the tables.
pub(crate) fn page(tree: &Tree) -> (String, Vec<String>) {
    let mut metrics = BTreeMap::new();
    let mut errors = Vec::new();
    for (path, text) in tree.texts(&[".rs"]) {
        let is_product = path.starts_with("crates/") || path.starts_with("apps/");
        if is_product && !path.ends_with("/tests.rs") && !path.contains("/tests/") {
            read_tables(path, text, &mut metrics, &mut errors);
        }
    }
    (render(&metrics), errors)
}

fn read_tables(
    path: &str,
    text: &str,
    metrics: &mut BTreeMap<String, Metric>,
    errors: &mut Vec<String>,
) {
    let mut prefix: Option<String> = None;
    let mut is_in_table = false;
    let mut help = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.ends_with("metrics! {") && !line.starts_with("//") {
            is_in_table = true;
            continue;
        }
        if !is_in_table {
            continue;
        }
        if let Some(doc) = line.strip_prefix("///") {
            help.push(doc.trim().to_owned());
        } else if line.contains("struct ") {
            prefix = line.split('"').nth(1).map(str::to_owned);
            help.clear();
        } else if line.starts_with('}') {
            // The struct first, then the table.
            is_in_table = prefix.take().is_some();
        } else if let Some((name, metric)) = read_field(line, prefix.as_deref(), &help) {
            if metric.help.is_empty() {
                errors.push(format!("{path}: metric {name} has no help text"));
            }
            errors.extend(
                misnamed(&name, metric.kind).map(|it| format!("{path}: metric {name}: {it}")),
            );
            if metrics.insert(name.clone(), metric).is_some() {
                errors.push(format!("{path}: metric {name} is declared twice"));
            }
            help.clear();
        }
    }
}

/// The defect of a name: names are `saker_<part>_<noun>_<unit>`, and `_total` if they only grow.
/// Names of `process_` are those of Prometheus's own libraries.
fn misnamed(name: &str, kind: &str) -> Option<&'static str> {
    let is_word = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_lowercase());
    if !name.starts_with("saker_") && !name.starts_with("process_") {
        Some("the prefix is saker_")
    } else if !name.split('_').all(is_word) {
        Some("lower-case words with _ between them")
    } else if (kind == "counter") != name.ends_with("_total") {
        Some("counters, and only they, end in _total")
    } else if kind == "histogram" && !["_seconds", "_bytes"].iter().any(|it| name.ends_with(it)) {
        Some("a histogram ends in its unit: _seconds or _bytes")
    } else {
        None
    }
}

/// `pub(crate) errors_total: Family<Counter> = "kind",`
fn read_field(line: &str, prefix: Option<&str>, help: &[String]) -> Option<(String, Metric)> {
    let (field, rest) = line.split_once(": ")?;
    let field = field.rsplit(' ').next()?;
    let kind = [("Counter", "counter"), ("Gauge", "gauge"), ("Histogram", "histogram")]
        .into_iter()
        .find(|(name, _)| rest.contains(name))?
        .1;
    let label = rest.split('"').nth(1).unwrap_or_default().to_owned();
    Some((format!("{}_{field}", prefix?), Metric { kind, label, help: help.join(" ") }))
}

fn render(metrics: &BTreeMap<String, Metric>) -> String {
    let mut page = String::from(
        "# Metrics\n\n<!-- Made by `cargo xtask docs` from the tables of the crates. -->\n\n\
         `GET /metrics` answers in Prometheus's text format. Times are in seconds, sizes in \
         bytes; a name\nthat ends in `_total` only grows.\nMetrics that were renamed are shown by their \
         former names, too, until the next release.\n",
    );
    let mut section = "";
    for (name, metric) in metrics {
        let part = name.trim_start_matches("saker_").split('_').next().unwrap_or_default();
        if section != part {
            section = part;
            write(&mut page, format_args!("\n## {section}\n\n"));
            page.push_str("| name | kind | label | meaning |\n|---|---|---|---|\n");
        }
        let label = match metric.label.as_str() {
            "" => String::new(),
            label => format!("`{label}`"),
        };
        let help = metric.help.replace('|', "\\|");
        write(&mut page, format_args!("| `{name}` | {} | {label} | {help} |\n", metric.kind));
    }
    page
}

fn write(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{misnamed, read_tables, render};

    #[test]
    fn tables_are_read_as_they_are_written() {
        let text = "
            use x;
            rt::metrics! {
                /// The table.
                pub struct Metrics in \"saker_poll\", formerly \"poll\" {
                    /// Checks
                    /// done.
                    pub checks_total: rt::metrics::Counter,
                    /// Time | size.
                    pub(crate) step_seconds: Family<TimeHistogram> = \"kind\",
                    naked: Gauge,
                }
            }
            struct Other { not_a_metric: Counter, }
        ";
        let (mut metrics, mut errors) = (BTreeMap::new(), Vec::new());
        read_tables("a.rs", text, &mut metrics, &mut errors);
        read_tables("b.rs", text, &mut metrics, &mut errors);
        assert_eq!(errors[0], "a.rs: metric saker_poll_naked has no help text");
        assert_eq!(errors[1], "b.rs: metric saker_poll_checks_total is declared twice");
        let page = render(&metrics);
        assert!(page.contains("| `saker_poll_checks_total` | counter |  | Checks done. |\n"));
        assert!(
            page.contains("| `saker_poll_step_seconds` | histogram | `kind` | Time \\| size. |\n")
        );
        assert!(!page.contains("not_a_metric"));
    }

    #[test]
    fn names_have_prefix_words_and_unit() {
        for (name, kind, is_right) in [
            ("saker_poll_checks_total", "counter", true),
            ("saker_poll_lag_seconds", "histogram", true),
            ("saker_poll_overdue", "gauge", true),
            ("process_threads", "gauge", true),
            ("poll_checks_total", "counter", false),
            ("saker_poll_checks", "counter", false),
            ("saker_poll_overdue_total", "gauge", false),
            ("saker_poll_lag", "histogram", false),
            ("saker_poll__lag_seconds", "histogram", false),
            ("saker_poll_Lag_seconds", "histogram", false),
        ] {
            assert_eq!(misnamed(name, kind).is_none(), is_right, "{name}");
        }
    }
}
