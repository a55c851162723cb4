//! The binary as it is shipped: without debug information, and backtraces name our functions.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A server's message about a panic: the system has no room for the stacks of its threads.
fn panic_of(binary: &Path, data: &Path, backtrace: &str) -> String {
    let output = Command::new(binary)
        .args(["server", "--http", "127.0.0.1:0", "--trapper", "127.0.0.1:0", "--data"])
        .arg(data)
        .env_remove("SAKER_SETTINGS")
        .env_remove("SAKER_DATA")
        .env("RUST_MIN_STACK", (1_u64 << 50).to_string())
        .env("RUST_BACKTRACE", backtrace)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(said.contains("this is a bug of Saker"), "{said}");
    said
}

#[test]
fn backtraces_name_functions_without_debug_information_and_lines_with_it() {
    let temp = tempfile::tempdir().unwrap();
    let (data, binary) = (temp.path().join("data"), temp.path().join("saker"));
    fs::copy(env!("CARGO_BIN_EXE_saker"), &binary).unwrap();
    let split = || {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/split-symbols.sh");
        assert!(Command::new(script).arg(&binary).status().unwrap().success());
    };
    let size = |it: &Path| fs::metadata(it).unwrap().len();
    let before = size(&binary);
    // A build may have no debug information to begin with.
    let line = "apps/saker/src/server/mod.rs:";
    let has_lines = panic_of(&binary, &data, "1").contains(line);
    split();
    let after = size(&binary);
    let side_file = temp.path().join("saker.debug");
    assert!(!has_lines || after < before, "{before} bytes became {after}");
    assert_eq!(side_file.try_exists().unwrap(), after != before);
    split();
    assert_eq!(size(&binary), after, "there is nothing left to take out");

    // Line tables know files and lines, and names without their modules.
    let lines = panic_of(&binary, &data, "1");
    assert_eq!(lines.contains(line), has_lines, "{lines}");
    if after != before {
        fs::remove_file(side_file).unwrap();
    }
    let names = panic_of(&binary, &data, "1");
    // The compiler may put functions below it into it, but nothing takes it in.
    assert!(names.contains("saker::main"), "{names}");
    assert!(!names.contains(line), "{names}");
    assert!(!panic_of(&binary, &data, "0").contains("saker::main"));
}
