//! Runs behaviour cases: every case file below a folder against the functions that answer its topic.
//!
//! The cases are outside of the project; `make test` runs those next to the checkout. One file of
//! this crate answers the topics of one field and lists them in its `TOPICS`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_macros,
    reason = "a test tool: it speaks on stdout, and a panic is a failed case"
)]

mod agents;
mod case;
mod expressions;
mod formats;
mod functions;
mod hosts;
mod json;
mod keys;
mod lld;
mod macros;
mod maintenance;
mod net;
mod preprocessing;
mod protocols;
mod scripts;
mod services;
mod strings;
mod test_request;
mod times;
mod values;

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Parser;
use serde_json::Value;

use case::{Answer, Case, Topic, Topics};

/// Every file's topics.
const ALL: &[Topics] = &[
    agents::TOPICS,
    expressions::TOPICS,
    formats::TOPICS,
    functions::TOPICS,
    hosts::TOPICS,
    json::TOPICS,
    keys::TOPICS,
    lld::TOPICS,
    macros::TOPICS,
    maintenance::TOPICS,
    net::TOPICS,
    preprocessing::TOPICS,
    protocols::TOPICS,
    services::TOPICS,
    strings::TOPICS,
    test_request::TOPICS,
    times::TOPICS,
    values::TOPICS,
];

/// Runs behaviour cases and reports how many passed, failed and were skipped.
#[derive(Debug, Parser)]
#[command(name = "conformance")]
struct Options {
    /// Folder of the case files; every *.json with cases below it is run.
    #[arg(long)]
    dir: PathBuf,
    /// Only topics whose name contains this.
    #[arg(long)]
    topic: Option<String>,
    /// Also compare fields of failures that are for information only: texts of errors.
    #[arg(long)]
    texts: bool,
    /// Show each failed case.
    #[arg(long)]
    list_failures: bool,
}

/// Results of the cases of one file, or of all.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        for (why, count) in &other.skipped {
            *self.skipped.entry(why.clone()).or_default() += count;
        }
    }

    fn n_skipped(&self) -> usize {
        self.skipped.values().sum()
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut files = Vec::new();
    if let Err(error) = collect_files(&options.dir, &mut files) {
        eprintln!("cannot read {}: {error}", options.dir.display());
        return ExitCode::from(2);
    }
    files.sort();
    // A panic is reported with its case.
    panic::set_hook(Box::new(|_| {}));
    let mut total = Tally::default();
    for path in &files {
        match run_file(path, &options) {
            Ok(Some(tally)) => total.add(&tally),
            Ok(None) => {}
            Err(error) => {
                println!("{}: {error}", path.display());
                total.failed += 1;
            }
        }
    }
    let n_skipped = total.n_skipped();
    println!("{} passed, {} failed, {n_skipped} skipped", total.passed, total.failed);
    ExitCode::from(u8::from(total.failed > 0))
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_files(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "json") {
            files.push(path);
        }
    }
    Ok(())
}

/// Runs a file's cases; `None`: not chosen.
fn run_file(path: &Path, options: &Options) -> Result<Option<Tally>, String> {
    let text = fs::read_to_string(path).map_err(|it| it.to_string())?;
    let file: Value = serde_json::from_str(&text).map_err(|it| it.to_string())?;
    let Some(cases) = file["cases"].as_array() else {
        return Err("there is no list of cases".to_owned());
    };
    let topic = topic_name(path, &file);
    if options.topic.as_ref().is_some_and(|it| !topic.contains(it.as_str())) {
        return Ok(None);
    }
    let mut tally = Tally::default();
    let Some(run) = find(&topic) else {
        tally.skipped.insert("nothing here answers this topic".to_owned(), cases.len());
        print_tally(&topic, &tally);
        return Ok(Some(tally));
    };
    for case in cases {
        let case = case::unfold(case.clone());
        match judge(run, &case, options.texts) {
            Answer::Skip(why) => *tally.skipped.entry(why.to_owned()).or_default() += 1,
            Answer::Checked(Ok(())) => tally.passed += 1,
            Answer::Checked(Err(why)) => {
                tally.failed += 1;
                if options.list_failures {
                    let input: String = case["in"].to_string().chars().take(700).collect();
                    println!("  {topic} {}: {why}\n    {input}", case["id"]);
                }
            }
            Answer::Out(_) => unreachable!("judged"),
        }
    }
    print_tally(&topic, &tally);
    Ok(Some(tally))
}

/// `group/name`, as the file says it or as it is called.
fn topic_name(path: &Path, file: &Value) -> String {
    if let Some(name) = file["topic"].as_str().filter(|it| it.contains('/')) {
        return name.to_owned();
    }
    let part = |it: Option<&std::ffi::OsStr>| it.unwrap_or_default().to_string_lossy().into_owned();
    format!("{}/{}", part(path.parent().and_then(Path::file_name)), part(path.file_stem()))
}

fn find(topic: &str) -> Option<Topic> {
    ALL.iter().flat_map(|it| it.iter()).find(|it| it.0 == topic).map(|it| it.1)
}

/// Runs and compares one case.
fn judge(run: Topic, case: &Value, texts: bool) -> Answer {
    let run_case = Case::new(case);
    match panic::catch_unwind(AssertUnwindSafe(|| run(&run_case))) {
        Ok(Answer::Out(actual)) => Answer::Checked(case::compare(run_case.out(), &actual, texts)),
        Ok(other) => other,
        Err(cause) => {
            let text = cause.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
            Answer::Checked(Err(format!("panic: {}", text.unwrap_or("without a text"))))
        }
    }
}

/// A line about one topic.
fn print_tally(topic: &str, tally: &Tally) {
    let n_skipped = tally.n_skipped();
    println!("{topic}: {} passed, {} failed, {n_skipped} skipped", tally.passed, tally.failed);
    for (why, count) in &tally.skipped {
        println!("  skipped {count}: {why}");
    }
}
