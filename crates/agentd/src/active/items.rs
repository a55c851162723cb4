//! The items of a server's list, and when each is due.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use formats::number::parse_duration_s;
use jiff::tz::TimeZone;
use lang::interval::Interval;
use model::content::{GlobalRegexp, RegexpExpression, RegexpKind};
use wire::active::{Check, ExpressionKind, Regexp};

use crate::checks::{Asked, Checks};
use crate::log::{LogItem, Position};

/// Items of one host.
const ITEMS_MAX: usize = 100_000;
/// Items whose interval cannot be read report that at this pace.
const BROKEN_EACH_S: i64 = 60;
/// Longest time-out of an item.
const TIME_MAX_S: u64 = 600;

/// The source of an item's values.
#[derive(Debug)]
pub(super) enum Subject {
    /// A key that is asked.
    Key(model::key::ItemKey),
    /// A log item; `None` while a check has it.
    Log(Option<Box<LogItem>>),
    /// Never has a value, for this reason.
    Broken(String),
}

#[derive(Debug)]
pub(super) struct Item {
    /// As the server wrote it.
    pub(super) key: String,
    delay: String,
    interval: Option<Interval>,
    pub(super) timeout: Option<Duration>,
    pub(super) subject: Subject,
    /// When it is due, seconds since 1970.
    pub(super) next: i64,
    /// When it was checked last.
    pub(super) last: Option<i64>,
    pub(super) is_running: bool,
    /// Differs from the generation of an earlier item with this id.
    pub(super) generation: u64,
    /// The content of its persistent file.
    pub(super) kept: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) by_id: BTreeMap<u64, Item>,
    regexps: Arc<Vec<GlobalRegexp>>,
    n_generations: u64,
}

/// Reads an item's persistent file.
pub(super) type ReadKept<'a> = &'a dyn Fn(u64, &LogItem) -> Option<String>;

impl Items {
    /// Applies a server's list. Unchanged items keep their state.
    pub(super) fn update(
        &mut self,
        checks: &[Check<'_>],
        regexps: &[Regexp<'_>],
        with: &Checks,
        now: i64,
        read_kept: ReadKept<'_>,
    ) {
        let regexps = global_regexps(regexps);
        let has_new_regexps = *self.regexps != regexps;
        self.regexps = Arc::new(regexps);
        let mut before = std::mem::take(&mut self.by_id);
        for check in checks.iter().filter(|it| it.itemid != 0).take(ITEMS_MAX) {
            let timeout = check.timeout.as_deref().and_then(parse_duration_s);
            let timeout = timeout.filter(|it| *it != 0);
            let timeout = timeout.map(|it| Duration::from_secs(it.min(TIME_MAX_S)));
            let known = before.remove(&check.itemid).filter(|it| {
                let names_regexp = has_new_regexps && it.key.contains('@');
                it.key == check.key && it.delay == check.delay && !names_regexp
            });
            let item = match known {
                Some(item) => Item { timeout, ..item },
                None => Item { timeout, ..self.item(check, with, now, read_kept) },
            };
            self.by_id.insert(check.itemid, item);
        }
    }

    fn item(
        &mut self,
        check: &Check<'_>,
        with: &Checks,
        now: i64,
        read_kept: ReadKept<'_>,
    ) -> Item {
        self.n_generations += 1;
        let interval = Interval::parse(&check.delay);
        let mut kept = None;
        let subject = match (with.admit(&check.key), &interval) {
            (_, Err(error)) => Subject::Broken(sentence(&error.to_string())),
            (Err(reason), _) => Subject::Broken(reason),
            (Ok(Asked::Other(key)), _) => Subject::Key(key),
            (Ok(Asked::Log(key)), _) => {
                let position = Position { lastlogsize: check.lastlogsize, mtime: check.mtime };
                let open = |kept: Option<&str>| LogItem::new(&key, position, &self.regexps, kept);
                let opened = open(None).and_then(|item| {
                    kept = read_kept(check.itemid, &item);
                    if kept.is_some() { open(kept.as_deref()) } else { Ok(item) }
                });
                match opened {
                    Ok(item) => Subject::Log(Some(Box::new(item))),
                    Err(reason) => Subject::Broken(reason),
                }
            }
        };
        let is_plain = !check.delay.contains(';');
        let interval = interval.ok();
        let next = match &interval {
            Some(it) if !is_plain => it.next_check(now, check.itemid, &TimeZone::system()),
            _ => now,
        };
        Item {
            key: check.key.clone().into_owned(),
            delay: check.delay.clone().into_owned(),
            interval,
            timeout: None,
            subject,
            next,
            last: None,
            is_running: false,
            generation: self.n_generations,
            kept,
        }
    }
}

impl Item {
    /// The item is checked now: computes when it is due again.
    pub(super) fn schedule(&mut self, itemid: u64, now: i64) {
        self.last = Some(now);
        self.next = match &self.interval {
            Some(it) => it.next_check(now, itemid, &TimeZone::system()).max(now + 1),
            None => now + BROKEN_EACH_S,
        };
    }
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|it| it.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

fn global_regexps(rows: &[Regexp<'_>]) -> Vec<GlobalRegexp> {
    let mut by_name: BTreeMap<&str, GlobalRegexp> = BTreeMap::new();
    for row in rows {
        let kind = match row.expression_type {
            ExpressionKind::Included => RegexpKind::Included,
            ExpressionKind::AnyIncluded => RegexpKind::AnyIncluded,
            ExpressionKind::NotIncluded => RegexpKind::NotIncluded,
            ExpressionKind::True => RegexpKind::True,
            ExpressionKind::False => RegexpKind::False,
        };
        let entry = by_name.entry(&row.name).or_insert_with(|| GlobalRegexp {
            name: row.name.clone().into_owned(),
            ..GlobalRegexp::default()
        });
        entry.expressions.push(RegexpExpression {
            expression: row.expression.clone().into_owned(),
            kind,
            exp_delimiter: row.exp_delimiter.clone().into_owned(),
            case_sensitive: row.case_sensitive == 1,
        });
    }
    by_name.into_values().collect()
}
