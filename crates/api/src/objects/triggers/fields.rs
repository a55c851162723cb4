//! What triggers and trigger prototypes have in common.

use std::sync::Arc;

use lang::expression::{NodeKind, parse_stored, render};
use model::content::{FunctionRef, TriggerContent};
use model::snapshot::{Host, TriggerRow};
use model::{TriggerId, function_id};
use serde_json::{Value, json};

use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::json::{self, flag, number, text};
use crate::objects::common::parts::{LINE, LONG, NAME, SEVERITY, TAG, TRIGGER_REF};
use crate::objects::common::refs::{Item, Refs};
use crate::objects::common::resolve::{self, TriggerText, Values};
use crate::objects::triggers::masters::Masters;
use crate::query::Output;
use crate::shared::Ctx;

/// Fields of both.
pub(crate) const COMMON: [Field; 22] = [
    Field::new("triggerid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("description", NAME, Rule::Required, "Name; may hold macros"),
    Field::new("expression", LONG, Rule::Required, "Problem expression"),
    Field::new("event_name", FieldType::Text { max: 2_048 }, Rule::Default(""), "Name of events")
        .overridable(),
    Field::new("opdata", LINE, Rule::Default(""), "Operational data").overridable(),
    Field::new("comments", LONG, Rule::Default(""), "Description").overridable(),
    Field::new("priority", SEVERITY, Rule::Default("0"), "Severity: 0 not classified … 5 disaster")
        .overridable(),
    Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled").overridable(),
    Field::new("type", FLAG, Rule::Default("0"), "1: each problem result makes an event")
        .overridable(),
    Field::new("url", FieldType::Text { max: 2_048 }, Rule::Default(""), "Address").overridable(),
    Field::new("url_name", FieldType::Text { max: 64 }, Rule::Default(""), "Label of the address")
        .overridable(),
    Field::new(
        "recovery_mode",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 expression, 1 recovery expression, 2 none",
    ),
    Field::new("recovery_expression", LONG, Rule::Default(""), "With recovery mode 1"),
    Field::new("correlation_mode", FLAG, Rule::Default("0"), "OK ends 0 all, 1 those of a tag"),
    Field::new("correlation_tag", LINE, Rule::Default(""), "The tag of mode 1"),
    Field::new("manual_close", FLAG, Rule::Default("0"), "1: users may close problems"),
    Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags of events").overridable(),
    Field::new(
        "dependencies",
        FieldType::List(TRIGGER_REF),
        Rule::Optional,
        "Triggers whose problems silence this one",
    )
    .overridable(),
    Field::new(
        "uuid",
        crate::objects::common::parts::UUID,
        Rule::Default(""),
        "Identity in exports of templates",
    ),
    Field::new(
        "templateid",
        FieldType::Id,
        Rule::ReadOnly,
        "The trigger of the directly linked template that it comes from; 0: none",
    ),
    Field::new(
        "flags",
        FieldType::Code(&[0, 2, 4]),
        Rule::ReadOnly,
        "0 plain, 2 prototype, 4 discovered",
    ),
    Field::new("error", LONG, Rule::ReadOnly, "Why the expression cannot be computed"),
];

/// How texts are to be shown.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Expand {
    pub(crate) expression: bool,
    pub(crate) description: bool,
    pub(crate) comment: bool,
}

/// Reads fields of trigger rows.
pub(crate) struct Reader<'a> {
    pub(crate) ctx: &'a Ctx,
    pub(crate) refs: Refs<'a>,
    pub(crate) masters: Masters<'a>,
    pub(crate) expand: Expand,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(ctx: &'a Ctx, expand: Expand) -> Self {
        let (refs, masters) = (Refs::new(&ctx.snapshot), Masters::new(&ctx.snapshot));
        Self { ctx, refs, masters, expand }
    }

    pub(crate) fn field(&self, holder: &'a Arc<Host>, row: &'a TriggerRow, name: &str) -> Value {
        let content = &*row.content;
        match name {
            "triggerid" => number(row.id),
            "description" if self.expand.description => {
                text(self.expanded_text(holder, row, &row.name()))
            }
            "description" => text(row.name()),
            "expression" => text(self.expression(holder, row, &content.expression)),
            "recovery_expression" => {
                text(self.expression(holder, row, &content.recovery_expression))
            }
            "comments" if self.expand.comment => {
                text(self.expanded_text(holder, row, &content.comments))
            }
            "templateid" => number(row.source),
            "flags" => number(row.flags.code()),
            _ => {
                let value = content_field(content, name);
                resolve::discovered(self.ctx, value, row.discovered())
            }
        }
    }

    /// A text of a trigger with all its macros.
    pub(crate) fn expanded_text(
        &self,
        holder: &'a Arc<Host>,
        row: &'a TriggerRow,
        text: &str,
    ) -> String {
        let items: Vec<Option<Item<'a>>> =
            self.refs.functions(holder, row).map(|(_, item)| item).collect();
        let shown = resolve::discovered_text(self.ctx, text, row.discovered());
        TriggerText { view: self.ctx.into(), items: &items, holder, values: Values::Newest }
            .expand(shown.as_deref().unwrap_or(text))
    }

    fn expression(&self, holder: &'a Arc<Host>, row: &'a TriggerRow, stored: &str) -> String {
        if stored.is_empty() {
            return String::new();
        }
        let mut functions = row.content.functions.clone();
        let mut stored = stored.to_owned();
        if let Some(found) = row.discovered() {
            let lld = lang::lld::RowIn::new(&found.row, self.ctx.db().zone());
            if let Ok((text, expanded)) = lang::lld::expand_stored(&stored, &functions, lld) {
                (stored, functions) = (text, expanded);
            }
        }
        if !self.expand.expression {
            return with_function_ids(&stored, row.id);
        }
        self.rendered(holder, row, &stored, &functions)
    }

    /// As users write it.
    fn rendered(
        &self,
        holder: &'a Arc<Host>,
        row: &'a TriggerRow,
        stored: &str,
        functions: &[FunctionRef],
    ) -> String {
        let mut name = |id| {
            let item = self.refs.item(holder, id, row.discovered());
            item.map(|(host, item)| (host.host.to_string(), item.key().into_owned()))
        };
        render(stored, functions, &mut name).unwrap_or_else(|_missing| stored.to_owned())
    }

    /// `functions` of `selectFunctions`.
    pub(crate) fn functions(
        &self,
        holder: &'a Arc<Host>,
        row: &'a TriggerRow,
        output: &Output,
    ) -> Value {
        let list = self.refs.functions(holder, row).enumerate();
        json::parts(FUNCTION, list, output, |(at, (function, item)), field| match field {
            "functionid" => number(function_id(row.id, u8::try_from(*at).unwrap_or(u8::MAX))),
            "itemid" => number(item.map_or(0, |(_, it)| it.id.0)),
            "triggerid" => number(row.id),
            "function" => text(function.function.as_str()),
            _ => text(function.parameter.as_str()),
        })
    }

    /// Each item of the trigger once.
    pub(crate) fn items(&self, holder: &'a Arc<Host>, row: &'a TriggerRow) -> Vec<Item<'a>> {
        self.refs.items(holder, row)
    }
}

pub(crate) const FUNCTION: &[Field] = &[
    Field::new("functionid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Item"),
    Field::new("triggerid", FieldType::Id, Rule::ReadOnly, "Trigger"),
    Field::new("function", LINE, Rule::ReadOnly, "Name"),
    Field::new("parameter", LINE, Rule::ReadOnly, "Parameters; $ is the item"),
];

/// Stored expressions name functions by position; the API by id.
fn with_function_ids(stored: &str, trigger: TriggerId) -> String {
    let Ok(parsed) = parse_stored(stored) else { return stored.to_owned() };
    let ast = &parsed.ast;
    let mut out = String::with_capacity(stored.len() + 16);
    let mut done = 0;
    for node in ast.nodes().iter().filter(|it| it.kind == NodeKind::FunctionId) {
        let position = ast.node_text(node).trim_matches(['{', '}']).parse().unwrap_or(u8::MAX);
        let range = node.range();
        out.push_str(ast.text().get(done..range.start).unwrap_or_default());
        out.push_str(&format!("{{{}}}", function_id(trigger, position)));
        done = range.end;
    }
    out.push_str(ast.text().get(done..).unwrap_or_default());
    out
}

fn content_field(content: &TriggerContent, name: &str) -> Value {
    match name {
        "event_name" => text(content.event_name.as_str()),
        "opdata" => text(content.opdata.as_str()),
        "comments" => text(content.comments.as_str()),
        "priority" => number(content.priority.code()),
        "status" => number(content.status.code()),
        "type" => flag(content.multiple),
        "url" => text(content.url.as_str()),
        "url_name" => text(content.url_name.as_str()),
        "recovery_mode" => number(content.recovery_mode.code()),
        "correlation_mode" => number(content.correlation_mode.code()),
        "correlation_tag" => text(content.correlation_tag.as_str()),
        "manual_close" => flag(content.manual_close),
        "uuid" => text(content.uuid.as_str()),
        "discover" => flag(!content.discover),
        _ => json!(null),
    }
}
