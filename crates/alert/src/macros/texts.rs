//! Replacing macros in one text.

use lang::macros::Search;

use super::expansion::{Above, Expansion, TEXT_BYTES_MAX};
use super::facts::MessageFacts;
use super::{names, objects};

const ABOVE: Above = Above { built_in: names::answer, hosts_of: objects::hosts_of };

/// `text` with its macros replaced, for a message or a command.
#[must_use]
pub fn expand(text: &str, facts: &dyn MessageFacts) -> String {
    if !text.contains('{') {
        return bounded(text.to_owned());
    }
    bounded(Expansion::new(facts, ABOVE).text(text, Search::TEXT))
}

/// Cut at the end of a character.
fn bounded(mut text: String) -> String {
    if TEXT_BYTES_MAX < text.len() {
        let mut end = TEXT_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}
