//! `urls` of events and problems: entries that webhooks give their menu.
//!
//! As in Zabbix an enabled webhook with `show_event_menu` has one, whose address and name may hold
//! `{EVENT.TAGS.name}`. There is no entry where one of these tags is missing.

use std::cell::OnceCell;
use std::sync::Arc;

use db::objects::mediatype::WEBHOOK;
use lang::macros::{FuncEnv, Resolution, Search, TokenKind, substitute};
use model::content::Tag;
use model::document::Document;
use serde_json::{Value, json};

use crate::shared::Ctx;

const TAG: &str = "EVENT.TAGS.";

/// The entries of one call.
#[derive(Default)]
pub(crate) struct EventMenu {
    kinds: OnceCell<Vec<Arc<Document>>>,
}

impl EventMenu {
    /// The menu entries of an event with these tags.
    pub(crate) fn of(&self, ctx: &Ctx, tags: &[Tag]) -> Value {
        let kinds = self.kinds.get_or_init(|| {
            let all = ctx.snapshot.documents.of("mediatype");
            let shows = |it: &&Arc<Document>| {
                let is = |field: &str, value: &str| it.text(field) == value;
                is("type", WEBHOOK) && is("status", "0") && is("show_event_menu", "1")
            };
            all.filter(shows).cloned().collect()
        });
        if kinds.is_empty() {
            return json!([]);
        }
        let mut tags: Vec<&Tag> = tags.iter().collect();
        tags.sort_by(|one, other| (&one.tag, &one.value).cmp(&(&other.tag, &other.value)));
        let entry = |it: &Arc<Document>| {
            let url = resolved(ctx, it.text("event_menu_url"), &tags)?;
            let name = resolved(ctx, it.text("event_menu_name"), &tags)?;
            ctx.admits_link(&url).then(|| json!({"url": url, "name": name}))
        };
        kinds.iter().filter_map(entry).collect()
    }
}

/// `None`: a tag is missing. Of several with one name the first one counts.
fn resolved(ctx: &Ctx, text: &str, tags: &[&Tag]) -> Option<String> {
    let mut is_whole = true;
    let env = FuncEnv::new(ctx.db().zone());
    let shown = substitute(text, Search::BASIC, &env, &mut |token, inner| {
        let name = inner.trim_start_matches('{').trim_end_matches('}');
        let Some(name) = name
            .strip_prefix(TAG)
            .filter(|_| matches!(token.kind, TokenKind::Macro | TokenKind::FuncMacro))
        else {
            return Resolution::Keep;
        };
        let name = name.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(name);
        match tags.iter().find(|it| it.tag == name) {
            Some(it) => Resolution::Value(it.value.clone()),
            None => {
                is_whole = false;
                Resolution::Keep
            }
        }
    });
    is_whole.then_some(shown)
}
