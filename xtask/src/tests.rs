//! `cargo xtask test`: the tests of `cargo test --workspace --no-fail-fast`, several programs at a
//! time. Cargo runs one after the other, and most of the tests wait more than they work. Benchmarks
//! run too, so that they cannot rot: without `--bench`, which `cargo bench` passes, each does its
//! work once, on little.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;

use cargo_metadata::{Message, TargetKind};

use crate::built::cargo;

/// Programs at a time.
const PROGRAMS: usize = 2;

/// A program of tests, as cargo has built it.
struct Program {
    /// As cargo calls it: package and target.
    name: String,
    path: PathBuf,
    /// Where cargo would run it.
    folder: PathBuf,
    size: u64,
}

/// Builds and runs all tests of the workspace; returns those that failed. `noted`: a file that gets
/// the same, for a caller with more to run, whose last lines should name it.
pub(crate) fn run(noted: Option<&Path>) -> Vec<String> {
    let mut failed = run_all();
    if let Some(path) = noted
        && !failed.is_empty()
        && let Err(error) = fs::write(path, failed.join("\n") + "\n")
    {
        failed.push(format!("{}: {error}", path.display()));
    }
    failed
}

fn run_all() -> Vec<String> {
    let mut programs = match build() {
        Ok(programs) => programs,
        Err(error) => return vec![error],
    };
    // The largest take longest: last of all, they would run alone. Taken from the end.
    programs.sort_by_key(|it| it.size);
    let (waiting, failed) = (Mutex::new(programs), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..PROGRAMS {
            scope.spawn(|| {
                while let Some(program) = taken(&waiting) {
                    let error = program.run().err();
                    failed.lock().expect("nobody panics with it").extend(error);
                }
            });
        }
    });
    let mut failed = failed.into_inner().expect("nobody panics with it");
    failed.extend(doc_tests().err());
    failed
}

fn taken(waiting: &Mutex<Vec<Program>>) -> Option<Program> {
    waiting.lock().expect("nobody panics with it").pop()
}

fn build() -> Result<Vec<Program>, String> {
    let output = cargo()
        .args(["test", "--workspace", "--all-targets", "--locked", "--no-run", "--quiet"])
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("the tests were not built: {}", output.status));
    }
    let mut programs = Vec::new();
    for message in Message::parse_stream(output.stdout.as_slice()) {
        let message = message.map_err(|error| format!("what cargo says is not read: {error}"))?;
        let Message::CompilerArtifact(it) = message else { continue };
        let Some(path) = it.executable else { continue };
        let kind = match it.target.kind.first() {
            Some(TargetKind::Bench) => "benchmarks",
            Some(TargetKind::Example) | None => continue,
            Some(_) if !it.profile.test => continue,
            Some(TargetKind::Test) => "tests",
            Some(_) => "unit tests",
        };
        let folder = it.manifest_path.parent().map(Into::into).unwrap_or_default();
        let size = path.metadata().map_err(|error| format!("{path}: {error}"))?.len();
        let package = it.manifest_path.parent().and_then(|it| it.file_name()).unwrap_or_default();
        let name = format!("{package}: {kind} {}", it.target.name);
        programs.push(Program { name, path: path.into(), folder, size });
    }
    if programs.is_empty() { Err("cargo has built no tests".to_owned()) } else { Ok(programs) }
}

impl Program {
    /// Shows its output after its end; the error names the program that failed.
    fn run(&self) -> Result<(), String> {
        let Self { name, path, folder, .. } = self;
        let output = Command::new(path)
            .current_dir(folder)
            .env("CARGO_MANIFEST_DIR", folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{name}: {error}"))?;
        let mut said = io::stdout().lock();
        let written = writeln!(said, "\n     Running {name}")
            .and_then(|()| said.write_all(&output.stdout))
            .and_then(|()| said.write_all(&output.stderr));
        written.map_err(|error| format!("{name}: its output cannot be written: {error}"))?;
        passed(name, output.status).map_err(|mut error| {
            for test in failed_tests(&output.stdout) {
                error.push_str("\n  ");
                error.push_str(&test);
            }
            error
        })
    }
}

/// The names of failed tests, from their program's output.
fn failed_tests(printed: &[u8]) -> Vec<String> {
    let printed = String::from_utf8_lossy(printed);
    let name =
        |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(String::from);
    printed.lines().filter_map(name).collect()
}

/// Examples in documents are compiled by rustdoc, which cargo knows how to call.
fn doc_tests() -> Result<(), String> {
    let status = cargo()
        .args(["test", "--workspace", "--locked", "--no-fail-fast", "--doc"])
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    passed("examples in documents", status)
}

fn passed(name: &str, status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("FAILED: {name}: {status}")) }
}

#[cfg(test)]
mod names {
    use super::failed_tests;

    #[test]
    fn failed_tests_are_named() {
        let printed = b"running 3 tests\ntest a::b ... ok\ntest a::c ... FAILED\n\
            test d - should panic ... FAILED\ntest result: FAILED. 1 passed; 2 failed\n";
        assert_eq!(failed_tests(printed), ["a::c", "d - should panic"]);
    }
}
