//! What triggers and trigger prototypes have in common.

use std::sync::Arc;

use lang::expression::{NodeKind, parse_stored, render};
use model::content::{FunctionRef, TriggerContent};
use model::snapshot::{Host, TriggerRow};
use model::{TriggerId, function_id};
use serde_json::Value;

use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::json::{self, Scalar, number, text};
use crate::objects::common::parts::{LINE, LONG, NAME, SEVERITY, TAG, TRIGGER_REF};
use crate::objects::common::refs::{Item, Refs};
use crate::objects::common::resolve::{self, HostMacros, TriggerText, Values};
use crate::objects::triggers::masters::Masters;
use crate::query::{Column, Output, RowFamily};
use crate::shared::Ctx;

/// Triggers and trigger prototypes, each with its holder.
pub(crate) struct TriggerFamily;

pub(crate) type TriggerColumn = Column<TriggerFamily>;

impl RowFamily for TriggerFamily {
    type Reader<'a> = Reader<'a>;
    type Row<'a> = (&'a Arc<Host>, &'a TriggerRow);
    type Content = TriggerContent;

    fn content<'a>((_, row): Self::Row<'a>) -> &'a TriggerContent {
        &row.content
    }

    fn shown<'r, 'a>(
        reader: &'r Self::Reader<'a>,
        (_, row): Self::Row<'a>,
        value: Scalar<'r>,
    ) -> Scalar<'r> {
        match row.discovered() {
            None => value,
            found => Scalar::Tree(resolve::discovered(reader.ctx, value.value(), found)),
        }
    }
}

/// Fields of both.
pub(crate) const COMMON: &[TriggerColumn] = &[
    TriggerColumn::of_row(
        Field::new("triggerid", FieldType::Id, Rule::ReadOnly, "Id"),
        |_, (_, row)| Scalar::Id(row.id.0),
    ),
    TriggerColumn::of_row(
        Field::new("description", NAME, Rule::Required, "Name; may hold macros"),
        |reader, (holder, row)| {
            let name = row.name();
            if reader.expand.description {
                return Scalar::Made(reader.expanded_text(holder, row, &name).into());
            }
            Scalar::Made(name)
        },
    ),
    TriggerColumn::of_row(
        Field::new("expression", LONG, Rule::Required, "Problem expression"),
        |reader, (holder, row)| {
            Scalar::Made(reader.expression(holder, row, &row.content.expression).into())
        },
    ),
    TriggerColumn::of_content(
        Field::new(
            "event_name",
            FieldType::Text { max: 2_048 },
            Rule::Default(""),
            "Name of events",
        )
        .overridable(),
        |it| Scalar::Text(&it.event_name),
    ),
    TriggerColumn::of_content(
        Field::new("opdata", LINE, Rule::Default(""), "Operational data").overridable(),
        |it| Scalar::Text(&it.opdata),
    ),
    TriggerColumn::of_row(
        Field::new("comments", LONG, Rule::Default(""), "Description").overridable(),
        |reader, (holder, row)| {
            let comments = row.content.comments.as_str();
            if reader.expand.comment {
                return Scalar::Made(reader.expanded_text(holder, row, comments).into());
            }
            TriggerFamily::shown(reader, (holder, row), Scalar::Text(comments))
        },
    ),
    TriggerColumn::of_content(
        Field::new(
            "priority",
            SEVERITY,
            Rule::Default("0"),
            "Severity: 0 not classified … 5 disaster",
        )
        .overridable(),
        |it| Scalar::code(it.priority.code()),
    ),
    TriggerColumn::of_content(
        Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled").overridable(),
        |it| Scalar::code(it.status.code()),
    ),
    TriggerColumn::of_content(
        Field::new("type", FLAG, Rule::Default("0"), "1: each problem result makes an event")
            .overridable(),
        |it| Scalar::Flag(it.multiple),
    ),
    TriggerColumn::of_content(
        Field::new("url", FieldType::Text { max: 2_048 }, Rule::Default(""), "Address")
            .overridable(),
        |it| Scalar::Text(&it.url),
    ),
    TriggerColumn::of_content(
        Field::new(
            "url_name",
            FieldType::Text { max: 64 },
            Rule::Default(""),
            "Label of the address",
        )
        .overridable(),
        |it| Scalar::Text(&it.url_name),
    ),
    TriggerColumn::of_content(
        Field::new(
            "recovery_mode",
            FieldType::Code(&[0, 1, 2]),
            Rule::Default("0"),
            "0 expression, 1 recovery expression, 2 none",
        ),
        |it| Scalar::code(it.recovery_mode.code()),
    ),
    TriggerColumn::of_row(
        Field::new("recovery_expression", LONG, Rule::Default(""), "With recovery mode 1"),
        |reader, (holder, row)| {
            Scalar::Made(reader.expression(holder, row, &row.content.recovery_expression).into())
        },
    ),
    TriggerColumn::of_content(
        Field::new("correlation_mode", FLAG, Rule::Default("0"), "OK ends 0 all, 1 those of a tag"),
        |it| Scalar::code(it.correlation_mode.code()),
    ),
    TriggerColumn::of_content(
        Field::new("correlation_tag", LINE, Rule::Default(""), "The tag of mode 1"),
        |it| Scalar::Text(&it.correlation_tag),
    ),
    TriggerColumn::of_content(
        Field::new("manual_close", FLAG, Rule::Default("0"), "1: users may close problems"),
        |it| Scalar::Flag(it.manual_close),
    ),
    TriggerColumn::given_only(
        Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags of events").overridable(),
    ),
    TriggerColumn::given_only(
        Field::new(
            "dependencies",
            FieldType::List(TRIGGER_REF),
            Rule::Optional,
            "Triggers whose problems silence this one",
        )
        .overridable(),
    ),
    TriggerColumn::of_content(
        Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports of templates"),
        |it| Scalar::Text(&it.uuid),
    ),
    TriggerColumn::of_row(
        Field::new(
            "templateid",
            FieldType::Id,
            Rule::ReadOnly,
            "The trigger of the directly linked template that it comes from; 0: none",
        ),
        |_, (_, row)| Scalar::Id(row.source.0),
    ),
    TriggerColumn::of_row(
        Field::new(
            "flags",
            FieldType::Code(&[0, 2, 4]),
            Rule::ReadOnly,
            "0 plain, 2 prototype, 4 discovered",
        ),
        |_, (_, row)| Scalar::code(row.flags.code()),
    ),
];
/// The error of a trigger; prototypes have none.
pub(crate) const ERROR: Field =
    Field::new("error", LONG, Rule::ReadOnly, "Why the expression cannot be computed");

/// How texts are to be shown.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Expand {
    pub(crate) expression: bool,
    /// User macros stay in expressions: who edits one wants it as it is written.
    pub(crate) keeps_macros: bool,
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

    /// A text of a trigger with all its macros.
    pub(crate) fn expanded_text(
        &self,
        holder: &'a Arc<Host>,
        row: &'a TriggerRow,
        text: &str,
    ) -> String {
        let items = self.refs.in_text(holder, row);
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
        let written = self.rendered(holder, row, &stored, &functions);
        if self.expand.keeps_macros || !written.contains("{$") {
            return written;
        }
        HostMacros::lazy(self.ctx, holder).text(&written)
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
