//! The subject of an alert for its macros: as when it was made, from the database.

use std::sync::Arc;

use crate::message_facts::{FactSources, event_of, update_of};
use alert::macros::MessageContext;
use db::alerts::Alert;
use db::{EventQuery, EventRow, Problem};
use model::EventId;
use model::snapshot::Snapshot;

/// `None`: its event does not exist any more.
///
/// # Errors
/// The database's.
pub(super) fn context(
    sources: &FactSources,
    snapshot: &Snapshot,
    alert: &Alert,
) -> Result<Option<MessageContext>, String> {
    let problem = problem(sources, alert.about())?;
    let row = match &problem {
        Some(it) => Some(Arc::clone(&it.event)),
        None => event(sources, alert.about())?.map(Arc::new),
    };
    let found = row.and_then(|it| event_of(&it, problem.as_deref()));
    let Some(mut context) = found.map(MessageContext::of_event) else { return Ok(None) };
    if alert.about() != alert.event {
        context.recovery = event(sources, alert.event)?.and_then(|it| event_of(&it, None));
    }
    context.update = problem.as_deref().and_then(|it| {
        it.acknowledges.iter().find(|it| it.acknowledgeid == alert.acknowledge).map(update_of)
    });
    let action = snapshot.documents.get("action", alert.action);
    context.action =
        (alert.action, action.map_or_else(String::new, |it| it.text("name").to_owned()));
    Ok(Some(context))
}

fn problem(sources: &FactSources, id: EventId) -> Result<Option<Arc<Problem>>, String> {
    let events = sources.db.events();
    if let Some(it) = events.problem(id) {
        return Ok(Some(it));
    }
    let found = events.fetch_problems(&[id]).map_err(|error| error.to_string())?;
    Ok(found.into_iter().next().map(Arc::new))
}

fn event(sources: &FactSources, id: EventId) -> Result<Option<EventRow>, String> {
    let query = EventQuery { eventids: Some(vec![id]), limit: 1, ..EventQuery::default() };
    let found = sources.db.events().query(&query).map_err(|error| error.to_string())?;
    Ok(found.into_iter().next())
}
