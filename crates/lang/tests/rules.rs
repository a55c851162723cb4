//! Rules of macros in rows of discovery and of macro functions, a line a case.

#![allow(clippy::unwrap_used, reason = "helpers of tests: a panic is a failed test")]

use jiff::tz::TimeZone;
use lang::lld::{RowIn, Target, expand_key, expand_text};
use lang::macros::{FuncEnv, apply};
use model::Time;
use model::snapshot::LldRow;

#[test]
fn values_of_rows_are_escaped_for_their_place() {
    let zone = TimeZone::UTC;
    let row = LldRow::new([("{#A}", "a\"b\\c'd")]);
    for (target, expected) in [
        (Target::JsonPath, r#"a\"b\\c'd"#),
        (Target::Prometheus, r#"a\"b\\c'd"#),
        (Target::RegexpOutput, r#"a"b\\c'd"#),
        (Target::XPath, r"a&quot;b\c'd"),
    ] {
        assert_eq!(
            expand_text("{#A}", RowIn::new(&row, &zone), target).unwrap(),
            expected,
            "{target:?}"
        );
    }
    assert_eq!(
        expand_text("{{#A}.fmtnum(1)}", RowIn::new(&row, &zone), Target::Text).unwrap(),
        "*UNKNOWN*"
    );
    assert_eq!(
        expand_text("{{#B}.fmtnum(1)}", RowIn::new(&row, &zone), Target::Text).unwrap(),
        "{{#B}.fmtnum(1)}"
    );
}

#[test]
fn times_of_rows_are_written_in_the_zone_of_the_server() {
    let row = LldRow::new([("{#T}", "1700000000")]);
    let text = "{{#T}.fmttime(%H:%M)} {$M:\"{{#T}.fmttime(%H)}\"}";
    for (zone, expected) in [("UTC", "22:13 {$M:\"22\"}"), ("Asia/Tokyo", "07:13 {$M:\"07\"}")] {
        let zone = TimeZone::get(zone).unwrap();
        assert_eq!(expand_text(text, RowIn::new(&row, &zone), Target::Text).unwrap(), expected);
        let key = expand_key("k[{{#T}.fmttime(%H)}]", RowIn::new(&row, &zone)).unwrap();
        let hour: String = expected.chars().take(2).collect();
        assert_eq!(key, format!("k[{hour}]"));
    }
}

#[test]
fn macro_functions_at_their_edges() {
    let zone = TimeZone::get("Europe/Riga").unwrap();
    let now = Time::from_clock(1_700_000_000, 0);
    let env = FuncEnv { now, ..FuncEnv::new(&zone) };
    for (function, params, value, expected) in [
        // A time of day is one of today.
        ("fmttime", "%F %T", "02:03:04", Some("2023-11-15 02:03:04")),
        ("fmttime", "%B,-1M", "12:36:01", Some("October")),
        ("fmttime", "%T", "1700000000.75", Some("00:13:20")),
        ("fmttime", "%T", "1.5.2", None),
        // What is whole stays as it is, whatever is asked.
        ("fmtnum", "99", "12", Some("12")),
        ("fmtnum", "99", "12.5", None),
        // Lines matter where case does.
        ("regsub", "^b,x", "a\nb", Some("x")),
        ("iregsub", "^b,x", "a\nb", Some("")),
        ("iregsub", "(?m)^B,x", "a\nb", Some("x")),
        ("regsub", "b,\"\"", "abc", Some("abc")),
        ("regsub", "x,\"\"", "abc", Some("")),
        // Bytes are translated, not characters.
        ("tr", "\u{e9},e", "caf\u{e9}", Some("cafee")),
        ("tr", "a,\u{e9}", "a", Some("?")),
        ("tr", "\u{44b},\u{432}", "\u{44b}\u{44b}", Some("\u{432}\u{432}")),
        ("tr", "a-c-,x", "ab-d", Some("xxxd")),
        ("regrepl", "a,b,b,c", "aabb", Some("cccc")),
    ] {
        let found = apply(function, params, value, &env).ok();
        assert_eq!(found.as_deref(), expected, "{function}({params}) of {value}");
    }
}

#[test]
fn replacing_all_of_a_long_text_ends() {
    let zone = TimeZone::UTC;
    let env = FuncEnv::new(&zone);
    // 64 KiB with a match in each eighth byte are replaced.
    let text = "abcdefg ".repeat(8 << 10);
    let found = apply("regrepl", "[ ],_", &text, &env).unwrap();
    assert_eq!(found, "abcdefg_".repeat(8 << 10));
    // Each pair doubles the text by matches of nothing: what comes of it is refused, not waited for.
    let pairs = vec!["z*,-"; 20].join(",");
    assert!(apply("regrepl", &pairs, "text", &env).is_err());
    let pairs = vec!["(z*),\\1"; 5_000].join(",");
    assert!(apply("regrepl", &pairs, &text, &env).is_err());
}
