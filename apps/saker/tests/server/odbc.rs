//! Database monitor items: SQLite by its real ODBC driver, in processes of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Server, wait_until};
use odbc::{Question, Shape, ask};
use peers::left_out;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(75);

/// SQLite's driver, by Debian's names.
fn driver() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu/odbc", "/usr/lib/aarch64-linux-gnu/odbc"];
    let files = folders.iter().map(|it| Path::new(it).join("libsqlite3odbc.so"));
    let found = files.into_iter().find(|it| matches!(it.try_exists(), Ok(true)));
    if found.is_none() {
        left_out("SQLite's ODBC driver is not installed");
    }
    found
}

/// A data source `shop` with some disks, and the variable that names it.
struct Shop {
    folder: tempfile::TempDir,
    connection: String,
}

impl Shop {
    fn new(driver: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.db");
        let (driver, file) = (driver.display(), file.display());
        let ini = format!("[shop]\nDriver={driver}\nDatabase={file}\n");
        fs::write(folder.path().join("odbc.ini"), ini).unwrap();
        let it = Self { folder, connection: format!("Driver={driver};Database={file}") };
        for query in [
            "create table disks (name text, size integer)",
            "insert into disks values ('sda', 4000), ('sdb', null)",
        ] {
            let question = Question {
                shape: Shape::Rows,
                dsn: String::new(),
                connection: it.connection.clone(),
                user: String::new(),
                password: String::new(),
                query: query.to_owned(),
                timeout_s: 3,
                with_rows: false,
            };
            assert_eq!(ask(&question), Ok("[]".to_owned()));
        }
        it
    }

    fn ini(&self) -> String {
        self.folder.path().join("odbc.ini").to_string_lossy().into_owned()
    }
}

fn item(host: &str, key: &str, query: &str) -> Value {
    json!({
        "hostid": host, "name": key, "key_": key, "type": 11, "value_type": 4, "delay": "1s",
        "params": query, "username": "", "password": "",
    })
}

#[test]
fn databases_are_asked_for_values_and_discovery() {
    let Some(driver) = driver() else { return };
    let shop = Shop::new(&driver);
    let server = Server::start_with(&[("ODBCINI", &shop.ini())]);
    let host = server.host("database");
    let by_text = format!("db.odbc.select[text,,\"{}\"]", shop.connection);
    // In the order of their expected values: value, then error.
    let mut wanted = Vec::new();
    for (key, query, value, error) in [
        ("db.odbc.select[n,shop]", "select count(*) from disks", "2", ""),
        (
            "db.odbc.get[all,shop]",
            "select name, size from disks where name = '{HOST.HOST}' or 1 = 1",
            r#"[{"name":"sda","size":"4000"},{"name":"sdb","size":null}]"#,
            "",
        ),
        (
            "db.odbc.select[null,shop]",
            "select size from disks where name = 'sdb'",
            "",
            "SQL query returned NULL value.",
        ),
        (
            "db.odbc.select[gone,nowhere]",
            "select 1",
            "",
            "Cannot connect to ODBC DSN: [SQL_ERROR]:[IM002]",
        ),
        (
            "db.odbc.select[wrong,shop]",
            "select nothing",
            "",
            "Cannot execute ODBC query: [SQL_ERROR]:[",
        ),
        (&by_text, "select 1", "", "Connection strings are not allowed"),
        (
            "db.odbc.select[endless,shop]",
            "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n",
            "",
            "Timeout while executing an SQL query.",
        ),
        ("db.odbc.select[few]", "select 1", "", "Invalid number of parameters."),
        ("db.odbc.select[none,]", "select 1", "", "Invalid database connection settings."),
    ] {
        let mut item = item(&host, key, query);
        item["timeout"] = json!(if key.contains("endless") { "1s" } else { "30s" });
        wanted.push((
            server.create("item.create", &item).remove(0),
            value.to_owned(),
            error.to_owned(),
        ));
    }
    let mut rule = item(&host, "db.odbc.discovery[disks,shop]", "select name from disks");
    rule.as_object_mut().unwrap().remove("value_type");
    let rule = server.create("discoveryrule.create", &rule).remove(0);
    let mut prototype =
        item(&host, "db.odbc.select[{#NAME},shop]", "select '{#NAME}' || ' is there'");
    prototype["ruleid"] = json!(rule);
    server.create("itemprototype.create", &prototype);
    for (id, value, error) in &wanted {
        wait_until("the item has its value or its error", PATIENCE, || {
            let item = server.item(id);
            let shown = item["error"].as_str().unwrap();
            if error.is_empty() {
                assert_eq!(shown, "", "{item}");
                item["lastvalue"] == value.as_str()
            } else {
                shown.starts_with(error.as_str())
            }
        });
    }
    wait_until("discovered disks are asked for", PATIENCE, || {
        let params = json!({"hostids": [&host], "search": {"key_": "sd"}, "output": ["lastvalue"]});
        let found = server.call("item.get", &params);
        let values: Vec<&str> =
            found.as_array().unwrap().iter().filter_map(|it| it["lastvalue"].as_str()).collect();
        values.contains(&"sda is there") && values.contains(&"sdb is there")
    });
}

#[test]
fn connection_strings_are_taken_where_the_operator_says_so() {
    let Some(driver) = driver() else { return };
    let shop = Shop::new(&driver);
    let mut server = Server::start_with(&[("SAKER_COLLECTORS_ODBC_CONNECTION_STRINGS", "true")]);
    let host = server.host("database");
    let key = format!("db.odbc.select[text,,\"{}\"]", shop.connection);
    let id = server.create("item.create", &item(&host, &key, "select size from disks")).remove(0);
    wait_until("the item has a value", PATIENCE, || {
        let item = server.item(&id);
        assert_eq!(item["error"], "", "{item}");
        item["lastvalue"] == "4000"
    });
    // A process that was killed costs nobody a value.
    let parent = server.process().id().to_string();
    let workers = || {
        let listed = std::process::Command::new("pgrep")
            .args(["-f", "odbc-worker", "-P", &parent])
            .output()
            .unwrap();
        String::from_utf8(listed.stdout).unwrap()
    };
    let worker = workers().lines().next().map(|it| it.parse::<i32>().unwrap());
    if let Some(worker) = worker {
        let gone = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(worker),
            nix::sys::signal::Signal::SIGKILL,
        );
        assert!(gone.is_ok());
    }
    let n = server.history_values(&id).len();
    wait_until("more values come", PATIENCE, || n + 2 <= server.history_values(&id).len());
    assert_eq!(server.item(&id)["error"], "");
}

#[test]
fn item_test_shows_the_query_and_the_first_rows() {
    let Some(driver) = driver() else { return };
    let shop = Shop::new(&driver);
    let by_text = ("SAKER_COLLECTORS_ODBC_CONNECTION_STRINGS", "true");
    let server = Server::start_with(&[("ODBCINI", &shop.ini()), by_text]);
    let host = server.host("database");
    let ask = |key: &str, query: &str| {
        let item = json!({"type": 11, "key_": key, "params": query, "username": "someone",
            "password": "hush}hush"});
        json!({"hostid": host, "source": "host", "value_type": 4, "item": item})
    };
    let shown = |answer: &Value| -> Vec<(String, String)> {
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        assert!(!answer["exchange"].to_string().contains("hush"), "{answer}");
        assert!(!answer["exchange"].to_string().contains("someone"), "{answer}");
        let lines = answer["exchange"].as_array().unwrap().iter();
        lines.map(|it| (text(&it["by"]), text(&it["text"]))).collect()
    };
    let line = |by: &str, text: &str| (by.to_owned(), text.to_owned());
    let query = "select name, size from disks";
    let answer = server.native("test/item", &ask("db.odbc.select[n,shop]", query));
    assert_eq!(answer["input"]["value"], "sda", "{answer}");
    let asked = |what: &str, source: &str| line("server", &format!("{what} of {source}\n{query}"));
    let rows = line("peer", "2 rows of 2 columns\nname\tsize\nsda\t4000\nsdb\tNULL");
    let expected = [asked("the first value", "data source shop"), rows.clone()];
    assert_eq!(shown(&answer), expected);
    let key = format!("db.odbc.discovery[d,,\"{};PWD=hush\"]", shop.connection);
    let answer = server.native("test/item", &ask(&key, query));
    let source = format!("connection string {};PWD=******;UID=******;PWD=******", shop.connection);
    assert_eq!(shown(&answer), [asked("all rows, for discovery", &source), rows]);
    let answer = server.native("test/item", &ask("db.odbc.get[n,shop]", "select nothing"));
    let lines = shown(&answer);
    assert!(
        lines[1].0 == "peer" && lines[1].1.starts_with("Cannot execute ODBC query: "),
        "{lines:?}"
    );
}
