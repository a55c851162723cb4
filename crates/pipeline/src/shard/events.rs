//! Events: their name, operational data and tags, with macros expanded at the moment they happen.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use lang::macros::{Answer, FuncEnv, Search, TokenKind, split_index, substitute};
use model::content::{Severity, Tag, TriggerContent};
use model::snapshot::LldRow;
use model::{Time, limits};

use super::Shard;
use super::names::{Draft, MacroState, MacroValue, Part, What};
use crate::directory::{HostPlan, TriggerPlan, expanded, expression_macros, host_macro};
use crate::effects::{Event, EventKind};

impl Shard {
    /// An event of a trigger as it is at this moment, but for expression macros of its name.
    pub(super) fn draft(&self, host: u32, position: u32, time: Time, what: What) -> Option<Draft> {
        let plan = Arc::clone(&self.host(host)?.plan);
        let trigger = plan.layout.triggers.get(position as usize)?;
        let row = plan.host.triggers.get(trigger.row as usize)?;
        let content = &trigger.content;
        let texts = Texts {
            shard: self,
            plan: &plan,
            trigger,
            row: row.discovered().map(|it| it.row.as_ref()),
            name: row.name(),
            is_problem: what == What::Problem,
            time,
        };
        let (name, values) = if content.event_name.is_empty() {
            (vec![Part::Text(texts.expand(&texts.name))], Vec::new())
        } else {
            texts.event_name()
        };
        let event = Event {
            trigger: row.id,
            host: plan.host.id,
            time,
            // Told when it is made.
            kind: EventKind::Problem,
            is_problem: false,
            severity: if what == What::Problem {
                content.priority
            } else {
                Severity::NotClassified
            },
            name: String::new(),
            opdata: cut(texts.expand(&content.opdata), NAME_MAX),
            tags: texts.tags(what),
        };
        Some(Draft { event, name, values })
    }

    /// The tag by which a trigger's recoveries choose what they close, if they do.
    pub(super) fn correlation_tag(&self, host: u32, position: u32, time: Time) -> Option<String> {
        let plan = &self.host(host)?.plan;
        let trigger = plan.layout.triggers.get(position as usize)?;
        if !trigger.correlates() {
            return None;
        }
        let row = plan.host.triggers.get(trigger.row as usize)?;
        let texts = Texts {
            shard: self,
            plan,
            trigger,
            row: row.discovered().map(|it| it.row.as_ref()),
            name: row.name(),
            is_problem: false,
            time,
        };
        Some(texts.expand(&trigger.content.correlation_tag))
    }

    /// The slot of an item whose value at a moment an event of a trigger is to show, if only history
    /// has it.
    pub(super) fn lacks_value(&self, host: u32, position: u32, time: Time) -> Option<u32> {
        let host = self.host(host)?;
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
    let mut texts = [name, &content.opdata, &content.correlation_tag].into_iter().chain(tags);
    texts.any(|it| it.contains("ITEM.VALUE") || it.contains("ITEM.LASTVALUE"))
}

/// Characters of an event's name and operational data.
pub(super) const NAME_MAX: usize = 2_048;
/// Tags of one event.
const TAGS_MAX: usize = 256;

struct Texts<'a> {
    shard: &'a Shard,
    plan: &'a HostPlan,
    trigger: &'a TriggerPlan,
    row: Option<&'a LldRow>,
    name: Cow<'a, str>,
    is_problem: bool,
    time: Time,
}

impl Texts<'_> {
    /// The event name in pieces, and what its expression macros still lack.
    fn event_name(&self) -> (Vec<Part>, Vec<MacroValue>) {
        let zone = &self.shard.settings.zone;
        let name = expanded(&self.trigger.content.event_name, self.row, zone);
        let slice = |range: Range<usize>| name.get(range).unwrap_or_default();
        let (mut parts, mut values) = (Vec::new(), Vec::<MacroValue>::new());
        let mut done = 0;
        for token in expression_macros(&name) {
            parts.push(Part::Text(self.expand(slice(done..token.span.start))));
            done = token.span.end;
            let text = slice(token.macro_span);
            let known = values.iter().position(|it| *it.text == *text);
            let at = known.unwrap_or_else(|| {
                let state = MacroState::Open(Vec::new());
                values.push(MacroValue { text: text.into(), state });
                values.len() - 1
            });
            let params = token.params.map_or("", slice).to_owned();
            let func = token.func.map(|it| (slice(it).to_owned(), params));
            parts.push(Part::Macro(at, func));
        }
        parts.push(Part::Text(self.expand(slice(done..name.len()))));
        (parts, values)
    }

    fn expand(&self, text: &str) -> String {
        let text = self.plan.macros.expand_row(text, self.row);
        let mut search = Search::TEXT;
        search.references = text.contains('$');
        if !text.contains(['{', '$']) {
            return text;
        }
        let env = FuncEnv { now: self.time, ..FuncEnv::new(&self.shard.settings.zone) };
        substitute(&text, search, &env, &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => {
                self.plan.macros.shown(inner).map(|it| it.to_string()).into()
            }
            TokenKind::Macro | TokenKind::FuncMacro => {
                self.built_in(inner.trim_matches(['{', '}']))
            }
            TokenKind::Reference => self.constant(inner),
            // Evaluated in event names only.
            TokenKind::Expression
            | TokenKind::ExpressionFunc
            | TokenKind::ObjectId
            | TokenKind::LldMacro
            | TokenKind::LldFuncMacro
            | TokenKind::Variable
            | TokenKind::VariableFunc => Answer::Keep,
        })
    }

    /// `$1`: a constant of the expression.
    fn constant(&self, inner: &str) -> Answer {
        let index = inner.trim_start_matches('$').parse::<usize>().unwrap_or(0);
        let Ok(stored) = lang::expression::parse_stored(&self.trigger.content.expression) else {
            return Answer::Keep;
        };
        let constants = lang::expression::constants(&stored.ast);
        Answer::Value(constants.get(index.wrapping_sub(1)).cloned().unwrap_or_default())
    }

    fn built_in(&self, name: &str) -> Answer {
        let (name, index) = split_index(name);
        if let Some(rest) = name.strip_prefix("TRIGGER.") {
            return self.of_trigger(rest);
        }
        if name.starts_with("HOST.") || name == "HOSTNAME" || name == "IPADDRESS" {
            // Items of other hosts are known by name only.
            let position = self.item(index);
            let mirror = position.and_then(|it| self.plan.layout.mirror(it));
            return match (mirror, position) {
                (Some(mirror), _) if matches!(name, "HOST.HOST" | "HOST.NAME" | "HOSTNAME") => {
                    Answer::Value(mirror.host_name.to_string())
                }
                (Some(_), _) | (None, None) => Answer::Unknown,
                (None, Some(_)) => host_macro(&self.plan.host, name).into(),
            };
        }
        match name {
            "ITEM.VALUE" => self.value(index, self.time),
            "ITEM.LASTVALUE" => self.value(index, self.shard.now.wall),
            "ITEM.NAME" | "ITEM.NAME.ORIG" | "ITEM.KEY" | "ITEM.KEY.ORIG" | "ITEM.ID"
            | "ITEM.DESCRIPTION" | "ITEM.VALUETYPE" => self.of_item(name, index),
            _ => Answer::Keep,
        }
    }

    fn of_trigger(&self, what: &str) -> Answer {
        let content = &self.trigger.content;
        let host = &self.plan.host;
        Answer::Value(match what {
            "NAME" | "NAME.ORIG" => {
                // The name may itself hold macros; a name that names itself stays.
                if self.name.contains("{TRIGGER.NAME") {
                    self.name.clone().into_owned()
                } else {
                    self.expand(&self.name)
                }
            }
            "ID" => {
                let row = host.triggers.get(self.trigger.row as usize);
                row.map(|it| it.id.to_string()).unwrap_or_default()
            }
            "SEVERITY" => severity_name(content.priority).to_owned(),
            "NSEVERITY" => content.priority.code().to_string(),
            "STATUS" => (if self.is_problem { "PROBLEM" } else { "OK" }).to_owned(),
            "VALUE" => u8::from(self.is_problem).to_string(),
            "URL" => content.url.clone(),
            "DESCRIPTION" | "COMMENT" => content.comments.clone(),
            _ => return Answer::Keep,
        })
    }

    /// Position of the item of the function with this number in the expression.
    fn item(&self, index: usize) -> Option<u32> {
        *self.trigger.function_items.get(index.checked_sub(1)?)?
    }

    fn of_item(&self, name: &str, index: usize) -> Answer {
        let Some(position) = self.item(index) else { return Answer::Unknown };
        let layout = &self.plan.layout;
        let row = layout.item(position).and_then(|it| self.plan.host.items.get(it.row as usize));
        if let (None, Some(mirror)) = (row, layout.mirror(position)) {
            return match name {
                "ITEM.KEY" | "ITEM.KEY.ORIG" | "ITEM.NAME" => Answer::Value(mirror.key.to_string()),
                "ITEM.ID" => Answer::Value(mirror.item.to_string()),
                _ => Answer::Unknown,
            };
        }
        let Some(row) = row else { return Answer::Unknown };
        let row_macros = row.discovered().map(|it| it.row.as_ref());
        Answer::Value(match name {
            "ITEM.NAME" => self.plan.shown(&row.name(), row_macros),
            "ITEM.NAME.ORIG" => row.name().into_owned(),
            "ITEM.KEY" => self.plan.shown(&row.key(), row_macros),
            "ITEM.KEY.ORIG" => row.key().into_owned(),
            "ITEM.ID" => row.id.to_string(),
            "ITEM.VALUETYPE" => row.content.value_type.code().to_string(),
            _ => row.content.description.clone(),
        })
    }

    /// The value at a moment of the item of a function.
    fn value(&self, index: usize, time: Time) -> Answer {
        let value = self.item(index).and_then(|it| self.value_of(it, time));
        value.map_or(Answer::Unknown, Answer::Value)
    }

    fn value_of(&self, position: u32, time: Time) -> Option<String> {
        let at = self.plan.slots.get(position)?;
        let value = self.shard.sources().value_at(at, time).ok()??;
        let item = self.plan.layout.item(position)?;
        let host = &self.plan.host;
        let zone = &self.shard.settings.zone;
        let Some(row) = host.items.get(item.row as usize) else {
            return Some(lang::value::plain(&value));
        };
        let map = item.value_map.as_ref().map(|it| it.mappings.as_slice()).unwrap_or_default();
        Some(lang::value::format(&value, &row.content.units, map, zone))
    }

    /// Tags of the trigger, its host and its items: each pair once.
    fn tags(&self, what: What) -> Vec<Tag> {
        let host = &self.plan.host;
        let mut tags: Vec<Tag> = Vec::new();
        let mut add = |tag: Tag| {
            if !tag.tag.is_empty() && tags.len() < TAGS_MAX && !tags.contains(&tag) {
                tags.push(tag);
            }
        };
        // Events of problems that are closed by hand have the others only.
        let of_trigger = match what {
            What::Problem | What::Recovery => self.trigger.content.tags.as_slice(),
            What::Closing(..) => &[],
        };
        for it in of_trigger {
            add(Tag {
                tag: cut(self.expand(&it.tag), limits::TAG_MAX),
                value: cut(self.expand(&it.value), limits::TAG_MAX),
            });
        }
        for it in &host.tags {
            add(Tag {
                tag: self.plan.shown(&it.tag, None),
                value: cut(self.plan.shown(&it.value, None), limits::TAG_MAX),
            });
        }
        for position in &self.trigger.items {
            let item = self.plan.layout.item(*position);
            let Some(row) = item.and_then(|it| host.items.get(it.row as usize)) else { continue };
            let macros = row.discovered().map(|it| it.row.as_ref());
            for it in &row.content.tags {
                add(Tag {
                    tag: self.plan.shown(&it.tag, macros),
                    value: cut(self.plan.shown(&it.value, macros), limits::TAG_MAX),
                });
            }
        }
        tags
    }
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::NotClassified => "Not classified",
        Severity::Information => "Information",
        Severity::Warning => "Warning",
        Severity::Average => "Average",
        Severity::High => "High",
        Severity::Disaster => "Disaster",
    }
}

pub(super) fn cut(mut text: String, n_chars: usize) -> String {
    if n_chars < text.len()
        && let Some((at, _)) = text.char_indices().nth(n_chars)
    {
        text.truncate(at);
    }
    text
}
