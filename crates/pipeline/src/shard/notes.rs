//! Notes at items about values that were refused, or stored in part.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::{Now, Time};

use super::convert::Cut;
use crate::live::Note;

/// How long an item shows the note on one of its values.
const SHOWN_S: i64 = 86_400;

/// A value of this time was refused for its time.
pub(super) fn of_refused(time: Time, now: Now, zone: &TimeZone) -> Note {
    let why = if now.wall < time {
        "more than a day ahead of the server's clock"
    } else {
        "older than the item's history is kept"
    };
    let when = local_text(time, zone);
    note(format!("A value of {when} was refused: {why}."), now)
}

/// Of a text only the beginning was kept.
pub(super) fn of_cut(time: Time, cut: Cut, now: Now, zone: &TimeZone) -> Note {
    let when = local_text(time, zone);
    let Cut { from_chars, to_chars } = cut;
    note(format!("The value of {when} was cut from {from_chars} characters to {to_chars}."), now)
}

fn note(text: String, now: Now) -> Note {
    Note { text: text.into(), until: now.wall.plus_secs(SHOWN_S) }
}

/// A time as people read it.
fn local_text(time: Time, zone: &TimeZone) -> String {
    match Timestamp::from_second(time.clock()) {
        Ok(it) => it.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_outside) => time.to_string(),
    }
}
