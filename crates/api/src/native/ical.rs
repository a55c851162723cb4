//! The shifts of an on-call schedule as a calendar: iCalendar (RFC 5545).
//!
//! Times are in UTC, so that no time zone has to be described. Lines end with CR LF and are folded at 75 bytes; each
//! shift has an id by its schedule and beginning, by which calendars know it again.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderName, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use db::objects::oncall::schedule;
use jiff::Timestamp;
use lang::oncall::OncallShift;
use model::UserId;
use model::document::Document;
use model::snapshot::Snapshot;

use super::session;
use crate::error::ApiError;
use crate::http::body::failed;
use crate::shared::{ApiState, Ctx};

const DAY: i64 = 86_400;
const BEFORE: i64 = 28 * DAY;
const AFTER: i64 = 182 * DAY;
/// The most shifts of a calendar: shifts of an hour for half a year. Later ones are left out.
const SHIFTS_MAX: usize = 5_040;
/// The longest line, in bytes, without its end; longer ones are folded.
const LINE_MAX: usize = 75;

/// `GET /api/v1/oncall/<oncallid>/ical`: four weeks back, half a year ahead.
pub(super) async fn answer(
    State(shared): State<Arc<ApiState>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Response {
    let caller = match session::caller(&shared, &request) {
        Ok(it) => it,
        Err(response) => return response,
    };
    let (of_work, user) = (Arc::clone(&shared), caller.identity.userid);
    let written = shared.blocking_of((&shared.calls, user), move || {
        let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        of_schedule(&ctx, &id).ok_or_else(ApiError::no_permissions)
    });
    match written.await.flatten() {
        Ok(text) => (answer_headers(), text).into_response(),
        Err(error) => failed(StatusCode::NOT_FOUND, &error.data()),
    }
}

fn answer_headers() -> [(HeaderName, &'static str); 2] {
    [
        (header::CONTENT_TYPE, "text/calendar; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "inline; filename=\"oncall.ics\""),
    ]
}

fn of_schedule(ctx: &Ctx, id: &str) -> Option<String> {
    let document = ctx.snapshot.documents.get("oncall", id.parse().ok()?)?;
    let now = ctx.now.clock();
    let schedule = schedule(&document.body, ctx.db().zone());
    let shifts = schedule.shifts(now - BEFORE, now + AFTER, SHIFTS_MAX);
    Some(written(&ctx.snapshot, document, &shifts, now))
}

fn written(snapshot: &Snapshot, of: &Document, shifts: &[OncallShift], now: i64) -> String {
    let mut out = String::new();
    let name = escaped(of.text("name"));
    for text in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Saker//On call//EN", "METHOD:PUBLISH"]
    {
        line(&mut out, text);
    }
    line(&mut out, &format!("X-WR-CALNAME:{name}"));
    for (at, shift) in shifts.iter().enumerate() {
        let Some(who) = shift.who else { continue };
        // The first one began at an unknown earlier time.
        let begin = if at == 0 { "first".to_owned() } else { shift.from.to_string() };
        let user = escaped(&full_name(snapshot, UserId(who.user)));
        let how = if who.rotation.is_none() { " (override)" } else { "" };
        line(&mut out, "BEGIN:VEVENT");
        line(&mut out, &format!("UID:oncall-{}-{begin}@saker", of.id));
        line(&mut out, &format!("DTSTAMP:{}", utc(now)));
        line(&mut out, &format!("DTSTART:{}", utc(shift.from)));
        line(&mut out, &format!("DTEND:{}", utc(shift.to)));
        line(&mut out, &format!("SUMMARY:{name}: {user}{how}"));
        line(&mut out, "TRANSP:TRANSPARENT");
        line(&mut out, "END:VEVENT");
    }
    line(&mut out, "END:VCALENDAR");
    out
}

fn full_name(snapshot: &Snapshot, id: UserId) -> String {
    let Some(user) = snapshot.access.users.get(&id) else { return id.0.to_string() };
    match format!("{} {}", user.name, user.surname).trim() {
        "" => user.username.clone(),
        name => name.to_owned(),
    }
}

fn utc(clock: i64) -> String {
    let at = Timestamp::from_second(clock).unwrap_or(Timestamp::UNIX_EPOCH);
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '\\' | ';' | ',' => {
                out.push('\\');
                out.push(it);
            }
            '\n' => out.push_str("\\n"),
            // Others have no place in a line.
            it if it.is_control() => out.push(' '),
            it => out.push(it),
        }
    }
    out
}

/// Adds a line, folded between characters; continuation lines begin with a space.
fn line(out: &mut String, text: &str) {
    let mut n_bytes = 0;
    for it in text.chars() {
        if LINE_MAX < n_bytes + it.len_utf8() {
            out.push_str("\r\n ");
            n_bytes = 1;
        }
        out.push(it);
        n_bytes += it.len_utf8();
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_between_characters_and_read_as_they_were() {
        for text in ["short".to_owned(), "x".repeat(75), "x".repeat(76), "ä€🙂".repeat(60)] {
            let mut out = String::new();
            line(&mut out, &text);
            let whole = out.strip_suffix("\r\n").expect("an end");
            assert!(whole.split("\r\n").all(|it| it.len() <= LINE_MAX), "{whole}");
            assert_eq!(whole.replace("\r\n ", ""), text);
        }
    }

    #[test]
    fn texts_cannot_end_their_line() {
        assert_eq!(escaped("a;b,c\\d\r\nEND:VCALENDAR"), "a\\;b\\,c\\\\d \\nEND:VCALENDAR");
        assert_eq!(utc(1_767_225_600), "20260101T000000Z");
    }
}
