//! Rows of events that wait for their names: few, so that they are read into structures.

use super::{
    EventAwaitingName, EventAwaitingNameRow, EventDecision, EventNameMacro, EventNamePart,
};
use crate::content::Severity;
use crate::{EventId, Time, TriggerId, UserId};
use varint::{Bytes, put_text, put_varint};

const LEFT: u8 = 0;
const WAITS: u8 = 1;

const PROBLEM: u8 = 1;
const CLOSES: u8 = 2;
/// Not a problem, though the trigger stays in PROBLEM: a recovery of some of its problems.
const RECOVERS: u8 = 4;

const TEXT: u8 = 0;
const OPEN: u8 = 1;
const KNOWN: u8 = 2;
const UNKNOWN: u8 = 3;
/// In addition to one of the three above.
const WITH_FUNCTION: u8 = 4;

/// The fields after trigger and time.
pub(super) fn put(out: &mut Vec<u8>, row: &EventAwaitingNameRow<'_>) {
    let event = match row {
        EventAwaitingNameRow::Waits(it) => it,
        EventAwaitingNameRow::Left { n, .. } => {
            out.push(LEFT);
            put_varint(out, (*n).into());
            return;
        }
    };
    out.push(WAITS);
    let what = match event.what {
        EventDecision::Recovery if event.problem => RECOVERS,
        EventDecision::Problem | EventDecision::Recovery => 0,
        EventDecision::Closing(..) => CLOSES,
    };
    out.push(if event.problem { PROBLEM } else { 0 } | what);
    out.push(event.severity.code().cast_unsigned());
    if let EventDecision::Closing(closed, user) = event.what {
        put_varint(out, closed.0);
        put_varint(out, user.0);
    }
    put_text(out, event.opdata);
    put_varint(out, event.tags.len() as u64);
    for (tag, value) in &event.tags {
        put_text(out, tag);
        put_text(out, value);
    }
    put_varint(out, event.name.len() as u64);
    event.name.iter().for_each(|it| put_part(out, it));
}

fn put_part(out: &mut Vec<u8>, part: &EventNamePart<'_>) {
    let (text, value, function) = match part {
        EventNamePart::Text(text) => {
            out.push(TEXT);
            return put_text(out, text);
        }
        EventNamePart::Macro(text, value, function) => (text, value, function),
    };
    let kind = match value {
        EventNameMacro::Open => OPEN,
        EventNameMacro::Known(_) => KNOWN,
        EventNameMacro::Unknown => UNKNOWN,
    };
    out.push(if function.is_some() { kind | WITH_FUNCTION } else { kind });
    put_text(out, text);
    if let EventNameMacro::Known(it) = value {
        put_text(out, it);
    }
    if let Some((name, params)) = function {
        put_text(out, name);
        put_text(out, params);
    }
}

pub(super) fn read<'a>(
    bytes: &mut Bytes<'a>,
    (trigger, time): (TriggerId, Time),
) -> Option<EventAwaitingNameRow<'a>> {
    match bytes.u8()? {
        LEFT => return Some(EventAwaitingNameRow::Left { trigger, n: bytes.small()? }),
        WAITS => {}
        _ => return None,
    }
    let flags = bytes.u8()?;
    if flags & !(PROBLEM | CLOSES | RECOVERS) != 0 {
        return None;
    }
    let severity = Severity::from_code(bytes.u8()?.into())?;
    let problem = flags & PROBLEM != 0;
    let what = if flags & CLOSES != 0 {
        EventDecision::Closing(EventId(bytes.varint()?), UserId(bytes.varint()?))
    } else if problem && flags & RECOVERS == 0 {
        EventDecision::Problem
    } else {
        EventDecision::Recovery
    };
    let opdata = bytes.text()?;
    let n_tags: u32 = bytes.small()?;
    let tags = (0..n_tags).map(|_| Some((bytes.text()?, bytes.text()?))).collect::<Option<_>>()?;
    let n_parts: u32 = bytes.small()?;
    let name = (0..n_parts).map(|_| read_part(bytes)).collect::<Option<_>>()?;
    Some(EventAwaitingNameRow::Waits(EventAwaitingName {
        trigger,
        time,
        problem,
        what,
        severity,
        opdata,
        tags,
        name,
    }))
}

fn read_part<'a>(bytes: &mut Bytes<'a>) -> Option<EventNamePart<'a>> {
    let kind = bytes.u8()?;
    let text = bytes.text()?;
    let value = match kind & !WITH_FUNCTION {
        TEXT => return (kind == TEXT).then_some(EventNamePart::Text(text)),
        OPEN => EventNameMacro::Open,
        KNOWN => EventNameMacro::Known(bytes.text()?),
        UNKNOWN => EventNameMacro::Unknown,
        _ => return None,
    };
    let has_function = kind & WITH_FUNCTION != 0;
    let function = if has_function { Some((bytes.text()?, bytes.text()?)) } else { None };
    Some(EventNamePart::Macro(text, value, function))
}
