//! `saker history export` where it does not go well. What it writes is read in `tests/first_hour`.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::stat::Mode;

use crate::support::peer::{self, Counts};
use crate::support::{FLOAT, Server, now};

/// Some 200 kB of CSV; a pipe holds 64 kB.
const N_ROWS: i64 = 5_000;

fn export(data: &Path, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saker"));
    command
        .args(["history", "export", "--format", "csv", "--data"])
        .arg(data)
        .arg("-o")
        .arg(file)
        .env_remove("SAKER_SETTINGS")
        .env_remove("SAKER_DATA");
    command
}

#[test]
fn a_file_has_its_name_only_when_it_is_complete() {
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "k", FLOAT);
    let base = now() - 10_000;
    let rows: Vec<_> = (0..N_ROWS).map(|it| peer::row("h", "k", "1.5", base + it)).collect();
    let n = u64::try_from(rows.len()).unwrap();
    assert_eq!(peer::send(&mut server.connect(), &rows).unwrap(), Counts(n, 0, n));
    let (data, file) = (server.data(), server.dir().join("values.csv"));
    let refused = export(&data, &file).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("is in use by another saker (process "), "{said}");
    assert!(said.contains("make a copy by `saker backup`"), "{said}");
    server.stop();

    // A pipe that is full long before all is written: so the export is ended in the middle.
    let partial = server.dir().join("values.csv.partial");
    nix::unistd::mkfifo(&partial, Mode::S_IRWXU).unwrap();
    let mut child = export(&data, &file).stderr(Stdio::null()).spawn().unwrap();
    let mut reader = fs::File::open(&partial).unwrap();
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    reader.read_to_end(&mut Vec::new()).unwrap();
    assert!(!file.try_exists().unwrap(), "it was not complete");

    fs::remove_file(&partial).unwrap();
    let done = export(&data, &file).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = text.lines().filter(|it| it.contains(",h,k,0,")).collect();
    assert_eq!(lines.len() as u64, n);
    assert!(!partial.try_exists().unwrap());
}
