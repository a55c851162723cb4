//! `{EVENT.*}` and actions of users on problems.

use lang::macros::{Resolution, age, date, time};
use model::content::{Severity, Tag};
use serde_json::{Map, Value, json};

use super::expansion::{Asked, Expansion};
use super::facts::Update;
use super::objects;
use crate::event::{EventObject, EventSource, MessageEvent};

/// Bits of `action` in `event.acknowledge`.
mod action {
    pub(super) const CLOSE: u32 = 1;
    pub(super) const ACKNOWLEDGE: u32 = 2;
    pub(super) const MESSAGE: u32 = 4;
    pub(super) const SEVERITY: u32 = 8;
    pub(super) const UNACKNOWLEDGE: u32 = 16;
    pub(super) const SUPPRESS: u32 = 32;
    pub(super) const UNSUPPRESS: u32 = 64;
    pub(super) const RANK_TO_CAUSE: u32 = 128;
    pub(super) const RANK_TO_SYMPTOM: u32 = 256;
}

/// Of the problem, also in messages about its recovery.
pub(super) fn plain(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let context = of.facts.context();
    let Some(event) = &context.event else { return Resolution::Keep };
    let what = asked.name.strip_prefix("EVENT.").unwrap_or_default();
    value(of, event, context.recovery.as_ref(), what)
}

/// Of the subject of the message: the problem or its recovery.
pub(super) fn current(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(event) = of.facts.context().current() else { return Resolution::Keep };
    value(of, event, None, asked.name.strip_prefix("EVENT.").unwrap_or_default())
}

/// Only messages about a recovery have them.
pub(super) fn recovery(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(event) = &of.facts.context().recovery else { return Resolution::Keep };
    value(of, event, None, asked.name.strip_prefix("EVENT.RECOVERY.").unwrap_or_default())
}

/// Of the problem that caused this one.
pub(super) fn cause(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(event) = &of.facts.context().event else { return Resolution::Keep };
    let Some((cause, recovery)) = of.facts.cause(event.id) else { return Resolution::Unknown };
    let what = asked.name.strip_prefix("EVENT.CAUSE.").unwrap_or_default();
    let current = recovery.as_ref().unwrap_or(&cause);
    match what {
        "STATUS" | "VALUE" => value(of, current, None, what),
        "OPDATA" => objects::opdata(of, current),
        "UPDATE.HISTORY" => Resolution::Value(updates(of, &cause)),
        _ => value(of, &cause, recovery.as_ref(), what),
    }
}

fn value(
    of: &Expansion<'_>,
    event: &MessageEvent,
    recovery: Option<&MessageEvent>,
    what: &str,
) -> Resolution {
    let zone = of.facts.zone();
    let clock = event.time.clock();
    let since = |from: i64| age(of.facts.now().clock().saturating_sub(from));
    let known = match what {
        "ACK.STATUS" => Some(if event.is_acknowledged { "Yes" } else { "No" }.to_owned()),
        "AGE" => Some(since(clock)),
        "DATE" => date(clock, zone),
        "DURATION" => Some(match recovery {
            Some(it) => age(it.time.clock().saturating_sub(clock)),
            None => since(clock),
        }),
        "ID" => Some(event.id.to_string()),
        "NAME" => Some(event.name.clone()),
        "NSEVERITY" => Some(event.severity.code().to_string()),
        "OBJECT" => Some(event.object.code().to_string()),
        "SEVERITY" => Some(of.facts.severity_name(event.severity)),
        "SOURCE" => Some(event.source.code().to_string()),
        "STATUS" => Some(status(event).to_owned()),
        "TAGS" => Some(tags_text(&event.tags)),
        "TAGSJSON" => Some(tags_json(&event.tags)),
        "TIME" => time(clock, zone),
        "TIMESTAMP" => Some(clock.to_string()),
        "VALUE" => Some(event.value.to_string()),
        _ => match what.strip_prefix("TAGS.") {
            Some(name) => tag(&event.tags, name),
            None => return Resolution::Keep,
        },
    };
    known.map_or(Resolution::Unknown, Resolution::Value)
}

/// The value of an event in words.
fn status(event: &MessageEvent) -> &'static str {
    match (event.source, event.object, event.value) {
        (EventSource::Trigger | EventSource::Service, _, 0) => "RESOLVED",
        (EventSource::Trigger | EventSource::Service, _, 1) => "PROBLEM",
        (EventSource::Internal, _, 0) => "Normal",
        (EventSource::Internal, EventObject::Trigger, 1) => "Unknown",
        (EventSource::Internal, _, 1) => "Not supported",
        _ => "unknown",
    }
}

fn sorted(tags: &[Tag]) -> Vec<&Tag> {
    let mut tags: Vec<&Tag> = tags.iter().collect();
    let order = lang::text::natural_order;
    tags.sort_by(|a, b| order(&a.tag, &b.tag).then_with(|| order(&a.value, &b.value)));
    tags
}

/// `a:1, b`.
pub(super) fn tags_text(tags: &[Tag]) -> String {
    let one = |it: &Tag| match it.value.as_str() {
        "" => it.tag.clone(),
        value => format!("{}:{value}", it.tag),
    };
    sorted(tags).into_iter().map(one).collect::<Vec<_>>().join(", ")
}

pub(super) fn tags_json(tags: &[Tag]) -> String {
    let list = tags.iter().map(|it| json!({ "tag": it.tag, "value": it.value }));
    Value::Array(list.collect()).to_string()
}

/// The value of the first tag with a name, which is written bare or quoted.
pub(super) fn tag(tags: &[Tag], written: &str) -> Option<String> {
    let quoted = written.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let name = quoted.map_or_else(|| written.to_owned(), unescaped);
    sorted(tags).into_iter().find(|it| it.tag == name).map(|it| it.value.clone())
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        out.push(if char == '\\' { chars.next().unwrap_or(char) } else { char });
    }
    out
}

pub(super) fn opdata(of: &Expansion<'_>, _asked: &Asked<'_>) -> Resolution {
    match of.facts.context().current() {
        Some(event) => objects::opdata(of, event),
        None => Resolution::Keep,
    }
}

/// Symptoms by severity and host, a line each; unknown without any.
pub(super) fn symptoms(of: &Expansion<'_>, _asked: &Asked<'_>) -> Resolution {
    let Some(event) = &of.facts.context().event else { return Resolution::Keep };
    lines(of, of.facts.symptoms(event.id)).map_or(Resolution::Unknown, Resolution::Value)
}

/// One line for each problem; `None` if there are none.
pub(super) fn lines(of: &Expansion<'_>, problems: Vec<MessageEvent>) -> Option<String> {
    let host = |it: &MessageEvent| {
        let host = it.hosts.first().and_then(|it| of.facts.snapshot().hosts.get(it));
        host.map(|it| it.host.to_string())
    };
    let mut known: Vec<(String, MessageEvent)> =
        problems.into_iter().filter_map(|it| Some((host(&it)?, it))).collect();
    known.sort_by(|a, b| b.1.severity.cmp(&a.1.severity).then_with(|| a.0.cmp(&b.0)));
    let now = of.facts.now().clock();
    let line = |(host, it): (String, MessageEvent)| {
        format!(
            "Host: \"{host}\" Problem name: \"{}\" Severity: \"{}\" Age: {} Problem tags: \"{}\"",
            it.name,
            of.facts.severity_name(it.severity),
            age(now.saturating_sub(it.time.clock())),
            tags_text(&it.tags)
        )
    };
    let lines: Vec<String> = known.into_iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// All entries below the problem.
pub(super) fn history(of: &Expansion<'_>, _asked: &Asked<'_>) -> Resolution {
    match &of.facts.context().event {
        Some(event) => Resolution::Value(updates(of, event)),
        None => Resolution::Keep,
    }
}

fn updates(of: &Expansion<'_>, event: &MessageEvent) -> String {
    let zone = of.facts.zone();
    let mut out = String::new();
    for it in of.facts.updates(event.id) {
        let (date, time) = (date(it.clock, zone), time(it.clock, zone));
        out.push_str(&format!(
            "{} {} \"{}\"\n",
            date.unwrap_or_default(),
            time.unwrap_or_default(),
            of.user_shown(it.user)
        ));
        let actions = actions(of, &it, action::MESSAGE);
        if !actions.is_empty() {
            out.push_str(&format!("Actions: {actions}.\n"));
        }
        if !it.message.is_empty() {
            out.push_str(&it.message);
            out.push('\n');
        }
        out.push('\n');
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// Only messages about updates have them, but for the status.
pub(super) fn update(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let update = of.facts.context().update.as_ref();
    let what = asked.name.strip_prefix("EVENT.UPDATE.").or(asked.name.strip_prefix("ACK."));
    if what == Some("STATUS") {
        return Resolution::Value(u8::from(update.is_some()).to_string());
    }
    let Some(update) = update else { return Resolution::Keep };
    let zone = of.facts.zone();
    let severity = Severity::from_code(i64::from(update.new_severity));
    let known = match what.unwrap_or_default() {
        "ACTION" => Some(actions(of, update, 0)),
        "ACTIONJSON" => Some(actions_json(update)),
        "DATE" => date(update.clock, zone),
        "MESSAGE" => Some(update.message.clone()),
        "NSEVERITY" => Some(update.new_severity.to_string()),
        "SEVERITY" => severity.map(|it| of.facts.severity_name(it)),
        "TIME" => time(update.clock, zone),
        "TIMESTAMP" => Some(update.clock.to_string()),
        _ => None,
    };
    known.map_or(Resolution::Unknown, Resolution::Value)
}

/// The actions of an update, in words; `without`: bits that are left out.
fn actions(of: &Expansion<'_>, update: &Update, without: u32) -> String {
    let severity = |code: u8| {
        let known = Severity::from_code(i64::from(code));
        known.map_or_else(|| "unknown".to_owned(), |it| of.facts.severity_name(it))
    };
    let until = || match update.suppress_until {
        0 => "suppressed indefinitely".to_owned(),
        clock => {
            let zone = of.facts.zone();
            let (date, time) = (date(clock, zone), time(clock, zone));
            format!("suppressed until {} {}", date.unwrap_or_default(), time.unwrap_or_default())
        }
    };
    let all: [(u32, &dyn Fn() -> String); 9] = [
        (action::ACKNOWLEDGE, &|| "acknowledged".to_owned()),
        (action::UNACKNOWLEDGE, &|| "unacknowledged".to_owned()),
        (action::MESSAGE, &|| "commented".to_owned()),
        (action::SEVERITY, &|| {
            let (old, new) = (severity(update.old_severity), severity(update.new_severity));
            format!("changed severity from {old} to {new}")
        }),
        (action::CLOSE, &|| "closed".to_owned()),
        (action::SUPPRESS, &until),
        (action::UNSUPPRESS, &|| "unsuppressed".to_owned()),
        (action::RANK_TO_CAUSE, &|| "changed rank to cause".to_owned()),
        (action::RANK_TO_SYMPTOM, &|| "changed rank to symptom".to_owned()),
    ];
    let done = all.iter().filter(|(bit, _)| update.action & bit & !without != 0);
    let mut done: Vec<String> = done.map(|(_, text)| text()).collect();
    match done.pop() {
        Some(last) if !done.is_empty() => format!("{} and {last}", done.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn actions_json(update: &Update) -> String {
    let has = |bit: u32| update.action & bit != 0;
    let mut out = Map::new();
    let mut put = |bit: u32, name: &str, value: Value| {
        if has(bit) {
            out.insert(name.to_owned(), value);
        }
    };
    put(action::ACKNOWLEDGE, "acknowledge", true.into());
    put(action::UNACKNOWLEDGE, "unacknowledge", true.into());
    put(action::MESSAGE, "message", update.message.as_str().into());
    let severity = json!({ "old": update.old_severity, "new": update.new_severity });
    put(action::SEVERITY, "severity", severity);
    put(action::CLOSE, "close", true.into());
    put(action::SUPPRESS, "suppress_until", update.suppress_until.into());
    put(action::UNSUPPRESS, "unsuppress", true.into());
    put(action::RANK_TO_CAUSE, "cause", true.into());
    put(action::RANK_TO_SYMPTOM, "symptom", true.into());
    out.insert("timestamp".to_owned(), update.clock.into());
    Value::Object(out).to_string()
}
