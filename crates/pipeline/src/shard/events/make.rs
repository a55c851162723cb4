//! Events: their name and tags, with macros expanded as they happen, and values for operational
//! data, which is expanded when it is asked for.

use std::ops::Range;

use directory::{event_name, expanded, expression_macros};
use lang::value::{value_macros, write_values};
use model::Time;
use model::content::{Severity, Tag, TriggerContent};

use super::super::functions::Sources;
use super::super::open::{Closes, OpenProblem, pairs};
use super::super::state::HostState;
use super::awaiting_names::AwaitingEvent;
use super::draft::{Draft, MacroState, MacroValue, Part};
use super::texts::{Place, Texts};
use crate::effects::{StepEventKind, StepEventRef, TriggerEvent};
use crate::event_awaiting_name::What;

/// An event of a trigger as it is at this point in time, but for expression macros of its name.
pub(in super::super) fn draft(
    sources: Sources<'_>,
    (host, position): (&HostState, u32),
    time: Time,
    what: What,
) -> Option<Draft> {
    let texts = Texts::new(sources, (host, position), time)?;
    let (name, values) = name_of(&texts);
    let content = &texts.trigger.content;
    let is_problem = what == What::Problem;
    let event = TriggerEvent {
        trigger: texts.trigger_row.id,
        host: host.plan.host().id,
        time,
        // Set when the event is made.
        kind: StepEventKind::Problem,
        is_problem: false,
        severity: if is_problem { content.priority } else { Severity::NotClassified },
        name: String::new(),
        opdata: values_for_opdata(&texts),
        tags: texts.tags(what),
    };
    Some(Draft { event, name, values })
}

/// The problems of a trigger that a recovery with these tags closes.
pub(in super::super) fn closes(
    sources: Sources<'_>,
    (host, position): (&HostState, u32),
    time: Time,
    tags: &[Tag],
) -> Closes {
    Closes::of(correlation_tag(sources, (host, position), time).as_deref(), tags)
}

/// The tag by which a trigger's recoveries choose what they close, if they do.
fn correlation_tag(
    sources: Sources<'_>,
    (host, position): (&HostState, u32),
    time: Time,
) -> Option<String> {
    let trigger = host.plan.layout.triggers.get(position as usize)?;
    if !trigger.correlates() {
        return None;
    }
    let texts = Texts::new(sources, (host, position), time)?;
    Some(texts.expand(&trigger.content.correlation_tag, Place::Tag))
}

/// The problems of a trigger that are open when all its events that wait are made.
pub(in super::super) fn decided_open<'h>(
    sources: Sources<'_>,
    (host, position): (&HostState, u32),
    awaiting: impl Iterator<Item = &'h AwaitingEvent>,
) -> Vec<OpenProblem> {
    let state = host.triggers.get(position as usize);
    let mut open = state.map_or_else(Vec::new, |it| it.open.clone());
    for awaiting in awaiting {
        let (decision, tags) = (awaiting.decision(), awaiting.tags());
        match decision.what {
            What::Problem => {
                open.push(OpenProblem::new(StepEventRef::Pending(u32::MAX), pairs(tags)));
            }
            What::Recovery => {
                let closes = closes(sources, (host, position), decision.time, tags);
                open.retain(|it| !closes.has(it));
            }
            What::Closing(event, _) => open.retain(|it| !it.is(event)),
        }
    }
    open
}

/// The slot of an item whose value at a point in time an event of a trigger is to show, if only history
/// has it.
pub(in super::super) fn lacks_value(
    sources: Sources<'_>,
    (host, position): (&HostState, u32),
    time: Time,
) -> Option<u32> {
    let trigger = host.plan.layout.triggers.get(position as usize)?;
    let mut slots = trigger.items.iter().filter_map(|it| host.plan.slots.get(*it));
    let lacks = |at: &u32| [time, sources.now].iter().any(|it| sources.value_at(*at, *it).is_err());
    slots.find(|at| lacks(at) && shows_values(&trigger.content))
}

/// Whether the texts of a trigger's events have values of its items.
fn shows_values(content: &TriggerContent) -> bool {
    let name =
        if content.event_name.is_empty() { &content.description } else { &content.event_name };
    let tags = content.tags.iter().flat_map(|it| [&it.tag, &it.value]);
    let mut texts = [name, &content.correlation_tag].into_iter().chain(tags);
    let shows = |it: &String| {
        ["ITEM.VALUE", "ITEM.LASTVALUE", "ITEM.LOG."].iter().any(|name| it.contains(name))
    };
    texts.any(shows) || value_macros(&content.opdata).next().is_some()
}

/// The name in pieces, and what its expression macros still lack.
fn name_of(texts: &Texts<'_>) -> (Vec<Part>, Vec<MacroValue>) {
    let zone = texts.sources.zone;
    let name = event_name(texts.trigger_row);
    let name = expanded(&name, texts.row, zone);
    let slice = |range: Range<usize>| name.get(range).unwrap_or_default();
    let (mut parts, mut values) = (Vec::new(), Vec::<MacroValue>::new());
    let text = |range| Part::Text(texts.expand(slice(range), Place::Name));
    let mut done = 0;
    for token in expression_macros(&name) {
        parts.push(text(done..token.span.start));
        done = token.span.end;
        let written = slice(token.macro_span);
        let known = values.iter().position(|it| *it.text == *written);
        let at = known.unwrap_or_else(|| {
            let state = MacroState::Open(Vec::new());
            values.push(MacroValue { text: written.into(), state });
            values.len() - 1
        });
        let params = token.params.map_or("", slice).to_owned();
        let func = token.func.map(|it| (slice(it).to_owned(), params));
        parts.push(Part::Macro(at, func));
    }
    parts.push(text(done..name.len()));
    (parts, values)
}

/// The values of `{ITEM.VALUE}` in the operational data, for later queries.
fn values_for_opdata(texts: &Texts<'_>) -> String {
    let values = value_macros(&texts.trigger.content.opdata).filter_map(|n| {
        let value = texts.value_at(texts.item(n)?, texts.time)?;
        Some((n, lang::value::plain(&value)))
    });
    write_values(values)
}
