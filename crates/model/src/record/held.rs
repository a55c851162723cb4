//! Rows of events whose names wait: few, so that they are read into structures.

use super::bytes::{Bytes, put_text, put_varint};
use super::{HeldEvent, HeldPart, HeldRow, HeldValue, HeldWhat};
use crate::content::Severity;
use crate::{EventId, Time, TriggerId, UserId};

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
/// Beside one of the three above.
const WITH_FUNCTION: u8 = 4;

/// What follows trigger and time.
pub(super) fn put(out: &mut Vec<u8>, row: &HeldRow<'_>) {
    let event = match row {
        HeldRow::Waits(it) => it,
        HeldRow::Left { n, .. } => {
            out.push(LEFT);
            put_varint(out, (*n).into());
            return;
        }
    };
    out.push(WAITS);
    let what = match event.what {
        HeldWhat::Recovery if event.problem => RECOVERS,
        HeldWhat::Problem | HeldWhat::Recovery => 0,
        HeldWhat::Closing(..) => CLOSES,
    };
    out.push(if event.problem { PROBLEM } else { 0 } | what);
    out.push(event.severity.code().cast_unsigned());
    if let HeldWhat::Closing(closed, user) = event.what {
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

fn put_part(out: &mut Vec<u8>, part: &HeldPart<'_>) {
    let (text, value, function) = match part {
        HeldPart::Text(text) => {
            out.push(TEXT);
            return put_text(out, text);
        }
        HeldPart::Macro(text, value, function) => (text, value, function),
    };
    let kind = match value {
        HeldValue::Open => OPEN,
        HeldValue::Known(_) => KNOWN,
        HeldValue::Unknown => UNKNOWN,
    };
    out.push(if function.is_some() { kind | WITH_FUNCTION } else { kind });
    put_text(out, text);
    if let HeldValue::Known(it) = value {
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
) -> Option<HeldRow<'a>> {
    match bytes.u8()? {
        LEFT => return Some(HeldRow::Left { trigger, n: bytes.small()? }),
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
        HeldWhat::Closing(EventId(bytes.varint()?), UserId(bytes.varint()?))
    } else if problem && flags & RECOVERS == 0 {
        HeldWhat::Problem
    } else {
        HeldWhat::Recovery
    };
    let opdata = bytes.text()?;
    let n_tags: u32 = bytes.small()?;
    let tags = (0..n_tags).map(|_| Some((bytes.text()?, bytes.text()?))).collect::<Option<_>>()?;
    let n_parts: u32 = bytes.small()?;
    let name = (0..n_parts).map(|_| read_part(bytes)).collect::<Option<_>>()?;
    Some(HeldRow::Waits(HeldEvent { trigger, time, problem, what, severity, opdata, tags, name }))
}

fn read_part<'a>(bytes: &mut Bytes<'a>) -> Option<HeldPart<'a>> {
    let kind = bytes.u8()?;
    let text = bytes.text()?;
    let value = match kind & !WITH_FUNCTION {
        TEXT => return (kind == TEXT).then_some(HeldPart::Text(text)),
        OPEN => HeldValue::Open,
        KNOWN => HeldValue::Known(bytes.text()?),
        UNKNOWN => HeldValue::Unknown,
        _ => return None,
    };
    let has_function = kind & WITH_FUNCTION != 0;
    let function = if has_function { Some((bytes.text()?, bytes.text()?)) } else { None };
    Some(HeldPart::Macro(text, value, function))
}
