//! `saker history verify` and `stats`: sound and damaged history of a stopped server, and one that runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{FLOAT, Server, now};

fn verify(data: &Path) -> (Option<i32>, String, String) {
    history("verify", data)
}

/// Exit code, standard output and error, with the data directory as `DIR`.
fn history(word: &str, data: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(["history", word, "--data"])
        .arg(data)
        .env_remove("SAKER_SETTINGS")
        .env_remove("SAKER_DATA")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(data.to_str().unwrap(), "DIR");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn segments(data: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(data.join("history")).unwrap().map(|it| it.unwrap().path());
    files.filter(|it| it.extension().is_some_and(|it| it == "segment")).collect()
}

#[test]
fn damage_is_reported_with_its_place_unless_the_server_runs() {
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "k", FLOAT);
    // Of one hour, which is not over before the server stops: there is no trend yet.
    let at = now();
    for _ in 0..5 {
        server.send("h", "k", "1.5", at);
    }
    let data = server.data();
    let (code, stdout, stderr) = verify(&data);
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert!(stderr.contains("DIR is in use by another saker (process "), "{stderr}");

    server.stop();
    let (code, stdout, stderr) = verify(&data);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    let files = segments(&data);
    let n_bytes: u64 = files.iter().map(|it| fs::metadata(it).unwrap().len()).sum();
    assert!(!files.is_empty(), "a server that stops writes what it has");
    assert_eq!(stdout, format!("{} files, {n_bytes} bytes, 5 values\n", files.len()));

    let (code, stdout, stderr) = history("stats", &data);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    let words = |line: &str| line.split_whitespace().take(6).map(str::to_owned).collect::<Vec<_>>();
    let n_bytes = n_bytes.to_string();
    let lines: Vec<_> = stdout.lines().map(words).collect();
    assert_eq!(lines[0], ["of", "kept", "files", "bytes", "values", "bytes/value"]);
    assert_eq!(lines[1], ["values", "31", "days", "1", &n_bytes, "5"]);
    assert_eq!(lines[2][..4], ["all", "1", &n_bytes, "5"]);

    let file = files.first().unwrap();
    let mut bytes = fs::read(file).unwrap();
    *bytes.get_mut(20).unwrap() ^= 1;
    fs::write(file, &bytes).unwrap();
    let (code, stdout, stderr) = verify(&data);
    assert_eq!(code, Some(1));
    let name = file.file_name().unwrap().to_str().unwrap();
    let place = format!("DIR/history/{name} is damaged at offset 16: wrong checksum of a page\n");
    assert!(stdout.contains(&place), "{stdout}");
    assert!(stderr.contains("history is damaged in 1 place(s)"), "{stderr}");
    assert_eq!(fs::read(file).unwrap(), bytes, "nothing is changed");
}
