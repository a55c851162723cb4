//! Triggers by what files call them: a name and expressions with the names of hosts and keys of now.

use std::sync::Arc;

use model::map::Map;
use model::snapshot::{Host, TriggerRow};
use model::{HostId, TriggerId};

use crate::configuration::editor::Editor;

/// A trigger by name and expressions.
pub(super) type Name = (String, String, String);

/// The triggers of hosts and templates by what a file calls them, white space that means nothing left out. Those of
/// one are gathered when its first trigger is searched: files name thousands of the same.
///
/// Each that is found is compared again, since changes of others are not followed.
#[derive(Default)]
pub(super) struct TriggersByName(Map<HostId, Map<Name, Vec<TriggerId>>>);

impl TriggersByName {
    pub(super) fn of(&mut self, e: &Editor, holder: &Arc<Host>) -> &Map<Name, Vec<TriggerId>> {
        self.0.entry(holder.id).or_insert_with(|| {
            let mut all: Map<Name, Vec<TriggerId>> = Map::default();
            for row in &holder.triggers {
                if let Some(name) = rendered(e, holder, row) {
                    all.entry(name).or_default().push(row.id);
                }
            }
            all
        })
    }

    /// A trigger was made or changed.
    pub(super) fn note(&mut self, e: &Editor, id: TriggerId) {
        let Some((holder, row)) = e.snapshot().trigger(id) else { return };
        let Some(known) = self.0.get_mut(&holder.id) else { return };
        let Some(name) = rendered(e, holder, row) else { return };
        let ids = known.entry(name).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
}

/// The name of a trigger in files.
pub(super) fn rendered(e: &Editor, holder: &Arc<Host>, row: &TriggerRow) -> Option<Name> {
    let content = &row.content;
    let text = |stored: &str| e.render_of(holder, stored, content).ok().map(|it| squeezed(&it));
    Some((
        content.description.clone(),
        text(&content.expression)?,
        text(&content.recovery_expression)?,
    ))
}

/// Without the white space that means nothing: all outside of quotes.
pub(super) fn squeezed(expression: &str) -> String {
    let (mut in_quotes, mut is_escaped) = (false, false);
    let mut out = String::with_capacity(expression.len());
    for char in expression.chars() {
        if char == '"' && !is_escaped {
            in_quotes = !in_quotes;
        }
        is_escaped = in_quotes && char == '\\' && !is_escaped;
        if in_quotes || !char.is_ascii_whitespace() {
            out.push(char);
        }
    }
    out
}
