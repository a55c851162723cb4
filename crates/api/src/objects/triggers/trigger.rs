//! Triggers: `trigger.*`.

use std::collections::BTreeSet;
use std::sync::Arc;

use db::events::{Unacknowledged, object, source};
use db::{EventQuery, ObjectKind};
use model::content::{ItemFlags, UiElement};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::{Host, TriggerRow};
use model::version::Version;
use model::{GroupId, ItemId, Time, TriggerId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, Writes, joined,
};
use crate::error::{ApiError, ErrorClass};
use crate::json::{self, Fields, Scalar, list_of, number, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::holder;
use crate::objects::common::items;
use crate::objects::common::parts::{LOST_AND_DISABLED, TAG, tags};
use crate::objects::common::refs::Refs;
use crate::objects::common::resolve;
use crate::objects::common::scope::{Get, Scope, is_monitored};
use crate::objects::common::tag_filter::RowTagFilter;
use crate::objects::common::triggers;
use crate::objects::problems::visibility::is_visible;
use crate::objects::triggers::fields::{
    COMMON, ERROR, Expand, FUNCTION, Reader, TriggerColumn, TriggerFamily,
};
use crate::objects::triggers::masters::{self, Masters};
use crate::ports::TriggerLive;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Options, Output, Rows, SortKey, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// Where a discovered trigger comes from.
const DISCOVERY: &[Field] = &joined::<_, 7>(
    &[
        Field::new("triggerid", FieldType::Id, Rule::ReadOnly, "The trigger"),
        Field::new("parent_triggerid", FieldType::Id, Rule::ReadOnly, "The prototype"),
    ],
    &LOST_AND_DISABLED,
);

const OWN: &[TriggerColumn] = &[
    TriggerColumn::of_row(ERROR, |reader, (_, row)| {
        let error = live(reader.ctx, row).error;
        Scalar::Made(error.map_or_else(Default::default, |it| it.to_string().into()))
    }),
    TriggerColumn::of_row(
        Field::new("value", FLAG, Rule::ReadOnly, "0 OK, 1 problem"),
        |reader, (_, row)| Scalar::Flag(live(reader.ctx, row).is_problem),
    ),
    TriggerColumn::of_row(
        Field::new("state", FLAG, Rule::ReadOnly, "0 up to date, 1 unknown"),
        |reader, (_, row)| Scalar::Flag(live(reader.ctx, row).error.is_some()),
    ),
    TriggerColumn::of_row(
        Field::new(
            "lastchange",
            FieldType::Timestamp,
            Rule::ReadOnly,
            "When its newest event happened",
        ),
        |reader, (_, row)| Scalar::Number(live(reader.ctx, row).last_change.clock()),
    ),
];
const COLUMNS: [TriggerColumn; COMMON.len() + OWN.len()] = joined(&COMMON, OWN);
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

fn live(ctx: &Ctx, row: &TriggerRow) -> TriggerLive {
    ctx.ports().live.trigger(row.id)
}

const PARAMS: &[&str] = &[
    "triggerids",
    "groupids",
    "templateids",
    "hostids",
    "itemids",
    "functions",
    "group",
    "host",
    "inherited",
    "templated",
    "dependent",
    "maintenance",
    "monitored",
    "active",
    "withUnacknowledgedEvents",
    "withAcknowledgedEvents",
    "withLastEventUnacknowledged",
    "skipDependent",
    "lastChangeSince",
    "lastChangeTill",
    "only_true",
    "min_severity",
    "severities",
    "expandComment",
    "expandDescription",
    "expandExpression",
    "expandMacros",
    "evaltype",
    "tags",
    "limitSelects",
];

pub(crate) const OBJECT: Object = Object {
    name: "trigger",
    type_name: "Trigger",
    nouns: Nouns { one: "a trigger", several: "triggers" },
    resource: Some(13),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["uuid"], &["description", "expression"]],
    }),
    id: "triggerid",
    ids: "triggerids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).limited("host").countable(),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectGroups", "groups", Gives::Objects("hostgroup")).until(Version::V7_0),
        Select::new("selectTemplateGroups", "templategroups", Gives::Objects("templategroup")),
        Select::new("selectItems", "items", Gives::Objects("item")).countable(),
        Select::new("selectFunctions", "functions", Gives::Parts(FUNCTION)),
        Select::new("selectDependencies", "dependencies", Gives::Objects("trigger")).countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectTriggerDiscovery", "triggerDiscovery", Gives::Part(DISCOVERY)),
        Select::new("selectDiscoveryData", "discoveryData", Gives::Part(DISCOVERY))
            .since(Version::V7_4),
        Select::new("selectLastEvent", "lastEvent", Gives::Object("event")),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
    ],
    params: Params::of(PARAMS).filtered_by_owner(&["host"]),
    sort: &["triggerid", "description", "status", "priority", "lastchange", "hostname"],
    doc: "An expression over items that creates problems",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("trigger.get", get),
        Method::edit("trigger.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("trigger.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("trigger.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Triggers(rows) = rows else { return json!([]) };
    let reader = Reader::new(ctx, Expand::default());
    query::related(&OBJECT, &TriggerRows::new(reader), rows.into_iter(), output)
});

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::Trigger, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    may_change_kind(ctx, id, |it| it != ItemFlags::Prototype)
}

pub(crate) fn may_change_kind(ctx: &Ctx, id: u64, kind: fn(ItemFlags) -> bool) -> bool {
    let Some((holder, row)) = ctx.snapshot.trigger(TriggerId(id)) else { return false };
    kind(row.flags) && triggers::hosts(ctx, holder, row).iter().all(|it| ctx.may_write(it))
}

fn check(ctx: &Ctx, fields: &mut Fields, _: Mode, path: &FieldPath) -> Result<(), ApiError> {
    check_kind(ctx, fields, path, ("trigger", |it| it != ItemFlags::Prototype))
}

/// Permissions on an expression's objects and on dependencies, and rules of modes. A trigger depends on
/// triggers, a prototype on both.
pub(crate) fn check_kind(
    ctx: &Ctx,
    fields: &mut Fields,
    path: &FieldPath,
    (noun, may_depend): (&str, fn(ItemFlags) -> bool),
) -> Result<(), ApiError> {
    for field in ["expression", "recovery_expression"] {
        let Some(expression) = fields.get(field).and_then(Value::as_str) else { continue };
        check_expression(ctx, expression, &path.member(field))?;
    }
    checks::unique_tags(fields, path)?;
    checks::url(ctx, json::str_of(fields, "url"), &path.member("url"))?;
    check_modes(ctx, fields)?;
    check_uuid(ctx, fields, (path, noun))?;
    for it in list_of(fields, "dependencies") {
        let id = TriggerId(json::id_of(it, "triggerid").unwrap_or_default());
        let found = ctx.snapshot.trigger(id);
        let may = found.is_some_and(|(holder, row)| {
            may_depend(row.flags) && triggers::is_readable(ctx, holder, row)
        });
        if !may {
            return Err(ApiError::no_permissions());
        }
    }
    Ok(())
}

/// Triggers of templates have identities of their own, those of hosts none.
fn check_uuid(
    ctx: &Ctx,
    fields: &Fields,
    (path, noun): (&FieldPath, &str),
) -> Result<(), ApiError> {
    let uuid = json::str_of(fields, "uuid");
    if uuid.is_empty() {
        return Ok(());
    }
    let templates = &ctx.snapshot.templates;
    let old = json::id_of(fields, "triggerid").and_then(|it| ctx.snapshot.trigger(TriggerId(it)));
    let is_template = match old {
        Some((holder, _)) => templates.contains_key(&holder.id),
        None => lang::expression::parse(json::str_of(fields, "expression")).is_ok_and(|it| {
            let first = it.history_calls().iter().find_map(|call| it.query(call));
            first.is_some_and(|it| ctx.snapshot.template_named(it.host).is_some())
        }),
    };
    checks::uuid(fields, is_template, path)?;
    let is_prototype = noun != "trigger";
    let is_taken = |it: &TriggerRow| {
        it.content.uuid == uuid
            && it.source.is_none()
            && (it.flags == ItemFlags::Prototype) == is_prototype
            && old.is_none_or(|(_, old)| old.id != it.id)
    };
    checks::free_uuid(fields, (path, noun), |_| {
        templates.values().any(|it| it.triggers.iter().any(is_taken))
    })
}

/// An expression of its own is for recovery mode 1, a tag for correlation by tag. Omitted fields keep their
/// values, unless the mode does not use them.
fn check_modes(ctx: &Ctx, fields: &mut Fields) -> Result<(), ApiError> {
    let old = json::id_of(fields, "triggerid").and_then(|it| ctx.snapshot.trigger(TriggerId(it)));
    let old = old.map(|(_, row)| &*row.content);
    let given = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let wrong = |name: &str, what: &str| {
        let text = format!("Incorrect value for field \"{name}\": {what}.");
        Err(ApiError::new(ErrorClass::InvalidParams, text))
    };
    let recovery = given("recovery_mode")
        .or_else(|| old.map(|it| it.recovery_mode.code().to_string()))
        .unwrap_or_default();
    let has_own = recovery == "1";
    let expression = given("recovery_expression");
    let old_expression = old.map_or("", |it| &it.recovery_expression);
    match expression.as_deref() {
        Some("") if has_own => return wrong("recovery_expression", "cannot be empty"),
        None if has_own && old_expression.is_empty() => {
            return wrong("recovery_expression", "cannot be empty");
        }
        Some(it) if !has_own && !it.is_empty() => {
            return wrong("recovery_expression", "should be empty");
        }
        _ => {}
    }
    let is_kept = recovery != "2";
    let mode = given("correlation_mode")
        .or_else(|| old.filter(|_| is_kept).map(|it| it.correlation_mode.code().to_string()));
    let by_tag = mode.as_deref() == Some("1");
    let tag = given("correlation_tag");
    let old_tag = old.filter(|_| by_tag).map_or("", |it| &it.correlation_tag);
    if by_tag && !is_kept {
        return wrong("correlation_mode", "unexpected value \"1\"");
    }
    match tag.as_deref().unwrap_or(old_tag) {
        "" if by_tag => return wrong("correlation_tag", "cannot be empty"),
        it if !by_tag && !it.is_empty() => return wrong("correlation_tag", "should be empty"),
        _ => {}
    }
    if !by_tag && old.is_some_and(|it| !it.correlation_tag.is_empty()) {
        fields.insert("correlation_mode".to_owned(), text("0"));
        fields.insert("correlation_tag".to_owned(), text(""));
    }
    Ok(())
}

/// All hosts that an expression names must be the user's to change.
fn check_expression(ctx: &Ctx, expression: &str, path: &FieldPath) -> Result<(), ApiError> {
    if ctx.is_super_admin() || expression.is_empty() {
        return Ok(());
    }
    let parsed = lang::expression::parse(expression);
    let parsed = parsed.map_err(|error| ApiError::field(path, &error.to_string()))?;
    for query in parsed.history_calls().iter().filter_map(|it| parsed.query(it)) {
        let snapshot = &ctx.snapshot;
        let holder =
            snapshot.host_named(query.host).or_else(|| snapshot.template_named(query.host));
        if holder.is_some_and(|it| !ctx.may_write(it)) {
            return Err(ApiError::no_permissions());
        }
    }
    Ok(())
}

/// Rows of `trigger.get`.
pub(crate) type TriggerRows<'a> = TableRows<'a, Triggers>;

pub(crate) struct Triggers;

impl Table for Triggers {
    type Family = TriggerFamily;

    fn columns() -> &'static [TriggerColumn] {
        const { &COLUMNS }
    }

    fn sort_key<'r, 'a>(
        _: &'r ReaderOf<'a, Self>,
        (holder, _): RowOf<'a, Self>,
        name: &str,
    ) -> Option<SortKey<'r>> {
        (name == "hostname").then(|| SortKey::text(&*holder.name))
    }

    fn group_ids<'a>(
        reader: &ReaderOf<'a, Self>,
        (holder, row): RowOf<'a, Self>,
        name: &str,
    ) -> Option<Vec<String>> {
        let hosts = || reader.refs.hosts(holder, row);
        match name {
            "hostid" => Some(hosts().iter().map(|it| it.id.to_string()).collect()),
            "groupid" => {
                let groups: BTreeSet<GroupId> =
                    hosts().iter().flat_map(|it| it.groups.iter().copied()).collect();
                Some(groups.iter().map(ToString::to_string).collect())
            }
            "itemid" => {
                let items = reader.items(holder, row);
                Some(items.iter().map(|(_, it)| it.id.to_string()).collect())
            }
            _ => None,
        }
    }

    fn select<'a>(
        reader: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        select_of(reader, row, select, output)
    }
}

/// Selects of triggers and trigger prototypes.
pub(crate) fn select_of<'a>(
    reader: &Reader<'a>,
    (holder, row): (&'a Arc<Host>, &'a TriggerRow),
    select: &Select,
    output: &Output,
) -> Result<Value, ApiError> {
    let ctx = reader.ctx;
    let hosts = || reader.refs.hosts(holder, row);
    Ok(match select.param {
        "selectHosts" => ctx.related(select, Related::Holders(hosts()), output),
        "selectHostGroups" | "selectGroups" => {
            ctx.related(select, Related::Groups(holder::group_ids(&hosts())), output)
        }
        "selectTemplateGroups" => {
            ctx.related(select, Related::Groups(holder::template_group_ids(&hosts())), output)
        }
        "selectItems" => ctx.related(select, Related::Items(reader.items(holder, row)), output),
        "selectFunctions" => reader.functions(holder, row, output),
        "selectTags" => resolve::discovered(ctx, tags(&row.content.tags, output), row.discovered()),
        "selectDependencies" => {
            let masters = reader.masters.of((holder, row)).into_iter();
            let readable = masters.filter(|(of, row)| triggers::is_readable(ctx, of, row));
            ctx.related(select, Related::Triggers(readable.collect()), output)
        }
        "selectDiscoveryRule" => {
            let rule = row.discovered().map(|it| it.rule).or(row.content.ruleid.some());
            let rule = rule.map_or_else(Vec::new, |it| items::rule_above(ctx, holder, it));
            ctx.related(select, Related::Items(rule), output)
        }
        "selectDiscoveryRulePrototype" => {
            let rule = items::rule_prototype_above(ctx, holder, row.content.ruleid);
            ctx.related(select, Related::Items(rule), output)
        }
        "selectTriggerDiscovery" | "selectDiscoveryData" => discovery(row, output),
        "selectLastEvent" => last_event(ctx, row.id, select, output)?,
        _ if *output == Output::Count => json!("0"),
        _ => json!([]),
    })
}

fn discovery(row: &TriggerRow, output: &Output) -> Value {
    let Some(found) = row.discovered() else { return json!([]) };
    json::part(DISCOVERY, output, |field| match field {
        "triggerid" => number(row.id),
        "parent_triggerid" => number(found.prototype),
        _ => items::discovered_field(found, triggers::is_enabled(row), field),
    })
}

/// Events of a trigger among which the latest one is searched: this many may have arrived late after it. All
/// of them by time would be a read of each event that the trigger ever had.
const LATE_EVENTS_MAX: usize = 20;

/// The latest event of the trigger, of whatever value: late values give later events earlier times.
fn last_event(
    ctx: &Ctx,
    id: TriggerId,
    select: &Select,
    output: &Output,
) -> Result<Value, ApiError> {
    let changed = ctx.ports().live.trigger(id).last_change;
    if changed == Time::ZERO {
        return Ok(json!([]));
    }
    let events = ctx.db().events();
    let query = EventQuery {
        objectids: Some(vec![id.0]),
        source: Some(source::TRIGGER),
        object: Some(object::TRIGGER),
        is_descending: true,
        limit: LATE_EVENTS_MAX,
        ..EventQuery::default()
    };
    let found = events.query(&query)?;
    let latest = found.iter().max_by_key(|it| (it.time, it.eventid));
    let Some(event) = latest.filter(|it| is_visible(ctx, it)) else {
        return Ok(json!([]));
    };
    let problem = events.problem(event.eventid);
    Ok(ctx.related(select, Related::Event(event, problem.as_deref()), output))
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let expand = Expand {
        expression: get.flag("expandExpression"),
        keeps_macros: get.side("expandMacros") == Some(false),
        description: get.flag("expandDescription"),
        comment: get.flag("expandComment"),
    };
    let filter = TriggerFilter::of_triggers(&mut get)?;
    let rows = TriggerRows::new(Reader::new(ctx, expand));
    filter.answer(ctx, &OBJECT, &rows, &get.options)
}

/// The parameters that `trigger.get` and `triggerprototype.get` share in addition to the common ones.
pub(crate) struct TriggerFilter {
    scope: Scope,
    kind: fn(ItemFlags) -> bool,
    ids: Option<Vec<u64>>,
    items: Option<Set<u64>>,
    rules: Option<Set<u64>>,
    inherited: Option<bool>,
    dependent: Option<bool>,
    /// `monitored` also asks for enabled items; `active` does not.
    monitored: bool,
    active: bool,
    /// Of hosts in maintenance, or of others.
    maintenance: Option<bool>,
    only_true: bool,
    skip_dependent: bool,
    min_severity: Option<i64>,
    severities: Option<Vec<i64>>,
    /// Names of functions, one of which the expressions use.
    functions: Option<Vec<String>>,
    since: Option<i64>,
    till: Option<i64>,
    tags: RowTagFilter,
    unacknowledged: Vec<Unacknowledged>,
    all_acknowledged: bool,
}

impl TriggerFilter {
    fn of_triggers(get: &mut Get<'_>) -> Result<Self, ApiError> {
        let own = Self::shared(get, |it| it != ItemFlags::Prototype)?;
        let mut unacknowledged = Vec::new();
        for (flag, which) in [
            ("withUnacknowledgedEvents", Unacknowledged::Any),
            ("withLastEventUnacknowledged", Unacknowledged::Last),
        ] {
            if get.flag(flag) {
                unacknowledged.push(which);
            }
        }
        Ok(Self {
            dependent: get.side("dependent"),
            only_true: get.flag("only_true"),
            skip_dependent: get.flag("skipDependent"),
            severities: get.numbers("severities")?,
            since: get.number("lastChangeSince")?,
            till: get.number("lastChangeTill")?,
            tags: get.row_tags()?,
            unacknowledged,
            all_acknowledged: get.flag("withAcknowledgedEvents"),
            ..own
        })
    }

    /// Of prototypes, which have neither events nor states; their tags are not asked for.
    pub(crate) fn of_prototypes(get: &mut Get<'_>) -> Result<Self, ApiError> {
        let rules = get.id_set("discoveryids")?.map(|it| items::rules_with_prototypes(get.ctx, it));
        Ok(Self { rules, ..Self::shared(get, |it| it == ItemFlags::Prototype)? })
    }

    fn shared(get: &mut Get<'_>, kind: fn(ItemFlags) -> bool) -> Result<Self, ApiError> {
        Ok(Self {
            ids: get.ids("triggerids")?,
            items: get.id_set("itemids")?,
            rules: None,
            inherited: get.side("inherited"),
            dependent: None,
            monitored: get.flag("monitored"),
            active: get.flag("active"),
            maintenance: get.side("maintenance"),
            only_true: false,
            skip_dependent: false,
            min_severity: get.number("min_severity")?,
            severities: None,
            functions: get.param("functions").map(query::texts),
            since: None,
            till: None,
            tags: RowTagFilter::default(),
            unacknowledged: Vec::new(),
            all_acknowledged: false,
            scope: Scope::of_parts(get)?,
            kind,
        })
    }

    pub(crate) fn answer<'c, R>(
        &self,
        ctx: &'c Ctx,
        object: &Object,
        rows: &R,
        options: &Options,
    ) -> Result<Answer, ApiError>
    where
        R: Rows<Row = (&'c Arc<Host>, &'c TriggerRow)>,
    {
        let (masters, refs) = (Masters::new(&ctx.snapshot), Refs::new(&ctx.snapshot));
        let admits = |row: (&'c Arc<Host>, &'c TriggerRow)| {
            self.maintenance.is_none_or(|it| is_in_maintenance(ctx, &refs, row) == it)
                && (!self.monitored || triggers::is_monitored(&refs, row.0, row.1))
                && self.admits(ctx, row.0, row.1)
                && self.dependent.is_none_or(|it| it != masters.of(row).is_empty())
        };
        if let Some(ids) = &self.ids {
            let found = ids.iter().filter_map(|it| ctx.snapshot.trigger(TriggerId(*it)));
            let of_any = |(holder, row): &(&'c Arc<Host>, &'c TriggerRow)| {
                let is_of = |it: &&'c Arc<Host>| self.scope.admits(ctx, it);
                is_of(holder) || self.scope.is_narrow() && refs.hosts(holder, row).iter().any(is_of)
            };
            let found = found.filter(of_any).filter(|it| admits(*it));
            return self.narrowed(ctx, object, rows, options, found);
        }
        let holders = self.holders(ctx);
        let others = self.of_others(ctx, &holders);
        let found = holders.into_iter().flat_map(|holder| {
            holder.triggers.iter().map(move |row| (holder, row)).filter(|it| admits(*it))
        });
        let others = others.into_iter().filter(|it| admits(*it));
        self.narrowed(ctx, object, rows, options, found.chain(others))
    }

    /// Triggers that are stored with other hosts and use items of these, each once.
    fn of_others<'c>(
        &self,
        ctx: &'c Ctx,
        holders: &[&'c Arc<Host>],
    ) -> Vec<(&'c Arc<Host>, &'c TriggerRow)> {
        if self.items.is_some() || !self.scope.is_narrow() {
            return Vec::new();
        }
        let cross = ctx.cross_triggers();
        let ids: BTreeSet<TriggerId> =
            holders.iter().flat_map(|it| cross.of_host(it.id)).copied().collect();
        let found = ids.into_iter().filter_map(|it| ctx.snapshot.trigger(it));
        let is_other =
            |holder: &Host| holders.binary_search_by_key(&holder.id, |it| it.id).is_err();
        found.filter(|(holder, _)| is_other(holder)).collect()
    }

    /// The answer over triggers that pass the conditions on one trigger alone; conditions on stored events or
    /// on other triggers are checked for all of them at once.
    fn narrowed<'c, R>(
        &self,
        ctx: &'c Ctx,
        object: &Object,
        rows: &R,
        options: &Options,
        found: impl Iterator<Item = (&'c Arc<Host>, &'c TriggerRow)>,
    ) -> Result<Answer, ApiError>
    where
        R: Rows<Row = (&'c Arc<Host>, &'c TriggerRow)>,
    {
        let asks_more =
            self.skip_dependent || self.all_acknowledged || !self.unacknowledged.is_empty();
        if !asks_more {
            return query::answer(object, rows, found, options);
        }
        let mut hits: Vec<R::Row> =
            found.filter(|row| query::is_hit(object, rows, row, options)).collect();
        if self.skip_dependent {
            hits = masters::without_dependent(ctx, hits);
        }
        for which in &self.unacknowledged {
            let wanted = unacknowledged(ctx, &hits, *which)?;
            hits.retain(|(_, row)| wanted.contains(&row.id.0));
        }
        if self.all_acknowledged {
            let unwanted = unacknowledged(ctx, &hits, Unacknowledged::Any)?;
            hits.retain(|(_, row)| !unwanted.contains(&row.id.0));
        }
        query::answer(object, rows, hits.into_iter(), options)
    }

    /// Triggers of items are looked for on the items' holders.
    fn holders<'c>(&self, ctx: &'c Ctx) -> Vec<&'c Arc<Host>> {
        let Some(items) = &self.items else { return self.scope.holders(ctx) };
        let cross = ctx.cross_triggers();
        let others = items.iter().flat_map(|it| cross.of(ItemId(*it)));
        let others = others.filter_map(|it| Some(ctx.snapshot.trigger(*it)?.0));
        let of = items.iter().filter_map(|it| ctx.snapshot.item_holder(ItemId(*it))).chain(others);
        let mut holders: Vec<&Arc<Host>> = of.filter(|it| self.scope.admits(ctx, it)).collect();
        holders.sort_unstable_by_key(|it| it.id);
        holders.dedup_by_key(|it| it.id);
        holders
    }

    fn admits(&self, ctx: &Ctx, holder: &Arc<Host>, row: &TriggerRow) -> bool {
        (self.kind)(row.flags)
            && self.inherited.is_none_or(|it| it == row.source.is_some())
            && (!self.active || is_monitored(holder) && triggers::is_enabled(row))
            && self.has_severity(row)
            && self.functions.as_ref().is_none_or(|names| {
                row.content.functions.iter().any(|it| names.contains(&it.function))
            })
            && self.rules.as_ref().is_none_or(|it| is_of_rule(ctx, holder, row, it))
            && self.items.as_ref().is_none_or(|it| uses_any(ctx, holder, row, it))
            && self.tags.matches(ctx, &row.content.tags, row.discovered())
            && self.has_state(ctx, row)
            && triggers::is_readable(ctx, holder, row)
    }

    fn has_severity(&self, row: &TriggerRow) -> bool {
        let severity = i64::from(row.content.priority.code());
        self.min_severity.is_none_or(|it| it <= severity)
            && self.severities.as_ref().is_none_or(|it| it.contains(&severity))
    }

    fn has_state(&self, ctx: &Ctx, row: &TriggerRow) -> bool {
        let asks_nothing = !self.only_true && self.since.is_none() && self.till.is_none();
        if asks_nothing {
            return true;
        }
        let live = ctx.ports().live.trigger(row.id);
        let changed = live.last_change.clock();
        let ok_period_s = ctx.snapshot.globals.settings.ok_period_s;
        let is_recent = ctx.now.clock() - ok_period_s < changed;
        (!self.only_true || live.is_problem || is_recent)
            // The seconds themselves are not meant, as in Zabbix.
            && self.since.is_none_or(|it| it < changed)
            && self.till.is_none_or(|it| changed < it)
    }
}

/// Which of the triggers have unacknowledged problem events.
fn unacknowledged(
    ctx: &Ctx,
    rows: &[(&Arc<Host>, &TriggerRow)],
    which: Unacknowledged,
) -> Result<Set<u64>, ApiError> {
    let ids = rows.iter().map(|(_, row)| row.id.0).collect();
    let kind = (source::TRIGGER, object::TRIGGER);
    let found = ctx.db().events().unacknowledged(kind, ids, which)?;
    Ok(found.into_iter().collect())
}

fn is_of_rule(ctx: &Ctx, holder: &Arc<Host>, row: &TriggerRow, rules: &Set<u64>) -> bool {
    let rule = items::rule_of(ctx, holder, row.content.ruleid);
    rule.is_some_and(|(_, it)| rules.contains(&it.id.0))
}

fn uses_any(ctx: &Ctx, holder: &Arc<Host>, row: &TriggerRow, items: &Set<u64>) -> bool {
    let refs = Refs::new(&ctx.snapshot);
    refs.functions(holder, row).any(|(_, it)| it.is_some_and(|(_, it)| items.contains(&it.id.0)))
}

/// Whether a host of a trigger is in maintenance.
fn is_in_maintenance<'c>(
    ctx: &Ctx,
    refs: &Refs<'c>,
    (holder, row): (&'c Arc<Host>, &'c TriggerRow),
) -> bool {
    let maintained = ctx.db().maintained();
    refs.hosts(holder, row).iter().any(|it| maintained.of(it.id).is_some())
}
