use std::fs;
use std::path::{Path, PathBuf};

use rt::settings::{Flag, LoadedSettings, Schema, SettingsError, Sources};

use super::{DatabaseUrl, Settings};
use crate::cli;

fn with_flag(path: &str, value: &str) -> Result<LoadedSettings<Settings>, SettingsError> {
    let (path, name, value) = (path.to_owned(), path.replace(['.', '_'], "-"), value.to_owned());
    let flags = vec![Flag { path, name, value }];
    Settings::load_from(&Sources { flags, ..Sources::default() })
}

/// Files `*.good.toml` load; each `*.bad.toml` has one mistake, and its first line is the message.
#[test]
fn testdata_files_are_accepted_or_refused_with_the_expected_sentence() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let (mut n_good, mut n_bad) = (0, 0);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let file = Some(path.clone());
        let loaded = Settings::load_from(&Sources { file, ..Sources::default() });
        if name.ends_with(".good.toml") {
            n_good += 1;
            assert!(loaded.is_ok(), "{name}: {}", loaded.unwrap_err());
        } else if name.ends_with(".bad.toml") {
            n_bad += 1;
            let text = fs::read_to_string(&path).unwrap();
            let expected = text.lines().next().unwrap().trim_start_matches("# ");
            let message = loaded.unwrap_err().to_string();
            let message = message.replace(&format!("{}/", folder.display()), "");
            assert_eq!(message, expected, "{name}");
        }
    }
    assert!(2 <= n_good && 8 <= n_bad);
}

#[test]
fn defaults_are_those_promised() {
    let settings = Settings::default();
    assert_eq!(settings.data, PathBuf::from("./data"));
    assert_eq!(settings.http.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.trapper.listen.to_string(), "127.0.0.1:10051");
    assert_eq!(settings.database.url, DatabaseUrl::Sqlite);
    assert_eq!(settings.n_shards(2.try_into().unwrap()), 2);
}

#[test]
fn agent_checks_leave_descriptors_for_everybody_else() {
    let settings = Settings::default();
    let of = |descriptors| settings.for_collectors(descriptors).collectors.agent.checks_max.get();
    assert_eq!((of(1_048_576), of(1_024), of(3)), (1_000, 128, 1));
    let defaults = format!("{:?}", collect::CollectSettings::default());
    assert_eq!(format!("{:?}", settings.for_collectors(1_048_576)), defaults);
}

#[test]
fn listeners_accept_no_more_than_half_of_the_descriptors_in_sum() {
    let settings = Settings::default();
    for descriptors_max in [1, 64, 1_024, 4_096, 65_536, 1_048_576] {
        let fitted = settings.fitted(descriptors_max);
        let sum = u64::from(fitted.trapper.connections_max)
            + u64::from(fitted.http.connections_max)
            + fitted.http.streams_max
            + fitted.syslog.connections_max;
        assert!(sum <= (descriptors_max / 2).max(4), "{sum} of {descriptors_max}");
    }
    let fitted = settings.fitted(1_048_576);
    assert_eq!((fitted.trapper.connections_max, fitted.http.connections_max), (10_000, 4_096));
    let fitted = settings.fitted(1_024);
    assert_eq!((fitted.trapper.connections_max, fitted.http.connections_max), (256, 128));
}

#[test]
fn all_that_has_many_connections_fits_the_descriptors_in_sum() {
    let settings = Settings::default();
    for descriptors_max in [1_024, 4_096, 65_536] {
        let fitted = settings.fitted(descriptors_max);
        // Live streams are connections of the HTTP port.
        let listeners = u64::from(fitted.trapper.connections_max)
            + u64::from(fitted.http.connections_max)
            + fitted.syslog.connections_max;
        let of = fitted.for_collectors(descriptors_max).collectors;
        let polling = [
            of.agent.checks_max,
            of.http.requests_max,
            of.service.checks_max,
            of.web.scenarios_max,
            of.ipmi.devices_max,
            of.jmx.requests_max,
            of.odbc.queries_max,
            of.shell.commands_max,
            of.external.scripts_max,
            of.script.scripts_max,
            fitted.collect.discovery_connections_max,
        ];
        let sum = listeners + polling.iter().map(|it| it.get() as u64).sum::<u64>();
        assert!(sum <= descriptors_max / 8 * 7, "{sum} of {descriptors_max}");
    }
}

#[test]
fn sync_of_each_batch_is_zero() {
    let loaded = with_flag("journal.sync_ms", "0").unwrap();
    assert_eq!(loaded.settings.journal.sync_interval(), None);
    assert_eq!(Settings::default().journal.sync_interval().unwrap().as_millis(), 1000);
}

#[test]
fn passwords_of_databases_are_not_printed() {
    let url = "postgres://saker:secret@127.0.0.1/saker".to_owned();
    let loaded = with_flag("database.url", &url).unwrap();
    assert!(!format!("{loaded:?}").contains("secret"));
}

#[test]
fn documents_made_from_the_settings_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let agent = (crate::agent_role::manual(), crate::agent_role::sample());
    for (path, expected) in [
        ("docs/user/settings.md", cli::manual()),
        ("docs/user/saker.sample.toml", cli::sample()),
        ("docs/user/agent-settings.md", agent.0),
        ("docs/user/saker-agent.sample.toml", agent.1),
    ] {
        let found = fs::read_to_string(root.join(path)).unwrap_or_default();
        assert!(found == expected, "{path} is stale: run `cargo xtask docs`");
    }
}

#[test]
fn every_setting_says_what_it_means() {
    for key in Settings::KEYS {
        assert!(20 < key.help().len(), "{}", key.path());
    }
}
