//! Common parts of triggers and trigger prototypes.

use std::sync::Arc;

use db::objects::trigger as described;
use lang::expression::{NodeKind, parse_stored, render};
use model::content::{FunctionRef, TriggerContent};
use model::snapshot::{Host, TriggerRow};
use model::{TriggerId, function_id};
use serde_json::Value;

use crate::describe::{Field, FieldType, Rule, count, flattened};
use crate::json::{self, Scalar, number, text};
use crate::objects::common::parts::{FLAGS, LINE, LONG, TAG, TRIGGER_REF};
use crate::objects::common::refs::{Item, Refs};
use crate::objects::common::resolve::{self, HostMacros, TriggerText, Values};
use crate::objects::triggers::masters::Masters;
use crate::query::table;
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

/// Fields of both: names and texts, values of expressions, and related objects.
const ABOUT: &[TriggerColumn] = &[
    TriggerColumn::of_row(
        Field::new("triggerid", FieldType::Id, Rule::ReadOnly, "Id"),
        |_, (_, row)| Scalar::Id(row.id.0),
    ),
    TriggerColumn::of_row(described::DESCRIPTION.field, |reader, (holder, row)| {
        let name = row.name();
        if reader.expand.description {
            return Scalar::Made(reader.expanded_text(holder, row, &name).into());
        }
        Scalar::Made(name)
    }),
    TriggerColumn::of_row(described::EXPRESSION, |reader, (holder, row)| {
        Scalar::Made(reader.expression(holder, row, &row.content.expression).into())
    }),
    TriggerColumn::described(described::EVENT_NAME),
    TriggerColumn::described(described::OPDATA),
    TriggerColumn::of_row(described::COMMENTS.field, |reader, (holder, row)| {
        let comments = row.content.comments.as_str();
        if reader.expand.comment {
            return Scalar::Made(reader.expanded_text(holder, row, comments).into());
        }
        TriggerFamily::shown(reader, (holder, row), Scalar::Text(comments))
    }),
];
const FIRST: [TriggerColumn; described::FIRST.len()] = table::described(&described::FIRST);
const RECOVERY_EXPRESSION: TriggerColumn =
    TriggerColumn::of_row(described::RECOVERY_EXPRESSION, |reader, (holder, row)| {
        Scalar::Made(reader.expression(holder, row, &row.content.recovery_expression).into())
    });
const LAST: [TriggerColumn; described::LAST.len()] = table::described(&described::LAST);
const FURTHER: &[TriggerColumn] = &[
    TriggerColumn::given_only(
        Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags of events")
            .list_only()
            .overridable(),
    ),
    TriggerColumn::given_only(
        Field::new(
            "dependencies",
            FieldType::List(TRIGGER_REF),
            Rule::Optional,
            "Triggers that prevent problems of this one while they are in problem state",
        )
        .overridable(),
    ),
    TriggerColumn::described(described::UUID),
    TriggerColumn::of_row(
        Field::new(
            "templateid",
            FieldType::Id,
            Rule::ReadOnly,
            "The trigger of the directly linked template that it comes from; 0: none",
        ),
        |_, (_, row)| Scalar::Id(row.source.0),
    ),
    TriggerColumn::of_row(FLAGS, |_, (_, row)| Scalar::code(row.flags.code())),
];
const LISTS: &[&[TriggerColumn]] = &[ABOUT, &FIRST, &[RECOVERY_EXPRESSION], &LAST, FURTHER];
pub(crate) const COMMON: [TriggerColumn; count(LISTS)] = flattened(LISTS);
/// The error of a trigger; prototypes have none.
pub(crate) const ERROR: Field =
    Field::new("error", LONG, Rule::ReadOnly, "Why the expression cannot be computed");

/// The expansion of texts.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Expand {
    pub(crate) expression: bool,
    /// User macros stay in expressions: for a client that edits them.
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
