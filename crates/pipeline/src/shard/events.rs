//! Events: their name and tags, with macros expanded at the moment they happen, and values for operational
//! data, which is expanded when it is asked for.

use std::ops::Range;
use std::sync::Arc;

use directory::{event_name, expanded, expression_macros};
use lang::value::{value_macros, write_values};
use model::Time;
use model::content::{Severity, TriggerContent};

use super::Shard;
use super::names::{Draft, MacroState, MacroValue, Part, What};
use super::texts::{Place, Texts};
use crate::effects::{Event, EventKind};

/// Characters of an event's name.
pub(super) const NAME_MAX: usize = 2_048;

impl Shard {
    /// An event of a trigger as it is at this moment, but for expression macros of its name.
    pub(super) fn draft(&self, host: u32, position: u32, time: Time, what: What) -> Option<Draft> {
        let plan = Arc::clone(&self.hosts.get(host)?.plan);
        let texts = Texts::new(self, (host, position), &plan, time)?;
        let (name, values) = name_of(&texts);
        let content = &texts.trigger.content;
        let is_problem = what == What::Problem;
        let event = Event {
            trigger: texts.trigger_row.id,
            host: plan.host().id,
            time,
            // Told when it is made.
            kind: EventKind::Problem,
            is_problem: false,
            severity: if is_problem { content.priority } else { Severity::NotClassified },
            name: String::new(),
            opdata: values_for_opdata(&texts),
            tags: texts.tags(what),
        };
        Some(Draft { event, name, values })
    }

    /// The tag by which a trigger's recoveries choose what they close, if they do.
    pub(super) fn correlation_tag(&self, host: u32, position: u32, time: Time) -> Option<String> {
        let plan = &self.hosts.get(host)?.plan;
        let trigger = plan.layout.triggers.get(position as usize)?;
        if !trigger.correlates() {
            return None;
        }
        let texts = Texts::new(self, (host, position), plan, time)?;
        Some(texts.expand(&trigger.content.correlation_tag, Place::Tag))
    }

    /// The slot of an item whose value at a moment an event of a trigger is to show, if only history
    /// has it.
    pub(super) fn lacks_value(&self, host: u32, position: u32, time: Time) -> Option<u32> {
        let host = self.hosts.get(host)?;
        let trigger = host.plan.layout.triggers.get(position as usize)?;
        let sources = self.sources();
        let mut slots = trigger.items.iter().filter_map(|it| host.plan.slots.get(*it));
        let lacks =
            |at: &u32| [time, self.now.wall].iter().any(|it| sources.value_at(*at, *it).is_err());
        slots.find(|at| lacks(at) && shows_values(&trigger.content))
    }
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
    let zone = &texts.shard.settings.zone;
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

/// What `{ITEM.VALUE}` of the operational data means, whenever that is asked for.
fn values_for_opdata(texts: &Texts<'_>) -> String {
    let values = value_macros(&texts.trigger.content.opdata).filter_map(|n| {
        let value = texts.value_at(texts.item(n)?, texts.time)?;
        Some((n, lang::value::plain(&value)))
    });
    write_values(values)
}

pub(super) fn cut(mut text: String, n_chars: usize) -> String {
    if n_chars < text.len()
        && let Some((at, _)) = text.char_indices().nth(n_chars)
    {
        text.truncate(at);
    }
    text
}
