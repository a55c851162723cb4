//! Tests an item before it is saved: its steps over a value that is given, stored, or polled from its host
//! now.

use std::collections::BTreeMap;
use std::sync::Arc;

use db::objects::item as described;
use lang::lld::{RowIn, expand_key};
use model::content::{
    HostMacro, ItemContent, ItemFlags, ItemType, MacroType, OnFail, PreprocStep, Step,
};
use model::field_path::FieldPath;
use model::snapshot::{
    Discovered, HolderKind, Host, ItemExtra, ItemRow, LldRow, Patterns, Snapshot,
};
use model::{HostMacroId, InterfaceId, ItemId, Time, ValueType, limits};
use preprocess::test_request::{Trial, cut};
use serde_json::{Value, json};

use super::editable::editable;
use super::evaluate;
use crate::describe::{FLAG, Field, FieldType, Rule, count, flattened};
use crate::error::{ApiError, param};
use crate::json::{Fields, id_of, item_value, list_of, str_of};
use crate::objects::common::parts::STEP;
use crate::objects::common::resolve::HostMacros;
use crate::objects::items::fields::{BY_TYPE_FIRST, BY_TYPE_LAST, ITEM_KEY, ItemColumn, STATUS};
use crate::objects::items::rules as item_rules;
use crate::ports::{ExchangeLine, FetchQuery, FetchReport, TrialError};
use crate::query::table;
use crate::shared::Ctx;
use crate::validate::object_at_root;

/// As much as a body may hold.
const ANY: FieldType = FieldType::Text { max: usize::MAX };
/// A year.
const AGE_S_MAX: i64 = 366 * 86_400;

/// The fields of a check. Left out: as the saved item has it.
pub(crate) const ITEM: &[Field] = &optional(table::fields::<_, { COLUMNS.len() }>(&COLUMNS));
const CHECK: &[ItemColumn] = &[
    ItemColumn::described(described::check_type(described::ITEM_TYPE)),
    ITEM_KEY,
    STATUS,
    ItemColumn::described(described::DESCRIPTION),
];
const LISTS: &[&[ItemColumn]] = &[CHECK, &BY_TYPE_FIRST, &BY_TYPE_LAST];
const COLUMNS: [ItemColumn; count(LISTS)] = flattened(LISTS);

const fn optional<const N: usize>(mut fields: [Field; N]) -> [Field; N] {
    let mut at = 0;
    while at < N {
        fields[at].rule = Rule::Optional;
        at += 1;
    }
    fields
}

/// A macro with its given value.
pub(super) const TYPED_MACRO: &[Field] = &[
    Field::new("macro", ANY, Rule::Required, "As written, {$NAME:context} or {#NAME}"),
    Field::new("value", ANY, Rule::Required, "Its value"),
];

/// The parameters of `POST /api/v1/test/item`.
pub(crate) const REQUEST: &[Field] = &[
    Field::new("hostid", FieldType::Id, Rule::Required, "Host or template of the item"),
    Field::new("itemid", FieldType::Id, Rule::Optional, "The item, if it is saved"),
    Field::new(
        "source",
        FieldType::Text { max: 10 },
        Rule::Default("value"),
        "Source of the value: value (the field), latest (of the item), host (polled now, or computed)",
    ),
    Field::new(
        "item",
        FieldType::Object(ITEM),
        Rule::Optional,
        "With source host: fields that are not saved",
    ),
    Field::new("value", ANY, Rule::Default(""), "With source value"),
    Field::new("not_supported", FLAG, Rule::Default("0"), "1: the value is the text of an error"),
    Field::new(
        "value_type",
        described::VALUE_TYPE.field.kind,
        Rule::Default("4"),
        "What the item stores",
    ),
    Field::new(
        "steps",
        FieldType::List(STEP),
        Rule::Optional,
        "Preprocessing; user macros are resolved",
    ),
    Field::new(
        "macros",
        FieldType::List(TYPED_MACRO),
        Rule::Optional,
        "Values for user and discovery macros of the steps and, with source host, of the item, in place of what they have",
    ),
    Field::new("previous", ANY, Rule::Optional, "A value of before, for steps that compare"),
    Field::new(
        "previous_age_s",
        FieldType::Int { min: 0, max: AGE_S_MAX },
        Rule::Default("60"),
        "The time since the previous value",
    ),
];

pub(super) fn run(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(REQUEST, body)?;
    let holder = editable(ctx, &fields)?;
    let row = match id_of(&fields, "itemid") {
        Some(id) => Some(holder.item(ItemId(id)).ok_or_else(ApiError::no_permissions)?),
        None => None,
    };
    let Given { value: input, time, functions, exchange } = input(ctx, &fields, (holder, row))?;
    let macros = HostMacros::lazy(ctx, holder);
    let typed = typed_macros(&fields);
    let text = |text: &str| macros.text_with(text, &typed);
    let steps: Vec<PreprocStep> =
        list_of(&fields, "steps").map(|it| step(it, &text)).collect::<Result<_, _>>()?;
    let age_s = str_of(&fields, "previous_age_s").parse().unwrap_or(0);
    let previous = fields.get("previous").and_then(Value::as_str);
    let code = str_of(&fields, "value_type").parse().unwrap_or_default();
    let trial = Trial {
        value_type: ValueType::from_code(code).unwrap_or(ValueType::Text),
        previous: previous.map(|it| (it.to_owned(), time.plus_secs(-age_s))),
        input: input.clone(),
        steps,
        time,
        single: false,
    };
    let report = trial.run(&mut *ctx.ports().trials.scripts());
    let mut answer = report.to_json();
    let (shown, is_cut) = cut(input.as_ref().map_or_else(|it| it.as_str(), |it| it.as_str()));
    let is_cut = is_cut
        || str_of(&fields, "source") == "latest"
            && row.is_some_and(|row| {
                is_cut_when_stored(row.content.value_type, input.as_deref().unwrap_or_default())
            });
    answer["input"] = json!({
        "value": shown, "not_supported": input.is_err(), "truncated": is_cut,
        "clock": time.clock(),
    });
    if !functions.is_empty() {
        answer["functions"] = Value::Array(functions);
    }
    if !exchange.is_empty() {
        answer["exchange"] = transcript(&exchange);
    }
    // The steps after expanding macros; secret ones stay hidden.
    let shown = trial.steps.iter().zip(0_usize..);
    for (step, at) in shown {
        if let Some(written) = answer["steps"].get_mut(at) {
            written["params"] = json!(step.params);
        }
    }
    Ok(answer)
}

/// By their names.
fn typed_macros(fields: &Fields) -> BTreeMap<&str, &str> {
    list_of(fields, "macros").map(|it| (str_of(it, "macro"), str_of(it, "value"))).collect()
}

/// Whether a stored value has the greatest length: the received one was longer, almost certainly.
fn is_cut_when_stored(kind: ValueType, value: &str) -> bool {
    let max = match kind {
        ValueType::Text | ValueType::Log => limits::TEXT_VALUE_MAX,
        ValueType::Char => limits::CHAR_VALUE_MAX,
        _ => return false,
    };
    max <= value.len() && max <= value.chars().count()
}

/// A value that steps get, or the error in its place.
struct Given {
    value: Result<String, String>,
    time: Time,
    /// Of a calculated item, with the value of each.
    functions: Vec<Value>,
    /// Of an item that was polled, the exchange.
    exchange: Vec<ExchangeLine>,
}

impl Given {
    fn new(value: Result<String, String>, time: Time) -> Self {
        Self { value, time, functions: Vec::new(), exchange: Vec::new() }
    }
}

/// The exchange with a host, as the answer shows it.
pub(super) fn transcript(exchange: &[ExchangeLine]) -> Value {
    let line = |it: &ExchangeLine| json!({"by": it.by, "text": it.text, "left_out": it.left_out});
    exchange.iter().map(line).collect()
}

/// Polls a host for a value: the value, and the exchange; an error has the exchange with it.
pub(super) fn asked(
    ctx: &Ctx,
    query: &FetchQuery,
) -> Result<(Result<String, String>, Vec<ExchangeLine>), ApiError> {
    let FetchReport { value, exchange } = ctx.ports().trials.fetch(query);
    match value {
        Ok(value) => Ok((value, exchange)),
        Err(error) => Err(unreachable(&error)
            .with_exchange((!exchange.is_empty()).then(|| transcript(&exchange)))),
    }
}

pub(super) fn unreachable(error: &TrialError) -> ApiError {
    ApiError::application(format!("Cannot get a value from the host: {error}."))
}

fn input(
    ctx: &Ctx,
    fields: &Fields,
    (holder, row): (&Arc<Host>, Option<&ItemRow>),
) -> Result<Given, ApiError> {
    let needs_item = || ApiError::missing(FieldPath::root(), "itemid");
    match str_of(fields, "source") {
        "value" => {
            let value = str_of(fields, "value").to_owned();
            let is_error = str_of(fields, "not_supported") == "1";
            Ok(Given::new(if is_error { Err(value) } else { Ok(value) }, ctx.now))
        }
        "latest" => {
            let live = ctx.ports().live.item(row.ok_or_else(needs_item)?.id);
            match (live.error.filter(|_| live.is_unsupported), live.last) {
                (Some(error), _) => Ok(Given::new(Err(error.to_string()), ctx.now)),
                (None, Some(it)) => Ok(Given::new(Ok(item_value(&it.value)), it.time)),
                (None, None) => Err(ApiError::application("The item has no value yet.")),
            }
        }
        "host" => {
            if holder.kind == HolderKind::Template {
                return Err(ApiError::field(param("hostid"), "a template cannot be polled"));
            }
            let query = trial_request(ctx, fields, (holder, row))?;
            let edited = query.snapshot.hosts.get(&query.host);
            let edited = edited.and_then(|it| Some((it, it.item(query.item)?)));
            let is_calculated = |it: &ItemRow| it.content.kind == ItemType::Calculated;
            if let Some((host, calculated)) = edited.filter(|it| is_calculated(it.1)) {
                let (value, functions) = evaluate::formula(ctx, (holder, host), calculated)?;
                return Ok(Given { functions, ..Given::new(value, ctx.now) });
            }
            let (value, exchange) = asked(ctx, &query)?;
            Ok(Given { exchange, ..Given::new(value, ctx.shared.clock.wall()) })
        }
        _ => Err(ApiError::field(param("source"), "value must be one of value, latest, host")),
    }
}

/// The configuration with the item as it is edited, and with the macros that are typed in.
fn trial_request(
    ctx: &Ctx,
    fields: &Fields,
    (holder, row): (&Arc<Host>, Option<&ItemRow>),
) -> Result<FetchQuery, ApiError> {
    let given = fields.get("item").and_then(Value::as_object).filter(|it| !it.is_empty());
    let typed = typed_macros(fields);
    if let (Some(row), None, true) = (row, given, typed.is_empty()) {
        let snapshot = Arc::clone(&ctx.snapshot);
        return Ok(FetchQuery { snapshot, host: holder.id, item: row.id });
    }
    let as_saved = Fields::new();
    let given = match (row, given) {
        (None, None) => return Err(ApiError::missing(FieldPath::root(), "item")),
        (_, given) => given.unwrap_or(&as_saved),
    };
    let content = edited_content(row, given)?;
    let (of_discovery, of_users): (Vec<_>, Vec<_>) =
        typed.into_iter().partition(|(name, _)| name.starts_with("{#"));
    let lld = match row.and_then(ItemRow::discovered) {
        Some(it) if of_discovery.is_empty() => Some(Arc::clone(&it.row)),
        _ => (!of_discovery.is_empty()).then(|| Arc::new(LldRow::new(of_discovery))),
    };
    let discovered = lld.map(|row| discovered(ctx, &content, row)).transpose()?;
    // Behind all others: rows are sorted by id.
    let id = row.map_or(ItemId(u64::MAX), |it| it.id);
    let edited = ItemRow {
        id,
        source: ItemId::NONE,
        content: Arc::new(content),
        extra: discovered
            .map(|it| Box::new(ItemExtra { discovered: Some(it), ..ItemExtra::default() })),
        flags: ItemFlags::Plain,
    };
    let mut host = Host::clone(holder);
    for (name, value) in of_users {
        let old = host.macros.iter().find(|it| it.name == name);
        // One that is secret stays so.
        let is_secret = old.is_some_and(|it| it.kind != MacroType::Text);
        let kind = if is_secret { MacroType::Secret } else { MacroType::Text };
        set_macro(&mut host.macros, (name, value), kind);
    }
    match host.items.iter_mut().find(|it| it.id == id) {
        Some(row) => *row = edited,
        None => host.items.push(edited),
    }
    let mut snapshot = Snapshot::clone(&ctx.snapshot);
    snapshot.hosts.insert(host.id, Arc::new(host));
    Ok(FetchQuery { snapshot: Arc::new(snapshot), host: holder.id, item: id })
}

/// Gives a macro of the host the value that is typed in.
pub(super) fn set_macro(macros: &mut Vec<HostMacro>, (name, value): (&str, &str), kind: MacroType) {
    let typed = HostMacro {
        hostmacroid: HostMacroId::NONE,
        name: name.to_owned(),
        value: value.to_owned(),
        description: String::new(),
        kind,
    };
    match macros.iter_mut().find(|it| it.name == name) {
        Some(old) => *old = typed,
        None => macros.push(typed),
    }
}

/// The saved content, with the given fields in its place.
fn edited_content(row: Option<&ItemRow>, given: &Fields) -> Result<ItemContent, ApiError> {
    let mut content = row.map_or_else(ItemContent::default, |it| ItemContent::clone(&it.content));
    if row.is_some_and(|it| it.discovered().is_some()) {
        content.key_ = row.map(ItemRow::key).unwrap_or_default().into_owned();
    }
    let has = |name: &str| given.contains_key(name);
    let code = str_of(given, "type").parse().unwrap_or_default();
    content.kind = ItemType::from_code(code).filter(|_| has("type")).unwrap_or(content.kind);
    if has("key_") {
        let key = str_of(given, "key_");
        item_rules::check_key(key, &param("item").member("key_"))?;
        key.clone_into(&mut content.key_);
    }
    let mut content = merged(&content, given)?;
    if has("interfaceid") {
        content.interfaceid = InterfaceId(id_of(given, "interfaceid").unwrap_or_default());
    }
    Ok(content)
}

/// The item that discovery would create from a prototype with this row.
fn discovered(ctx: &Ctx, content: &ItemContent, row: Arc<LldRow>) -> Result<Discovered, ApiError> {
    let key = expand_key(&content.key_, RowIn::new(&row, ctx.db().zone()));
    let key =
        key.map_err(|error| ApiError::field(param("item").member("key_"), &error.to_string()))?;
    let mut discovered = Discovered::new(0, ItemId::NONE, row);
    let patterns = Patterns { key: &content.key_, name: &content.name };
    discovered.set_texts(patterns, &key, &content.name);
    Ok(discovered)
}

/// The content with the fields of checks that are given.
fn merged(content: &ItemContent, given: &Fields) -> Result<ItemContent, ApiError> {
    let mut object = json!(content);
    for field in ITEM.iter().filter(|field| !matches!(field.name, "type" | "key_")) {
        if let (Some(value), Some(old)) = (given.get(field.name), object.get_mut(field.name)) {
            *old = value.clone();
        }
    }
    serde_json::from_value(object).map_err(|it| ApiError::field(param("item"), &it.to_string()))
}

fn step(fields: &Fields, text: &dyn Fn(&str) -> String) -> Result<PreprocStep, ApiError> {
    let code = |name: &str| str_of(fields, name).parse::<i64>().unwrap_or_default();
    let kind = Step::from_code(code("type"));
    Ok(PreprocStep {
        kind: kind.ok_or_else(|| {
            ApiError::field(param("steps").member("type"), "value is not supported")
        })?,
        params: text(str_of(fields, "params")),
        error_handler: OnFail::from_code(code("error_handler")).unwrap_or(OnFail::Default),
        error_handler_params: text(str_of(fields, "error_handler_params")),
    })
}
