//! Lists of checks that are encoded once for all agents that request them.
//!
//! A list is the text of an answer without the parts that differ between answers: the beginning
//! (revision, commands), and the positions of logs, for which the text has holes. Answers share the
//! text and are written in pieces.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use super::answer::{Check, Regexp, as_value, refreshes_unsupported};
use super::command::Command;
use super::to_json;
use crate::Version;

/// A list in the form that peers of some versions read: [`ListForm`].
#[derive(Debug, Default)]
pub struct EncodedList {
    text: Vec<u8>,
    /// Places of the positions of logs, in order.
    holes: Vec<Hole>,
}

#[derive(Debug)]
struct Hole {
    at: usize,
    itemid: u64,
}

/// The form of a list that a peer's version reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ListForm {
    is_by_itemid: bool,
    has_timeouts: bool,
}

impl ListForm {
    /// All that there are.
    pub const ALL: [Self; 3] = [
        Self { is_by_itemid: false, has_timeouts: false },
        Self { is_by_itemid: true, has_timeouts: false },
        Self { is_by_itemid: true, has_timeouts: true },
    ];

    #[must_use]
    pub fn of(peer: Version) -> Self {
        let has_timeouts = peer >= Version::WITH_TIMEOUTS;
        Self { is_by_itemid: peer.is_by_itemid(), has_timeouts }
    }
}

impl EncodedList {
    /// `is_log`: whether an answer has the position of the item's log; otherwise that is 0.
    #[must_use]
    pub fn new<'a>(
        checks: impl IntoIterator<Item = Check<'a>>,
        regexps: &[Regexp<'_>],
        (peer, is_log): (Version, impl Fn(&Check<'_>) -> bool),
    ) -> Self {
        let mut list = Self::default();
        list.text.extend_from_slice(b",\"data\":[");
        let mut is_first = true;
        for check in checks {
            if !std::mem::take(&mut is_first) {
                list.text.push(b',');
            }
            let mut row = check.to_json(peer);
            if !is_log(&check) {
                list.text.extend_from_slice(&to_json(&row));
                continue;
            }
            if let Value::Object(fields) = &mut row {
                fields.remove("lastlogsize");
                fields.remove("mtime");
            }
            let row = to_json(&row);
            // A row always has a key, so that the inserted part follows another member.
            list.text.extend_from_slice(row.strip_suffix(b"}").unwrap_or(&row));
            list.holes.push(Hole { at: list.text.len(), itemid: check.itemid });
            list.text.push(b'}');
        }
        list.text.push(b']');
        if !regexps.is_empty() {
            list.text.extend_from_slice(b",\"regexp\":");
            list.text.extend_from_slice(&to_json(&as_value(regexps)));
        }
        list.text.push(b'}');
        list.text.shrink_to_fit();
        list
    }

    /// How many positions of logs each answer has to look up.
    #[must_use]
    pub fn n_positions(&self) -> usize {
        self.holes.len()
    }

    /// Memory that it takes.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        self.text.capacity() + self.holes.capacity() * size_of::<Hole>()
    }
}

/// An answer with a shared list.
#[derive(Clone, Debug)]
pub struct SharedAnswer {
    list: Arc<EncodedList>,
    head: Vec<u8>,
    /// The contents of the holes, one after another, and their ends.
    filled: String,
    ends: Vec<usize>,
}

impl SharedAnswer {
    /// `position`: how far an item's log was read, and the time of its file.
    #[must_use]
    pub fn new(
        list: Arc<EncodedList>,
        (peer, config_revision): (Version, Option<u64>),
        commands: &[Command<'_>],
        position: impl Fn(u64) -> (u64, u64),
    ) -> Self {
        let mut head = br#"{"response":"success""#.to_vec();
        let mut add = |name: &str, value: &Value| {
            head.extend_from_slice(format!(",\"{name}\":").as_bytes());
            head.extend_from_slice(&to_json(value));
        };
        if let Some(revision) = config_revision {
            add("config_revision", &revision.into());
        }
        if let Some(seconds) = refreshes_unsupported(peer) {
            add("refresh_unsupported", &seconds.into());
        }
        if !commands.is_empty() {
            add("commands", &as_value(commands));
        }
        let mut filled = String::new();
        let mut ends = Vec::with_capacity(list.holes.len());
        for hole in &list.holes {
            let (lastlogsize, mtime) = position(hole.itemid);
            // Writing to a text cannot fail.
            write!(filled, ",\"lastlogsize\":{lastlogsize},\"mtime\":{mtime}").ok();
            ends.push(filled.len());
        }
        Self { list, head, filled, ends }
    }

    /// Bytes of the answer.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        self.head.len() + self.filled.len() + self.list.text.len()
    }

    /// Bytes of its own: the rest is shared.
    #[must_use]
    pub fn n_own_bytes(&self) -> usize {
        self.head.capacity() + self.filled.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    /// The answer in pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let text = |from: usize, to: usize| self.list.text.get(from..to).unwrap_or_default();
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let froms = std::iter::once(0).chain(self.list.holes.iter().map(|it| it.at));
        let of_holes = self.list.holes.iter().zip(froms).zip(starts.zip(&self.ends));
        let of_holes = of_holes.flat_map(move |((hole, from), (start, end))| {
            let filled = self.filled.as_bytes().get(start..*end).unwrap_or_default();
            [text(from, hole.at), filled]
        });
        let last = self.list.holes.last().map_or(0, |it| it.at);
        let rest = self.list.text.get(last..).unwrap_or_default();
        std::iter::once(self.head.as_slice()).chain(of_holes).chain(std::iter::once(rest))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::active::{CheckList, ChecksAnswer, ExpressionKind};

    fn check(itemid: u64, key: &'static str) -> Check<'static> {
        Check {
            key: key.into(),
            key_orig: (itemid == 2).then_some(Cow::Borrowed("log[{$A}]")),
            itemid,
            delay: "1m;50s/1-7,00:00-24:00".into(),
            delay_s: 60,
            lastlogsize: if key.starts_with("log") { itemid * 100 } else { 0 },
            mtime: if key.starts_with("log") { itemid * 1_000 } else { 0 },
            timeout: Some("3s".into()),
        }
    }

    fn read(text: &[u8]) -> Value {
        serde_json::from_slice(text).expect("JSON")
    }

    fn command() -> Command<'static> {
        Command { command: "echo \"a\"".into(), id: 7, wait: 1, timeout: "30s".into() }
    }

    #[test]
    fn a_shared_list_is_the_answer_that_was_encoded_for_one() {
        let regexp = Regexp {
            name: "errors".into(),
            expression: "a,b".into(),
            expression_type: ExpressionKind::AnyIncluded,
            exp_delimiter: ",".into(),
            case_sensitive: 1,
        };
        let all = [
            vec![],
            vec![check(1, "agent.ping")],
            vec![check(2, "log[/a,\"x\"]")],
            vec![check(1, "a"), check(2, "log[x]"), check(3, "log[y]"), check(4, "z")],
            vec![check(2, "log[x]"), check(3, "log[y]")],
        ];
        let versions = ["7.0.0", "6.4.0", "6.0.0", "5.0.1", "4.4.0", "4.2.0", "3.0.0"];
        for (checks, regexps) in
            all.iter().flat_map(|it| [(it, vec![]), (it, vec![regexp.clone()])])
        {
            for peer in versions.map(|it| Version::parse(Some(it))) {
                for (config_revision, commands) in
                    [(None, vec![]), (Some(5), vec![]), (Some(6), vec![command()])]
                {
                    let alone = ChecksAnswer::List(CheckList {
                        config_revision,
                        checks: Some(checks.clone()),
                        regexps: regexps.clone(),
                        commands: commands.clone(),
                        upload_disabled: false,
                    });
                    let is_log = |it: &Check<'_>| it.key.starts_with("log");
                    let list = EncodedList::new(checks.clone(), &regexps, (peer, is_log));
                    let position = |itemid| (itemid * 100, itemid * 1_000);
                    let shared = SharedAnswer::new(
                        Arc::new(list),
                        (peer, config_revision),
                        &commands,
                        position,
                    );
                    let text: Vec<u8> = shared.pieces().flatten().copied().collect();
                    assert_eq!(text.len(), shared.n_bytes());
                    assert_eq!(read(&text), read(&alone.encode(peer)), "{peer:?}");
                }
            }
        }
    }

    #[test]
    fn versions_of_one_form_have_one_list() {
        let form = |it: &str| ListForm::of(Version::parse(Some(it)));
        assert_eq!(form("7.0.0"), form("7.4.2"));
        assert_eq!(form("5.0.0"), form("6.4.0"));
        assert_eq!(form("4.2.0"), form("3.0.0"));
        assert_ne!(form("6.4.0"), form("7.0.0"));
        assert_ne!(form("3.0.0"), form("7.0.0"));
        for version in ["1.0.0", "3.0.0", "4.4.0", "6.4.9", "7.0.0", "7.4.0", "99.0.0"] {
            assert!(ListForm::ALL.contains(&form(version)), "{version}");
        }
    }
}
