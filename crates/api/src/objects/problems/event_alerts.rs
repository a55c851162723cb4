//! Alerts as users see them who see their event: of many events at once, and without data that only their
//! recipient may use.

use std::borrow::Cow;

use db::{AlertQuery, AlertRow};
use model::EventId;
use model::map::Map as HashMap;

use crate::error::ApiError;
use crate::shared::Ctx;
use alerting::acknowledge_links::masked;

/// Alerts read from SQL at once.
pub(crate) const PAGE: usize = 1_000;

/// The alerts of events, the newest ones first.
pub(crate) fn alerts_of(
    ctx: &Ctx,
    events: &[EventId],
) -> Result<HashMap<EventId, Vec<AlertRow>>, ApiError> {
    let mut found: HashMap<EventId, Vec<AlertRow>> = HashMap::default();
    if events.is_empty() {
        return Ok(found);
    }
    let mut query = AlertQuery {
        eventids: Some(events.iter().map(|it| it.0).collect()),
        is_descending: true,
        limit: PAGE,
        ..AlertQuery::default()
    };
    loop {
        let mut page = ctx.db().alerts().query(&query)?;
        let is_last = page.len() < PAGE;
        query.alertid_till = page.last().map(|it| it.alert.id.saturating_sub(1));
        mask(ctx, &mut page);
        for row in page {
            found.entry(row.alert.event).or_default().push(row);
        }
        if is_last {
            return Ok(found);
        }
    }
}

/// A reader of a message must not be able to act as its recipient.
pub(crate) fn mask(ctx: &Ctx, rows: &mut [AlertRow]) {
    for row in rows.iter_mut().filter(|it| it.alert.user != ctx.rights.userid) {
        for text in [&mut row.alert.subject, &mut row.alert.message] {
            if let Cow::Owned(shown) = masked(text) {
                *text = shown;
            }
        }
    }
}
