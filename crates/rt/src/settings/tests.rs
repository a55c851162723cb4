use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use proptest::prelude::*;

use super::{
    Flag, Key, LoadedSettings, Part, Schema, Section, SettingsError, Sources, defaults, load,
    manual, sample,
};

rt::settings! {
    /// Settings of the tests.
    pub(crate) struct Settings {
        /// Where the data is kept.
        pub(crate) data: PathBuf = r#""./data""#,
        /// Threads; the number of cores if not given.
        pub(crate) threads: Option<NonZeroUsize> = unset "4",
    }
    /// Web pages.
    pub(crate) struct Http in http {
        /// Address to listen on.
        ///
        /// A second paragraph.
        pub(crate) listen: SocketAddr = r#""127.0.0.1:8080""#,
        /// Most connections.
        pub(crate) connections_max: u32 = "1_000",
        /// Whether to compress.
        pub(crate) compress: bool = "true",
    }
}

rt::section! {
    /// Declared elsewhere.
    pub(crate) struct Pings in "parts.pings" {
        /// Most at once.
        pub(crate) at_once_max: u32 = "10",
        /// Interface that sends them.
        pub(crate) source: Option<String> = unset r#""eth0""#,
    }
}

rt::settings! {
    /// With a part of another crate.
    pub(crate) struct Composed {
        /// Where the data is kept.
        pub(crate) data: PathBuf = r#""./data""#,
    }
    use Parts as parts;
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parts {
    pings: Pings,
}

impl Part for Parts {
    const KEYS: &'static [Key] = Pings::KEYS;
    const SECTIONS: &'static [Section] = Pings::SECTIONS;
}

#[test]
fn sections_of_other_crates_are_settings_like_all_others() {
    let part: Pings = defaults();
    assert_eq!((part.at_once_max, part.source), (10, None));
    let text = sample::<Composed>("Composed");
    assert!(text.contains("[parts.pings]\n\n# Most at once.\nat_once_max = 10\n"), "{text}");
    let env = pairs(&[("SAKER_PARTS_PINGS_AT_ONCE_MAX", "20")]);
    let flag = flags(&[("parts.pings.source", "eth1")]);
    let set = load::<Composed>(&Sources { env, flags: flag, ..Sources::default() });
    let Composed { data, parts: Parts { pings } } = set.unwrap().settings;
    assert_eq!(data, PathBuf::from("./data"));
    assert_eq!((pings.at_once_max, pings.source.as_deref()), (20, Some("eth1")));
    for (path, value, error) in [
        ("parts.pings.at_once", "1", "the nearest known one is \"parts.pings.at_once_max\""),
        ("parts.pings.at_once_max", "x", "setting \"parts.pings.at_once_max\": invalid type"),
        ("parts.pings", "1", "write [parts.pings] and its settings below"),
    ] {
        let sources = Sources { flags: flags(&[(path, value)]), ..Sources::default() };
        let error_text = load::<Composed>(&sources).unwrap_err().to_string();
        assert!(error_text.contains(error), "{error_text}");
    }
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn flags(list: &[(&str, &str)]) -> Vec<Flag> {
    let flag = |(path, value): &(&str, &str)| Flag {
        path: (*path).to_owned(),
        name: path.replace(['.', '_'], "-"),
        value: (*value).to_owned(),
    };
    list.iter().map(flag).collect()
}

fn load_text(text: &str) -> Result<LoadedSettings<Settings>, SettingsError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("s.toml");
    fs::write(&file, text).unwrap();
    load(&Sources { file: Some(file), ..Sources::default() })
}

/// The message without the folder.
fn message(text: &str) -> String {
    let text = load_text(text).unwrap_err().to_string();
    text.find("s.toml").map_or(text.clone(), |it| text.get(it..).unwrap().to_owned())
}

#[test]
fn later_sources_override_earlier_ones() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("s.toml");
    fs::write(&file, "data = 'file'\n[http]\nconnections_max = 1\ncompress = false\n").unwrap();
    let sources = Sources {
        file: Some(file),
        env: pairs(&[
            ("SAKER_DATA", "env"),
            ("SAKER_HTTP_CONNECTIONS_MAX", "2"),
            ("SAKER_HTTP_COMPRESS", ""),
            ("PATH", "/bin"),
        ]),
        flags: flags(&[("http.connections_max", "3"), ("threads", "7")]),
        ..Sources::default()
    };
    let LoadedSettings { settings, warnings } = load::<Settings>(&sources).unwrap();
    assert_eq!(settings.data, PathBuf::from("env"));
    assert_eq!(settings.http.connections_max, 3);
    assert_eq!(settings.threads, NonZeroUsize::new(7));
    assert_eq!(settings.http.listen.port(), 8080);
    assert!(!settings.http.compress, "an empty variable sets nothing");
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn mistakes_in_a_file_are_named_with_their_line() {
    for (text, expected) in [
        (
            "data = 'x'\n\n[http]\nlisen = 'y'\n",
            "s.toml:4: unknown setting \"http.lisen\"; the nearest known one is \"http.listen\"",
        ),
        (
            "\n[htpp]\nlisten = 'y'\n",
            "s.toml:3: unknown setting \"htpp.listen\"; the nearest known one is \"http.listen\"",
        ),
        (
            "listen = 'y'",
            "s.toml:1: unknown setting \"listen\"; the nearest known one is \"http.listen\"",
        ),
        ("http = 5", "s.toml:1: \"http\" is a section; write [http] and its settings below"),
        (
            "[http]\nconnections_max = 'many'",
            "s.toml:2: setting \"http.connections_max\": invalid type: string \"many\", expected u32",
        ),
        (
            "[http]\n\nlisten = '8080'",
            "s.toml:3: setting \"http.listen\": invalid socket address syntax",
        ),
        (
            "[http]\nlisten = \n",
            "s.toml:2: not TOML: string values must be quoted, expected literal string",
        ),
        ("data = 1\ndata = 2\n", "s.toml:2: not TOML: duplicate key"),
        (
            "[http.listen]\nport = 1\n",
            "s.toml:2: unknown setting \"http.listen.port\"; the nearest known one is \"http.listen\"",
        ),
    ] {
        assert_eq!(message(text), expected);
    }
}

#[test]
fn mistakes_in_environment_and_flags_are_named() {
    let env = pairs(&[("SAKER_HTTP_CONNECTIONS_MAX", "-1")]);
    let error = load::<Settings>(&Sources { env, ..Sources::default() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "environment variable SAKER_HTTP_CONNECTIONS_MAX: setting \"http.connections_max\": \
         invalid value: integer `-1`, expected u32"
    );
    let flags = flags(&[("http.compress", "maybe")]);
    let error = load::<Settings>(&Sources { flags, ..Sources::default() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "flag --http-compress: setting \"http.compress\": invalid type: string \"maybe\", \
         expected a boolean"
    );
}

#[test]
fn unknown_variables_of_ours_warn() {
    let env = pairs(&[("SAKER_HTTP_LISTN", "x"), ("SAKER_TEST_POSTGRES", "y"), ("HOME", "z")]);
    let sources = Sources { env, env_known: &["SAKER_TEST_"], ..Sources::default() };
    let warnings = load::<Settings>(&sources).unwrap().warnings;
    assert_eq!(
        warnings,
        ["environment variable SAKER_HTTP_LISTN is no setting; the nearest known one is \
          SAKER_HTTP_LISTEN"]
    );
}

#[test]
fn missing_file_is_named() {
    let file = Some(PathBuf::from("/nonexistent/saker.toml"));
    let error = load::<Settings>(&Sources { file, ..Sources::default() }).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("cannot read the settings file /nonexistent/saker.toml: "), "{text}");
}

#[test]
fn sample_is_a_file_that_changes_nothing() {
    let text = sample::<Settings>("Settings of the tests");
    insta::assert_snapshot!(text, @r#"
    # Settings of the tests
    #
    # Every line shows the default. The environment overrides this file, flags override
    # the environment: http.listen is also SAKER_HTTP_LISTEN and --http-listen.

    # Where the data is kept.
    data = "./data"

    # Threads; the number of cores if not given.
    # threads = 4

    # Web pages.
    [http]

    # Address to listen on.
    #
    # A second paragraph.
    listen = "127.0.0.1:8080"

    # Most connections.
    connections_max = 1_000

    # Whether to compress.
    compress = true
    "#);
    let loaded = load_text(&text).unwrap().settings;
    assert_eq!(format!("{loaded:?}"), format!("{:?}", Settings::default()));
}

#[test]
fn manual_has_every_setting() {
    let text = manual::<Settings>("Settings");
    for key in Settings::KEYS {
        assert!(text.contains(&format!("### `{}`", key.path())));
    }
    insta::assert_snapshot!(text.lines().take(16).collect::<Vec<_>>().join("\n"), @r#"
    # Settings

    ### `data`

    Where the data is kept.

    - default: `"./data"`
    - environment: `SAKER_DATA`
    - flag: `--data`

    ### `threads`

    Threads; the number of cores if not given.

    - no default; for example: `4`
    - environment: `SAKER_THREADS`
    "#);
}

#[test]
fn text_does_not_smuggle_in_a_second_key() {
    let flags = flags(&[("http.connections_max", "1\ncompress = false")]);
    assert!(load::<Settings>(&Sources { flags, ..Sources::default() }).is_err());
}

proptest! {
    #[test]
    fn any_file_is_read_or_refused_with_its_name(text in "[a-z\\[\\]=.\"' #\n0-9]{0,60}") {
        if let Err(error) = load_text(&text) {
            prop_assert!(error.to_string().contains("s.toml:"), "{}", error);
        }
    }
}
