//! External checks: real scripts, run once or kept.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::config::{host, interface, item, secret_macro, snapshot};
use crate::support::{PATIENCE, Server, error, settings, text};
use collect::CollectSettings;
use collect::transcript::LineKind;
use model::batch::OwnedRaw;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use tempfile::TempDir;

fn script(folder: &Path, name: &str, source: &str) {
    let path = folder.join(name);
    fs::write(&path, source).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
}

/// With folders `scripts` and `kept`.
fn folders() -> (TempDir, CollectSettings) {
    let folder = tempfile::tempdir().expect("a folder is made");
    let mut settings = settings();
    let path = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir(&path).expect("made");
        Some(path)
    };
    settings.collectors.external.scripts = path("scripts");
    settings.collectors.external.kept_scripts = path("kept");
    (folder, settings)
}

fn checked(keys: &[&str], timeout: &str) -> Host {
    let mut it = host(1, "web");
    it.interfaces.push(interface(1, InterfaceType::Agent, "192.0.2.7", 10050));
    it.items = (100..)
        .zip(keys)
        .map(|(id, key)| {
            let mut row = item(id, ItemType::External, key, "1h");
            Arc::make_mut(&mut row.content).timeout = timeout.to_owned();
            row
        })
        .collect();
    it
}

async fn start(settings: CollectSettings, host: Host) -> Server {
    Server::start_as(snapshot(1, [host]), settings, Arc::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn script_gets_raw_parameters_and_its_output_is_the_value() {
    let (folder, settings) = folders();
    let scripts = folder.path().join("scripts");
    let source = "#!/bin/sh\nfor it in \"$@\"; do printf '<%s>' \"$it\"; done; echo; echo; exit 1";
    script(&scripts, "print.sh", source);
    script(&scripts, "fail.sh", "#!/bin/sh\necho wrong >&2; exit 3");
    script(&scripts, "binary.sh", "#!/bin/sh\nprintf 'a\\377b  \\n'");
    script(&scripts, "count.sh", "#!/bin/sh\necho $#");
    fs::write(scripts.join("plain"), "no script").expect("written");
    let keys = [
        r#"print.sh["-h","{HOST.CONN}",a b,"$(id); 'x'",]"#,
        "fail.sh[]",
        "binary.sh",
        "count.sh[]",
        "missing.sh",
        "plain",
        "..",
    ];
    let server = start(settings, checked(&keys, "20s")).await;
    server.execute(100..107);
    let value = server.value_of(100).await;
    assert_eq!(text(&value), "<-h><192.0.2.7><a b><$(id); 'x'><>");
    assert_eq!(text(&server.value_of(101).await), "wrong");
    assert_eq!(text(&server.value_of(102).await), "a?b");
    assert_eq!(text(&server.value_of(103).await), "0");
    let reason = format!("{}: [2] No such file or directory", scripts.join("missing.sh").display());
    assert_eq!(error(&server.value_of(104).await), reason);
    let reason = format!("{}: [13] Permission denied", scripts.join("plain").display());
    assert_eq!(error(&server.value_of(105).await), reason);
    assert_eq!(error(&server.value_of(106).await), "Invalid name of a script.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_does_not_end_is_ended() {
    let (folder, settings) = folders();
    script(&folder.path().join("scripts"), "hang.sh", "#!/bin/sh\necho $$ > ../pid\nsleep 1000");
    let server = start(settings, checked(&["hang.sh"], "1s")).await;
    server.execute([100]);
    let reason = "Timeout while executing a shell script.";
    assert_eq!(error(&server.value_of(100).await), reason);
    let id = fs::read_to_string(folder.path().join("pid")).expect("it has begun");
    let state = || fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    peers::wait_until("it is gone", PATIENCE, || state().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_folder_nothing_is_run() {
    let server = start(settings(), checked(&["id"], "")).await;
    server.execute([100]);
    let reason =
        "External checks are not made: the setting collectors.external.scripts names no folder.";
    assert_eq!(error(&server.value_of(100).await), reason);
}

/// Answers with the number of its process and the parameters.
const KEPT: &str = r#"#!/usr/bin/env python3
import json, os, sys
for line in sys.stdin:
    p = json.loads(line)
    if p == ["die"]:
        print(json.dumps({"value": "dying"}), flush=True)
        sys.exit()
    if p == ["hang"]:
        sys.stdin.readline()
    if p == ["garbage"]:
        print("what?", flush=True)
    elif p == ["error"]:
        print(json.dumps({"error": "no such sensor"}), flush=True)
    else:
        print(json.dumps({"value": "%d %s" % (os.getpid(), p)}), flush=True)
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_script_is_started_once() {
    let (folder, settings) = folders();
    script(&folder.path().join("kept"), "kept.py", KEPT);
    script(&folder.path().join("scripts"), "kept.py", "#!/bin/sh\necho not this one");
    let keys = [
        "kept.py[a]",
        "kept.py[b,\"c \"\"]",
        "kept.py[error]",
        "kept.py",
        "kept.py[die]",
        "kept.py[e]",
        "kept.py[garbage]",
        "kept.py[hang]",
        "kept.py[f]",
    ];
    let server = start(settings, checked(&keys, "20s")).await;
    let process = |it: &OwnedRaw| text(it).split(' ').next().expect("a number").to_owned();
    let mut seen = Vec::new();
    for id in [100, 102, 103, 104, 105] {
        server.execute([id]);
        seen.push(server.value_of(id).await);
    }
    assert!(text(&seen[0]).ends_with(" ['a']"), "{seen:?}");
    assert_eq!(error(&seen[1]), "no such sensor");
    assert_eq!(process(&seen[0]), process(&seen[2]), "one process for both");
    assert!(text(&seen[2]).ends_with(" []"), "{seen:?}");
    assert_eq!(text(&seen[3]), "dying");
    assert_ne!(process(&seen[0]), process(&seen[4]), "the dead one has a successor");
    server.execute([106]);
    let reason = "Invalid answer of the script: no object with \"value\" or \"error\".";
    assert_eq!(error(&server.value_of(106).await), reason);
}

#[tokio::test(flavor = "multi_thread")]
async fn late_persistent_script_is_restarted() {
    let (folder, settings) = folders();
    script(&folder.path().join("kept"), "kept.py", KEPT);
    let mut it = checked(&["kept.py[a]", "kept.py[hang]", "kept.py[b]"], "20s");
    Arc::make_mut(&mut it.items[1].content).timeout = "1s".to_owned();
    let server = start(settings, it).await;
    server.execute([100]);
    let first = server.value_of(100).await;
    let process = |it: &OwnedRaw| text(it).split(' ').next().expect("a number").to_owned();
    server.execute([101]);
    let reason = "Timeout while executing a shell script.";
    assert_eq!(error(&server.value_of(101).await), reason);
    server.execute([102]);
    let third = server.value_of(102).await;
    assert_ne!(process(&first), process(&third));
    let gone = format!("/proc/{}", process(&first));
    peers::wait_until("the late one is gone", Duration::from_secs(60), || {
        fs::metadata(&gone).is_err()
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn trial_shows_the_command_its_output_and_its_end() {
    let (folder, settings) = folders();
    let scripts = folder.path().join("scripts");
    script(&scripts, "print.sh", "#!/bin/sh\necho got $1; echo wrong >&2; exit 3");
    script(&scripts, "hang.sh", "#!/bin/sh\nsleep 1000");
    script(&folder.path().join("kept"), "kept.py", KEPT);
    let keys = ["print.sh[{$SECRET},\"a b\"]", "hang.sh", "kept.py[{$SECRET}]", "kept.py[error]"];
    let mut it = checked(&keys, "20s");
    Arc::make_mut(&mut it.items[1].content).timeout = "1s".to_owned();
    it.macros.push(secret_macro("{$SECRET}", "say \"hush\""));
    let server = start(settings, it).await;
    let line = |kind: LineKind, text: &str| (kind, text.to_owned());
    let (tried, said) = server.try_item(1, 100).await;
    assert_eq!(text(&tried.expect("a value")), "got say \"hush\"\nwrong");
    let expected = [
        line(LineKind::Sent, "print.sh [\"******\",\"a b\"]"),
        line(LineKind::Received, "got ******\nwrong\n"),
        line(LineKind::Note, "exit code 3"),
    ];
    assert_eq!(said, expected);
    let (_, said) = server.try_item(1, 101).await;
    let expected = [
        line(LineKind::Sent, "hang.sh []"),
        line(LineKind::Note, "no output: Timeout while executing a shell script."),
    ];
    assert_eq!(said, expected);
    let (_, said) = server.try_item(1, 102).await;
    let kept = line(LineKind::Note, "kept.py is kept running: a line each way");
    assert_eq!(said[..2], [kept, line(LineKind::Sent, "[\"******\"]")]);
    assert!(said[2].1.starts_with("{\"value\": \"") && said[2].1.contains("******"), "{said:?}");
    let (_, said) = server.try_item(1, 103).await;
    assert_eq!(said[2], line(LineKind::Received, "{\"error\": \"no such sensor\"}"));
}
