//! SQLite and PostgreSQL by their real ODBC drivers.

use std::path::Path;
use std::sync::Mutex;

use odbc::{QueryAnswer, QueryReply, Question, RESULT_BYTES_MAX, Seen, Shape, ask, serve};
use peers::left_out;

/// The driver's library, by Debian's names, if it is installed.
fn driver(file: &str) -> Option<String> {
    let folders =
        ["/usr/lib/x86_64-linux-gnu/odbc", "/usr/lib/aarch64-linux-gnu/odbc", "/usr/lib/odbc"];
    let found = folders
        .iter()
        .map(|it| Path::new(it).join(file))
        .find(|it| matches!(it.try_exists(), Ok(true)));
    if found.is_none() {
        left_out(&format!("{file}, a driver of ODBC, is not installed"));
    }
    found.map(|it| it.to_string_lossy().into_owned())
}

/// SQLite's driver does not support two threads.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn of(connection: &str, shape: Shape, query: &str) -> Question {
    Question {
        shape,
        dsn: String::new(),
        connection: connection.to_owned(),
        user: String::new(),
        password: String::new(),
        query: query.to_owned(),
        timeout_s: 3,
        with_rows: false,
    }
}

#[test]
fn sqlite_gives_values_rows_and_discovery() {
    let Some(driver) = driver("libsqlite3odbc.so") else { return };
    let _one = ONE_AT_A_TIME.lock();
    let folder = tempfile::tempdir().expect("a folder is made");
    let file = folder.path().join("data");
    let place = format!("Driver={driver};Database={}", file.display());
    let ask = |shape, query: &str| ask(&of(&place, shape, query));
    let made = ask(Shape::First, "create table disks (name text, \"size\" integer, part real)");
    assert_eq!(made, Err("SQL query returned empty result.".to_owned()));
    let filled = "insert into disks values ('sda  ', 4000, 0.5), ('größe', null, null)";
    assert_eq!(ask(Shape::First, filled), Err("SQL query returned empty result.".to_owned()));
    let first = |query: &str| ask(Shape::First, query);
    assert_eq!(first("select name from disks"), Ok("sda".to_owned()), "without blanks behind");
    assert_eq!(first("select size, name from disks"), Ok("4000".to_owned()));
    assert_eq!(first("select part from disks"), Ok("0.5".to_owned()));
    let null = Err("SQL query returned NULL value.".to_owned());
    assert_eq!(first("select size from disks where name = 'größe'"), null);
    let empty = Err("SQL query returned empty result.".to_owned());
    assert_eq!(first("select 1 from disks where name = 'none'"), empty);
    assert_eq!(
        ask(Shape::Rows, "select name as \"The Name\", size from disks"),
        Ok(r#"[{"The Name":"sda","size":"4000"},{"The Name":"größe","size":null}]"#.to_owned())
    );
    assert_eq!(ask(Shape::Rows, "select name from disks where 1 = 0"), Ok("[]".to_owned()));
    assert_eq!(
        ask(Shape::Discovery, "select name, size from disks where size > 0"),
        Ok(r##"[{"{#NAME}":"sda","{#SIZE}":"4000"}]"##.to_owned())
    );
    let odd = ask(Shape::Discovery, "select name, count(*) from disks");
    assert_eq!(odd, Err("Cannot convert column #2 name to macro.".to_owned()));
    let twice = ask(Shape::Discovery, "select name, size as NAME from disks");
    assert_eq!(twice, Err("Duplicate macro name: {#NAME}.".to_owned()));
    let wrong = first("select absent from nowhere").expect_err("there is no such table");
    assert!(wrong.starts_with("Cannot execute ODBC query: [SQL_ERROR]:["), "{wrong}");
    assert!(wrong.contains("no such table: nowhere"), "{wrong}");
    assert_eq!(first(""), Err("SQL query cannot be empty.".to_owned()));
    assert_eq!(first("select 'a\0b'"), Err("A text for the database has a zero byte.".to_owned()));
    let long = first("select replace(hex(zeroblob(100000)), '00', 'abc')").expect("it is taken");
    assert!(long.len() == 300_000 && long.bytes().step_by(3).all(|it| it == b'a'));
    let longer = first(&format!("select hex(zeroblob({RESULT_BYTES_MAX}))"));
    assert_eq!(longer, Err("The result of the SQL query is larger than 16 MiB.".to_owned()));
    // The driver reads all rows before it returns the first.
    let many = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 40000) \
                select x, hex(zeroblob(500)) from n";
    let many = ask(Shape::Rows, many);
    assert_eq!(many, Err("The result of the SQL query is larger than 16 MiB.".to_owned()));
}

#[test]
fn missing_source_and_driver_are_reported() {
    let Some(_driver) = driver("libsqlite3odbc.so") else { return };
    let _one = ONE_AT_A_TIME.lock();
    let mut question = of("", Shape::First, "select 1");
    "no-such-source".clone_into(&mut question.dsn);
    let error = ask(&question).expect_err("nobody made it");
    assert!(error.starts_with("Cannot connect to ODBC DSN: [SQL_ERROR]:[IM002][0]["), "{error}");
    let error = ask(&of("Driver=/no/such.so", Shape::First, "select 1")).expect_err("no driver");
    assert!(error.starts_with("Cannot connect to ODBC DSN: [SQL_ERROR]:[01000]"), "{error}");
}

#[test]
fn postgres_gives_values_of_its_types() {
    let Some(driver) = driver("psqlodbcw.so") else { return };
    let Some(server) = peers::Postgres::start(None) else { return };
    let _one = ONE_AT_A_TIME.lock();
    let place = format!("Driver={driver};{}", source_of(&server.url()));
    let ask = |shape, query: &str| ask(&of(&place, shape, query));
    for (query, expected) in [
        ("select 9223372036854775807::bigint", "9223372036854775807"),
        ("select 0.1::numeric + 0.2", "0.3"),
        ("select 'größe'::text", "größe"),
        ("select true", "1"),
        ("select date '2026-11-25'", "2026-11-25"),
        ("select 'x'::char(5)", "x"),
    ] {
        assert_eq!(ask(Shape::First, query), Ok(expected.to_owned()), "{query}");
    }
    let rows = ask(Shape::Rows, "select g as n, null as no from generate_series(1, 2) g");
    assert_eq!(rows, Ok(r#"[{"n":"1","no":null},{"n":"2","no":null}]"#.to_owned()));
    let wrong = ask(Shape::First, "select nothing").expect_err("no such column");
    assert!(wrong.starts_with("Cannot execute ODBC query: [SQL_ERROR]:[42703]["), "{wrong}");
    assert!(wrong.contains("column \"nothing\" does not exist"), "{wrong}");
    let late =
        ask(Shape::First, "select pg_sleep(30)").expect_err("the driver's time-out is 3 seconds");
    assert!(late.contains("statement timeout"), "{late}");
}

/// `postgres://user:password@host:port/name` in ODBC's form.
fn source_of(url: &str) -> String {
    let rest = url.strip_prefix("postgres://").expect("such a URL");
    let (login, place) = rest.rsplit_once('@').expect("with a login");
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let (address, name) = place.split_once('/').expect("with a database");
    let (host, port) = address.rsplit_once(':').expect("with a port");
    let name = name.split('?').next().unwrap_or(name);
    format!("Server={host};Port={port};Database={name};UID={user};PWD={password}")
}

#[test]
fn questions_are_answered_line_by_line() {
    let Some(driver) = driver("libsqlite3odbc.so") else { return };
    let _one = ONE_AT_A_TIME.lock();
    let place = format!("Driver={driver};Database=:memory:");
    let line = |query: &str| {
        let question = of(&place, Shape::First, query);
        serde_json::to_string(&question).expect("it is text") + "\n"
    };
    let (input, mut output) =
        (line("select 7") + &line("select") + &line("select 'a\nb'"), Vec::new());
    serve(input.as_bytes(), &mut output).expect("all are questions");
    let output = String::from_utf8(output).expect("text");
    let answers: Vec<QueryAnswer> =
        output.lines().map(|it| serde_json::from_str(it).expect("an answer")).collect();
    assert_eq!(answers[0], QueryAnswer::Value("7".to_owned()));
    assert!(
        matches!(&answers[1], QueryAnswer::Error(it) if it.starts_with("Cannot execute ODBC query: "))
    );
    assert_eq!(answers[2], QueryAnswer::Value("a\nb".to_owned()));
    assert!(serve(&b"nonsense\n"[..], &mut Vec::new()).is_err());
}

#[test]
fn rows_of_a_query_are_shown_on_request() {
    let Some(driver) = driver("libsqlite3odbc.so") else { return };
    let _one = ONE_AT_A_TIME.lock();
    let place = format!("Driver={driver};Database=:memory:");
    let reply = |shape, query: &str| -> QueryReply {
        let question = Question { with_rows: true, ..of(&place, shape, query) };
        let (input, mut output) =
            (serde_json::to_string(&question).expect("it is text") + "\n", Vec::new());
        serve(input.as_bytes(), &mut output).expect("it is a question");
        serde_json::from_slice(&output).expect("a reply")
    };
    let row = |it: &[Option<&str>]| -> Vec<Option<String>> {
        it.iter().map(|it| it.map(str::to_owned)).collect()
    };
    let many = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 7) \
                select x as \"N\", null as \"none\" from n";
    for (shape, value) in
        [(Shape::First, "1"), (Shape::Rows, r#"[{"N":"1","none":null},{"N":"2","none":null},"#)]
    {
        let QueryReply { answer, seen } = reply(shape, many);
        assert!(matches!(&answer, QueryAnswer::Value(it) if it.starts_with(value)), "{answer:?}");
        let expected = Seen {
            n_columns: 2,
            columns: vec!["N".to_owned(), "none".to_owned()],
            n_rows: 7,
            has_more: false,
            rows: ["1", "2", "3", "4", "5"].map(|it| row(&[Some(it), None])).to_vec(),
        };
        assert_eq!(seen, Some(expected));
    }
    let long = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 1000) \
                select hex(zeroblob(200)) as h from n";
    let seen = reply(Shape::First, long).seen.expect("wanted");
    assert_eq!((seen.n_rows, seen.has_more), (100, true));
    assert_eq!(seen.rows[0], row(&[Some(&"0".repeat(200))]));
    let QueryReply { answer, seen } = reply(Shape::First, "select a from b");
    assert!(matches!(answer, QueryAnswer::Error(_)), "{answer:?}");
    assert_eq!(seen, Some(Seen::default()));
}
