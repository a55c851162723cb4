//! How results are reported: figures one a line, and a line of JSON in a file.

use std::fs::OpenOptions;
use std::io::Write as _;

use crate::common::{BenchError, Common, io_error};
use crate::process;

/// Prints the figures, one a line, and appends them as one JSON line.
#[expect(clippy::print_stdout, reason = "the figures are what the command is for")]
pub(crate) fn report(
    common: &Common,
    name: &str,
    figures: serde_json::Value,
) -> Result<(), BenchError> {
    let mut line = serde_json::json!({
        "bench": name,
        "version": env!("CARGO_PKG_VERSION"),
        "date": process::utc_date(),
        "machine": process::machine(),
        "note": common.note,
    });
    println!("{name}");
    if let (Some(all), serde_json::Value::Object(figures)) = (line.as_object_mut(), figures) {
        for (figure, value) in figures {
            println!("  {figure:<34} {value}");
            all.insert(figure, value);
        }
    }
    let Some(path) = &common.append else { return Ok(()) };
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(io_error("open the file to append to"))?;
    writeln!(file, "{line}").map_err(io_error("append the result"))
}

/// Faults that are printed.
const FAULTS_SHOWN: usize = 20;

/// As [`report`], with the faults that an oracle found: any fault is a failure of the run.
pub(crate) fn report_checked(
    common: &Common,
    name: &str,
    mut figures: serde_json::Value,
    faults: &[String],
) -> Result<(), BenchError> {
    figures["faults"] = serde_json::json!(faults.len());
    report(common, name, figures)?;
    if faults.is_empty() {
        return Ok(());
    }
    let first = faults.iter().take(FAULTS_SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    Err(BenchError::Faults { n: faults.len(), first })
}
