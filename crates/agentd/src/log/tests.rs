use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use model::content::{GlobalRegexp, RegexpExpression, RegexpKind};
use model::key::ItemKey;
use tempfile::TempDir;

use super::{LogBatch, LogBudget, LogItem, Position};

const BUDGET: LogBudget = LogBudget { interval_s: 1, n_values: 1_000, lines_per_second: 20 };

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Appends to a file and sets its time of change.
    fn append(&self, name: &str, bytes: impl AsRef<[u8]>, mtime: u64) {
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create(true).open(self.path(name)).expect("opened");
        file.write_all(bytes.as_ref()).expect("written");
        set_time(&file, mtime);
    }

    fn replace(&self, name: &str, bytes: &str, mtime: u64) {
        let file = OpenOptions::new().write(true).truncate(true).open(self.path(name));
        let mut file = file.expect("it is there");
        file.write_all(bytes.as_bytes()).expect("written");
        set_time(&file, mtime);
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).expect("renamed");
    }

    fn key(&self, written: &str) -> ItemKey {
        let folder = self.0.path().display().to_string();
        ItemKey::parse(&written.replace("FOLDER", &folder)).expect("a key")
    }

    fn item(&self, key: &str) -> LogItem {
        self.item_at(key, Position::default())
    }

    fn item_at(&self, key: &str, position: Position) -> LogItem {
        LogItem::new(&self.key(key), position, &[], None).expect("good parameters")
    }
}

fn set_time(file: &File, mtime: u64) {
    file.set_modified(UNIX_EPOCH + Duration::from_secs(mtime)).expect("its time is set");
}

fn texts(batch: &LogBatch) -> Vec<&str> {
    batch.values.iter().map(|it| it.text.as_str()).collect()
}

fn next(item: &mut LogItem) -> Vec<String> {
    let batch = item.check(BUDGET).expect("it reads");
    batch.values.into_iter().map(|it| it.text).collect()
}

#[test]
fn lines_are_sent_once_and_only_when_complete() {
    let folder = Folder::new();
    folder.append("a", "one\ntwo\r\nthr", 100);
    let mut item = folder.item("log[FOLDER/a]");
    let batch = item.check(BUDGET).expect("it reads");
    assert_eq!(texts(&batch), ["one", "two"]);
    assert_eq!(batch.values[0].position, Position { lastlogsize: 4, mtime: 100 });
    assert_eq!(batch.moved, None);
    assert!(next(&mut item).is_empty());
    folder.append("a", "ee\n", 101);
    assert_eq!(next(&mut item), ["three"]);
}

#[test]
fn skipped_lines_move_the_position_and_chosen_ones_are_rewritten() {
    let folder = Folder::new();
    folder.append("a", "info 1\nerror 2: x\ninfo 3\n", 100);
    let mut item = folder.item(r#"log[FOLDER/a,"error (\d): (.*)",,,,"\2=\1"]"#);
    let batch = item.check(BUDGET).expect("it reads");
    assert_eq!(texts(&batch), ["x=2"]);
    assert_eq!(batch.moved, Some(Position { lastlogsize: 25, mtime: 100 }));
    assert_eq!(item.check(BUDGET).expect("it reads"), LogBatch::default());

    let mut item = folder.item("log.count[FOLDER/a,info]");
    assert_eq!(next(&mut item), ["2"]);
    assert_eq!(next(&mut item), ["0"]);
    folder.append("a", "info\n", 101);
    assert_eq!(next(&mut item), ["1"]);
}

#[test]
fn global_expressions_choose_lines() {
    let folder = Folder::new();
    folder.append("a", "Error a\nerror b\nfine\n", 100);
    let expression = RegexpExpression {
        expression: "error".to_owned(),
        kind: RegexpKind::Included,
        exp_delimiter: ",".to_owned(),
        case_sensitive: false,
    };
    let known = [GlobalRegexp {
        name: "errors".to_owned(),
        expressions: vec![expression],
        ..GlobalRegexp::default()
    }];
    let key = folder.key("log[FOLDER/a,@errors]");
    let mut item = LogItem::new(&key, Position::default(), &known, None).expect("good");
    assert_eq!(next(&mut item), ["Error a", "error b"]);
    let unknown = LogItem::new(&key, Position::default(), &[], None).expect_err("unknown");
    assert_eq!(unknown, "Global regular expression \"errors\" does not exist.");
}

#[test]
fn encodings_have_their_own_ends_of_lines() {
    let folder = Folder::new();
    let utf16: Vec<u8> =
        "\u{feff}äa\u{a0a}\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.append("a", utf16, 100);
    assert_eq!(next(&mut folder.item("log[FOLDER/a,,UTF-16LE]")), ["äa\u{a0a}", "b"]);
    folder.append("b", b"\xe4\n", 100);
    assert_eq!(next(&mut folder.item("log[FOLDER/b,,latin1]")), ["ä"]);
}

/// As zabbix_agentd: a file created after the item began has no old lines.
#[test]
fn later_files_are_read_from_their_start_despite_skip() {
    for (key, name) in [
        ("log[FOLDER/a,,,,skip]", "a"),
        ("log.count[FOLDER/a,l,,,skip]", "a"),
        ("logrt[FOLDER/a.*,,,,skip]", "a.1"),
        ("logrt.count[FOLDER/a.*,l,,,skip]", "a.1"),
        ("logrt[FOLDER/a.*,,,,skip,,,copytruncate]", "a.1"),
    ] {
        let folder = Folder::new();
        let mut item = folder.item(key);
        for _ in 0..2 {
            item.check(BUDGET).expect_err("no file");
        }
        folder.append(name, "l1\nl2\n", 100);
        let lines = next(&mut item);
        folder.append(name, "l3\n", 101);
        let more = next(&mut item);
        let values = [lines, more].concat();
        let expected: &[&str] =
            if key.contains("count") { &["2", "1"] } else { &["l1", "l2", "l3"] };
        assert_eq!(values, expected, "{key}");
    }
    // The content of an unreadable directory is unknown.
    let folder = Folder::new();
    let mut item = folder.item("logrt[FOLDER/later/a.*,,,,skip]");
    item.check(BUDGET).expect_err("no directory");
    fs::create_dir(folder.path("later")).expect("made");
    folder.append("later/a.1", "old\n", 100);
    assert!(next(&mut item).is_empty());
    folder.append("later/a.1", "new\n", 101);
    assert_eq!(next(&mut item), ["new"]);
}

#[test]
fn old_lines_are_skipped_once_and_not_after_a_restart() {
    let folder = Folder::new();
    folder.append("a", "old\n", 100);
    let mut item = folder.item("log[FOLDER/a,,,,skip]");
    let batch = item.check(BUDGET).expect("it reads");
    let position = Position { lastlogsize: 4, mtime: 100 };
    assert_eq!((texts(&batch).len(), batch.moved), (0, Some(position)));
    folder.append("a", "new\n", 101);
    let mut again = folder.item_at("log[FOLDER/a,,,,skip]", position);
    assert_eq!(next(&mut again), ["new"]);
    assert_eq!(next(&mut item), ["new"]);
}

#[test]
fn lines_are_limited_by_the_item_and_by_room() {
    let folder = Folder::new();
    let lines: String = (0..100).map(|it| format!("{it}\n")).collect();
    folder.append("a", lines, 100);
    let mut item = folder.item("log[FOLDER/a,,,2]");
    assert_eq!(next(&mut item), ["0", "1"]);
    let three_s = LogBudget { interval_s: 3, ..BUDGET };
    assert_eq!(item.check(three_s).expect("it reads").values.len(), 6);
    let little = LogBudget { interval_s: 3, n_values: 1, ..BUDGET };
    assert_eq!(texts(&item.check(little).expect("it reads")), ["8"]);
    assert_eq!(next(&mut item), ["9", "10"]);
    // Ten times as many are read.
    let mut rare = folder.item("log[FOLDER/a,^(19|20)$,,2]");
    assert_eq!(next(&mut rare), ["19"]);
    assert_eq!(next(&mut rare), ["20"]);
    assert_eq!(next(&mut folder.item("log.count[FOLDER/a,,,30]")), ["30"]);
}

#[test]
fn a_file_that_is_cut_or_replaced_is_read_from_its_start() {
    let folder = Folder::new();
    folder.append("a", "one\ntwo\n", 100);
    let mut item = folder.item("log[FOLDER/a]");
    assert_eq!(next(&mut item).len(), 2);
    folder.replace("a", "x\n", 101);
    assert_eq!(next(&mut item), ["x"]);
    folder.append("b", "other, and longer\n", 102);
    folder.rename("b", "a");
    assert_eq!(next(&mut item), ["other, and longer"]);
}

#[test]
fn touched_file_is_read_again_unless_forbidden() {
    let folder = Folder::new();
    folder.append("a", "one\n", 100);
    let mut item = folder.item("log[FOLDER/a]");
    let mut keeps = folder.item("log[FOLDER/a,,,,,,,mtime-noreread]");
    assert_eq!(
        (next(&mut item), next(&mut keeps)),
        (vec!["one".to_owned()], vec!["one".to_owned()])
    );
    folder.replace("a", "two\n", 101);
    // Its start differs: a new file at once.
    assert_eq!(next(&mut item), ["two"]);
    set_time(&File::open(folder.path("a")).expect("there"), 105);
    // A new time without new bytes may be that of a write in progress.
    assert!(next(&mut item).is_empty());
    assert_eq!(next(&mut item), ["two"]);
    assert!(next(&mut item).is_empty());
    assert_eq!(next(&mut keeps), ["two"]);
    set_time(&File::open(folder.path("a")).expect("there"), 107);
    assert!(next(&mut keeps).is_empty() && next(&mut keeps).is_empty());
}

#[test]
fn renamed_files_are_read_to_their_ends_in_order() {
    let folder = Folder::new();
    folder.append("app.log", "1\n2\n", 100);
    let mut item = folder.item(r#"logrt[FOLDER/^app\.log(\.\d)?$]"#);
    assert_eq!(next(&mut item), ["1", "2"]);
    folder.append("app.log", "3\n", 101);
    folder.rename("app.log", "app.log.1");
    folder.append("app.log", "4\n", 101);
    folder.append("other.log", "no\n", 101);
    assert_eq!(next(&mut item), ["3", "4"]);
    folder.rename("app.log.1", "app.log.2");
    folder.rename("app.log", "app.log.1");
    folder.append("app.log", "5\n", 102);
    folder.append("app.log.1", "late\n", 103);
    assert_eq!(next(&mut item), ["5", "late"]);
    assert!(next(&mut item).is_empty());
}

#[test]
fn a_copy_of_a_file_that_is_cut_is_not_read_twice() {
    let folder = Folder::new();
    folder.append("app.log", "1\n2\n", 100);
    let key = r#"logrt[FOLDER/^app\.log(\.\d)?$,,,,,,,copytruncate]"#;
    let mut item = folder.item(key);
    assert_eq!(next(&mut item), ["1", "2"]);
    folder.append("app.log", "3\n", 101);
    let content = fs::read(folder.path("app.log")).expect("read");
    folder.append("app.log.1", content, 102);
    folder.replace("app.log", "", 102);
    assert_eq!(next(&mut item), ["3"]);
    folder.append("app.log", "4\n", 103);
    assert_eq!(next(&mut item), ["4"]);
    assert!(next(&mut item).is_empty());
}

#[test]
fn restart_continues_at_the_servers_position_after_a_rotation() {
    let folder = Folder::new();
    let key = r#"logrt[FOLDER/^app\.log(\.\d)?$]"#;
    folder.append("app.log.1", "0\n", 90);
    folder.append("app.log", "1\n2\n", 100);
    let mut item = folder.item(key);
    let position = item.check(BUDGET).expect("it reads").values[1].position;
    assert_eq!(position, Position { lastlogsize: 2, mtime: 100 });
    drop(item);
    folder.append("app.log", "3\n", 110);
    folder.rename("app.log.1", "app.log.2");
    folder.rename("app.log", "app.log.1");
    folder.append("app.log", "4\n", 120);
    assert_eq!(next(&mut folder.item_at(key, position)), ["2", "3", "4"]);
    // Two files of one second: the size decides.
    let done = Position { lastlogsize: 2, mtime: 120 };
    folder.append("app.log.1", "", 120);
    assert!(next(&mut folder.item_at(key, done)).is_empty());
}

#[test]
fn a_persistent_state_knows_each_file() {
    let folder = Folder::new();
    let key = "logrt[FOLDER/^app.*$,,,,,,,copytruncate,FOLDER/state]";
    folder.append("app.log", "1\n2\n", 100);
    let mut item = folder.item(key);
    assert_eq!(next(&mut item).len(), 2);
    assert!(item.persistent_dir().is_some_and(|it| it.ends_with("/state")));
    let kept = item.persistent();
    folder.append("app.log.1", "1\n2\n3\n", 103);
    folder.replace("app.log", "4\n5\n6\n7\n", 103);
    let position = Position { lastlogsize: 4, mtime: 100 };
    let again = |kept| LogItem::new(&folder.key(key), position, &[], kept).expect("good");
    assert_eq!(next(&mut again(Some(&kept))), ["3", "4", "5", "6", "7"]);
    // An invalid state is ignored.
    assert_eq!(next(&mut again(Some("nonsense"))).len(), 5);
}

#[test]
fn lines_are_left_out_rather_than_late() {
    let folder = Folder::new();
    let lines: String = (0..10_000).map(|it| format!("{it:04}\n")).collect();
    folder.append("a", lines, 100);
    let mut item = folder.item("log[FOLDER/a,,,10,,,5]");
    let first = next(&mut item);
    assert_eq!(first.len(), 10);
    // 5 seconds of 10 lines are left.
    let second = next(&mut item);
    let number: u32 = second[0].parse().expect("a whole line");
    assert!((9_900..=9_960).contains(&number), "{number}");
}

#[test]
fn long_lines_are_cut_and_their_rests_are_no_lines() {
    let folder = Folder::new();
    let long = "x".repeat(super::LINE_BYTES_MAX * 2 + 10);
    folder.append("a", format!("{long}\nnext\n"), 100);
    let mut item = folder.item("log[FOLDER/a]");
    let found = next(&mut item);
    assert_eq!(
        (found[0].len(), found[1].as_str(), found.len()),
        (super::LINE_BYTES_MAX, "next", 2)
    );
}

#[test]
fn errors_are_reported_at_once_and_brief_absences_are_not() {
    let folder = Folder::new();
    let mut item = folder.item("log[FOLDER/a]");
    let error = item.check(BUDGET).expect_err("no file");
    assert!(error.starts_with("Cannot obtain information for file \""), "{error}");
    assert!(error.ends_with("/a\": [2] No such file or directory"), "{error}");
    folder.append("a", "1\n", 100);
    assert_eq!(next(&mut item), ["1"]);
    folder.rename("a", "b");
    assert!(next(&mut item).is_empty() && next(&mut item).is_empty());
    assert!(item.check(BUDGET).is_err());
    for (key, expected) in [
        ("log[]", "Invalid first parameter."),
        ("log[/a,(]", "Invalid regular expression in second parameter: "),
        ("log[/a,,EBCDIC-X]", "Unsupported encoding \"EBCDIC-X\"."),
        ("log[/a,,,0]", "Invalid fourth parameter."),
        ("log[/a,,,1001]", "Invalid fourth parameter."),
        ("log[/a,,,,some]", "Invalid fifth parameter."),
        ("log[/a,,,,,,-1]", "Invalid seventh parameter."),
        ("log[/a,,,,,,,copytruncate]", "Invalid eighth parameter."),
        ("log[/a,,,,,,,,here]", "Invalid ninth parameter."),
        ("log[/a,,,,,,,,,]", "Too many parameters."),
        ("log.count[/a,,,,,,,,]", "Too many parameters."),
        ("logrt[/a/]", "Invalid first parameter."),
        ("logrt[/a/(]", "Invalid regular expression in first parameter: "),
        (
            "logrt[/a/b,,,,,,1,copytruncate]",
            "maxdelay > 0 is not supported with copytruncate option.",
        ),
    ] {
        let key = ItemKey::parse(key).expect("a key");
        let error = LogItem::new(&key, Position::default(), &[], None).expect_err("wrong");
        assert!(error.starts_with(expected), "{key:?}: {error}");
    }
}
