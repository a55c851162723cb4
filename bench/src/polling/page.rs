//! The page of an exporter.

use std::fmt::Write as _;

/// Metrics of a page that have an item.
pub(super) const N_METRICS: usize = 500;
/// Lines of a page: as node_exporter has on a machine with some disks and interfaces.
const N_LINES: usize = 1_500;

/// A page as an exporter writes it, some 90 kB.
pub(super) fn prometheus_page() -> String {
    let mut page = String::new();
    for number in 0..N_LINES {
        let (family, device) = (number / 10, number % 10);
        if device == 0 {
            writeln!(page, "# HELP node_bench_{family}_total What is counted of devices.").ok();
            writeln!(page, "# TYPE node_bench_{family}_total counter").ok();
        }
        let value = number * 7_919 % 99_991;
        writeln!(page, "node_bench_{family}_total{{device=\"dev{device}\"}} {value}.25").ok();
    }
    page
}
/// A pattern that finds one of the page's lines.
pub(super) fn prometheus_pattern(number: usize) -> String {
    let line = number * (N_LINES / N_METRICS);
    format!("node_bench_{}_total{{device=\"dev{}\"}}", line / 10, line % 10)
}
