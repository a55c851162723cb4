//! An event on its way to be made, and what it is the event of.

use directory::NameMacro;
use formats::number::format_f64;
use lang::expression::Value as Computed;
use lang::macros::{FuncEnv, UNKNOWN, apply};

use super::super::functions::{Evaluated, Known};
use crate::effects::TriggerEvent;

/// The longest event name, in characters.
const NAME_MAX: usize = 2_048;

/// An event but for its name.
#[derive(Debug)]
pub(in super::super) struct Draft {
    pub(in super::super) event: TriggerEvent,
    pub(in super::super) name: Vec<Part>,
    pub(in super::super) values: Vec<MacroValue>,
}

/// A piece of an event's name.
#[derive(Debug)]
pub(in super::super) enum Part {
    Text(String),
    /// An expression macro: position in [`Draft::values`], a macro function with its parameters.
    Macro(usize, Option<(String, String)>),
}

/// The value of an expression macro at the event's time.
#[derive(Debug)]
pub(in super::super) struct MacroValue {
    /// As written.
    pub(in super::super) text: Box<str>,
    pub(in super::super) state: MacroState,
}

#[derive(Debug)]
pub(in super::super) enum MacroState {
    /// Its operands, as far as they are known.
    Open(Vec<Option<Known>>),
    Text(String),
    Unknown,
}

impl MacroValue {
    fn is_open(&self) -> bool {
        matches!(self.state, MacroState::Open(_))
    }

    pub(in super::super) fn find(
        &mut self,
        macros: &[NameMacro],
        mut find: impl FnMut(&directory::BoundFormula, &mut Vec<Option<Known>>) -> Option<Evaluated>,
    ) {
        let MacroState::Open(known) = &mut self.state else { return };
        let formula = macros.iter().find(|it| it.text == self.text).map(|it| &it.formula);
        // Another configuration, or an expression that does not compile.
        let Some(Ok(formula)) = formula else {
            self.state = MacroState::Unknown;
            return;
        };
        match find(formula, known) {
            None => {}
            Some(Evaluated::Value(value)) => {
                self.state = text_of(value).map_or(MacroState::Unknown, MacroState::Text);
            }
            Some(_) => self.state = MacroState::Unknown,
        }
    }
}

pub(in super::super) fn text_of(value: Computed) -> Option<String> {
    match value {
        Computed::Number(it) => Some(format_f64(it)),
        Computed::UInt(it) => Some(it.to_string()),
        Computed::Text(it) => Some(it),
        Computed::Vector(_) => None,
    }
}

impl Draft {
    pub(in super::super) fn is_whole(&self) -> bool {
        !self.values.iter().any(MacroValue::is_open)
    }

    /// Gives up on unknown values; returns how many macros stay without a value.
    pub(in super::super) fn give_up(&mut self) -> u64 {
        let mut n = 0;
        for it in self.values.iter_mut().filter(|it| it.is_open()) {
            it.state = MacroState::Unknown;
            n += 1;
        }
        n
    }

    pub(in super::super) fn finish(mut self, env: &FuncEnv<'_>) -> TriggerEvent {
        let mut name = String::new();
        for part in self.name {
            match part {
                Part::Text(it) => name.push_str(&it),
                Part::Macro(at, func) => {
                    let value = match self.values.get(at).map(|it| &it.state) {
                        Some(MacroState::Text(it)) => Some(it.as_str()),
                        _ => None,
                    };
                    let text = value.and_then(|value| match func {
                        Some((func, params)) => apply(&func, &params, value, env).ok(),
                        None => Some(value.to_owned()),
                    });
                    name.push_str(text.as_deref().unwrap_or(UNKNOWN));
                }
            }
        }
        self.event.name = cut(name, NAME_MAX);
        self.event
    }
}

/// As much of a text as an event's name may have.
pub(in super::super) fn as_name(text: &str) -> &str {
    text.get(..end_of(text, NAME_MAX)).unwrap_or(text)
}

pub(in super::super) fn cut(mut text: String, n_chars: usize) -> String {
    text.truncate(end_of(&text, n_chars));
    text
}

/// Where so many characters end.
fn end_of(text: &str, n_chars: usize) -> usize {
    if text.len() <= n_chars {
        return text.len();
    }
    text.char_indices().nth(n_chars).map_or(text.len(), |(at, _)| at)
}
