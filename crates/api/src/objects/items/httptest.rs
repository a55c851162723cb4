//! Web scenarios: `httptest.*`.
//!
//! A scenario is its item `web.test.fail[…]` (see `model::content::web`), whose id is the scenario's; a step has the
//! id of its item `web.test.rspcode[…]`.

use std::sync::Arc;

use db::WebChange;
use db::objects::httptest::{self as described, STEP, WebTest};
use model::content::{UiElement, WEB_STEPS_MAX, WebFigure, WebPosts, WebScenario, WebStep};
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::{HolderKind, Host, ItemRow};
use model::{HostId, ItemId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, count, flattened,
};
use crate::error::{ApiError, ErrorClass};
use crate::json::{Fields, Scalar, id_of, list_of, pairs, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::answer;
use crate::objects::common::parts::{TAG, tags};
use crate::objects::common::scope::{Get, Scope, is_monitored};
use crate::objects::common::{access, checks, items};
use crate::objects::items::fields::{HOSTID, HolderItem, TEMPLATE};
use crate::objects::items::rules::single::{self, Macros};
use crate::query::{self, Column, Output, RowFamily, Rows, table};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

/// The searched part: the headers.
const HEADERS_ALONE: i64 = 1;

/// A scenario with its row.
#[derive(Clone)]
struct WebRow<'a> {
    holder: &'a Arc<Host>,
    row: &'a ItemRow,
    test: WebTest,
}

impl<'a> WebRow<'a> {
    fn of((holder, row): HolderItem<'a>) -> Self {
        Self { holder, row, test: test_of(row) }
    }
}

/// Reads the stored scenario: missing fields have their defaults.
fn test_of(row: &ItemRow) -> WebTest {
    let item = &row.content;
    WebTest::of(item).unwrap_or_else(|| WebTest { item: Arc::clone(item), ..WebTest::default() })
}

struct WebFamily;

type WebColumn = Column<WebFamily>;

impl RowFamily for WebFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = &'a WebRow<'a>;
    type Content = WebTest;

    fn content<'a>(row: Self::Row<'a>) -> &'a WebTest {
        &row.test
    }

    fn shows_credentials<'a>(ctx: &&'a Ctx, row: Self::Row<'a>) -> bool {
        ctx.may_write(row.holder)
    }
}

const FIRST: &[WebColumn] = &[
    WebColumn::of_row(Field::new("httptestid", FieldType::Id, Rule::ReadOnly, "Id"), |_, it| {
        Scalar::Id(it.row.id.0)
    }),
    WebColumn::of_row(HOSTID.field, |_, it| Scalar::Id(it.holder.id.0)),
    WebColumn::described(described::NAME),
];
const OWN: [WebColumn; described::FIELDS.len()] = table::described(&described::FIELDS);
const LAST: &[WebColumn] = &[
    WebColumn::given_only(described::STEPS),
    WebColumn::given_only(
        Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags").overridable(),
    ),
    WebColumn::described(described::UUID),
    WebColumn::of_row(TEMPLATE.field, |_, it| Scalar::Id(it.row.source.0)),
];
const LISTS: &[&[WebColumn]] = &[FIRST, &OWN, LAST];
const COLUMNS: [WebColumn; count(LISTS)] = flattened(LISTS);
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

pub(crate) const OBJECT: Object = Object {
    name: "httptest",
    type_name: "WebScenario",
    nouns: Nouns { one: "a web scenario", several: "web scenarios" },
    resource: Some(22),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["uuid"], &["hostid", "name"]],
    }),
    id: "httptestid",
    ids: "httptestids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectSteps", "steps", Gives::Parts(STEP)).countable(),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
    ],
    params: Params::of(&[
        "httptestids",
        "groupids",
        "hostids",
        "templateids",
        "inherited",
        "monitored",
        "templated",
        "group",
        "host",
        "expandName",
        "expandStepName",
        "evaltype",
        "tags",
    ])
    .filtered_by_owner(&["host"]),
    sort: &["httptestid", "name"],
    doc: "Pages that are requested one after the other, as a user would",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("httptest.get", get),
        Method::edit("httptest.create", create),
        Method::edit("httptest.update", update),
        Method::edit("httptest.delete", delete),
    ],
)
.related(|ctx, rows, output| {
    let Related::Items(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &WebRows { ctx }, rows.into_iter().map(WebRow::of), output)
});

struct WebRows<'a> {
    ctx: &'a Ctx,
}

impl<'a> Rows for WebRows<'a> {
    type Row = WebRow<'a>;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        table::scalar(&COLUMNS, &self.ctx, row, name).value()
    }

    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError> {
        Ok(match select.param {
            "selectHosts" => self.ctx.related(select, Related::Holders(vec![row.holder]), output),
            "selectSteps" => steps(row, output),
            _ => tags(&row.row.content.tags, output),
        })
    }
}

fn step_id(holder: &Host, scenario: &WebScenario, at: usize) -> u64 {
    let key = scenario.key(WebFigure::Code, Some(at));
    key.and_then(|it| holder.item_by_key(&it)).map_or(0, |it| it.id.0)
}

/// Steps of a scenario, by their places.
struct StepFamily;

type StepColumn = Column<StepFamily>;

impl RowFamily for StepFamily {
    type Reader<'a> = ();
    type Row<'a> = (&'a WebRow<'a>, usize, &'a WebStep);
    type Content = WebStep;

    fn content<'a>((_, _, step): Self::Row<'a>) -> &'a WebStep {
        step
    }
}

const STEP_FIRST: &[StepColumn] = &[
    StepColumn::of_row(described::HTTPSTEPID, |(), (of, at, _)| {
        Scalar::Id(step_id(of.holder, &of.test.scenario, at))
    }),
    StepColumn::of_row(described::HTTPTESTID, |(), (of, ..)| Scalar::Id(of.row.id.0)),
    StepColumn::described(described::STEP_NAME),
    StepColumn::of_row(described::NO, |(), (_, at, step)| Scalar::Number(number_of(at, step))),
];
const STEP_FIELDS_FIRST: [StepColumn; described::STEP_FIRST.len()] =
    table::described(&described::STEP_FIRST);
const STEP_BODY: &[StepColumn] = &[
    StepColumn::of_content(described::POSTS, |it| match &it.posts {
        WebPosts::Raw(it) => Scalar::Text(it),
        WebPosts::Fields(it) => Scalar::Tree(pairs(it)),
    }),
    StepColumn::given_only(described::POST_FIELDS),
];
const STEP_FIELDS_LAST: [StepColumn; described::STEP_LAST.len()] =
    table::described(&described::STEP_LAST);
const STEP_LISTS: &[&[StepColumn]] =
    &[STEP_FIRST, &STEP_FIELDS_FIRST, STEP_BODY, &STEP_FIELDS_LAST];
const STEP_COLUMNS: [StepColumn; count(STEP_LISTS)] = flattened(STEP_LISTS);

/// Its own, else its place.
fn number_of(at: usize, step: &WebStep) -> i64 {
    step.no.unwrap_or_else(|| i64::try_from(at).unwrap_or_default() + 1)
}

fn steps(row: &WebRow<'_>, output: &Output) -> Value {
    let steps = row.test.scenario.steps.iter().enumerate();
    table::parts(&STEP_COLUMNS, &(), steps.map(|(at, step)| (row, at, step)), output)
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let scope = Scope::of_parts(&mut get)?;
    let inherited = get.side("inherited");
    let monitored = get.side("monitored");
    let tags = get.row_tags()?;
    let admits = |holder: &Host, row: &ItemRow| {
        items::is_web_scenario(row)
            && scope.admits(ctx, holder)
            && inherited.is_none_or(|it| it == row.source.is_some())
            && monitored.is_none_or(|it| it == (is_monitored(holder) && items::is_enabled(row)))
            && tags.matches(ctx, &row.content.tags, None)
    };
    let rows = WebRows { ctx };
    let ids = get.ids("httptestids")?;
    if let Some(ids) = ids {
        let found = ids.iter().filter_map(|it| ctx.snapshot.item(ItemId(*it)));
        let found = found.filter(|(holder, row)| admits(holder, row));
        return query::answer(&OBJECT, &rows, found.map(WebRow::of), &get.options);
    }
    let holders = scope.holders(ctx);
    let found = holders.into_iter().flat_map(|holder| {
        let admitted = holder.items.iter().filter(|row| admits(holder, row));
        admitted.map(move |row| (holder, row))
    });
    query::answer(&OBJECT, &rows, found.map(WebRow::of), &get.options)
}

/// Lists of fields as `posts` go where lists are checked.
fn with_post_fields(params: &Value) -> Value {
    let mut params = params.clone();
    let list = match &mut params {
        Value::Array(list) => list.as_mut_slice(),
        one => std::slice::from_mut(one),
    };
    for it in list {
        let Some(steps) = it.get_mut("steps") else { continue };
        let steps = match steps {
            Value::Array(list) => list.as_mut_slice(),
            one => std::slice::from_mut(one),
        };
        for step in steps.iter_mut().filter_map(Value::as_object_mut) {
            if step.get("posts").is_some_and(Value::is_array) {
                let fields = step.remove("posts").unwrap_or_default();
                step.insert("post_fields".to_owned(), fields);
            }
        }
    }
    params
}

fn create(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = with_post_fields(params);
    let list = validate::objects(OBJECT.fields, OBJECT.id, &params, Mode::Create)?;
    for fields in OBJECT.writes.iter().flat_map(|it| it.unique) {
        validate::unique(&list, fields)?;
    }
    check_tags(&list)?;
    check_new(ctx, &list)?;
    let mut changes = Vec::with_capacity(list.len());
    for (at, fields) in list.iter().enumerate() {
        let hostid = id_of(fields, "hostid").unwrap_or_default();
        changes.push((HostId(hostid), change(fields, None, &FieldPath::object(at))?));
    }
    let ids = ctx.edit(|e| {
        let each = changes.iter().enumerate();
        each.map(|(at, (holder, it))| {
            e.create_web_scenario(*holder, it).map_err(|error| error.in_object(at + 1))
        })
        .collect::<Result<Vec<u64>, _>>()
    })?;
    Ok(answer(OBJECT.ids, &ids))
}

fn check_tags(list: &[Fields]) -> Result<(), ApiError> {
    let mut all = list.iter().enumerate();
    all.try_for_each(|(at, it)| checks::unique_tags(it, &FieldPath::object(at)))
}

/// Identities, hosts and names of new scenarios, and dependencies between fields.
fn check_new(ctx: &Ctx, list: &[Fields]) -> Result<(), ApiError> {
    for (at, fields) in list.iter().enumerate() {
        let Some(hostid) = id_of(fields, "hostid").map(HostId) else {
            return Err(ApiError::missing(FieldPath::object(at), "hostid"));
        };
        let is_template = ctx.snapshot.templates.contains_key(&hostid);
        checks::uuid(fields, is_template, &FieldPath::object(at))?;
    }
    let taken = |uuid: &str| {
        let all = ctx.snapshot.templates.keys().filter_map(|it| ctx.snapshot.holder(*it));
        all.flat_map(|it| items::web_scenarios(it)).any(|it| it.content.uuid == uuid)
    };
    for (at, fields) in list.iter().enumerate() {
        let uuid = str_of(fields, "uuid");
        if !uuid.is_empty() && taken(uuid) {
            let what = "web scenario with the same UUID already exists";
            return Err(ApiError::field(FieldPath::object(at), what));
        }
    }
    for fields in list {
        // A wrong parameter here, as in Zabbix.
        let hostid = id_of(fields, "hostid").unwrap_or_default();
        let holder = access::writable(ctx, hostid)
            .map_err(|error| error.of_class(ErrorClass::InvalidParams))?;
        let name = str_of(fields, "name");
        if items::web_scenarios(holder).any(|it| test_of(it).scenario.name == name) {
            return Err(ApiError::params(format!("Web scenario \"{name}\" already exists.")));
        }
    }
    list.iter().try_for_each(|it| check_login(it, None))?;
    list.iter().try_for_each(|it| check_certificate(it, None))
}

/// The name of a scenario is its own on the host, and in the request.
fn check_new_names(ctx: &Ctx, list: &[Fields]) -> Result<(), ApiError> {
    let mut taken: Vec<(HostId, &str)> = Vec::new();
    for (at, fields) in list.iter().enumerate() {
        let id = id_of(fields, OBJECT.id).unwrap_or_default();
        let Some((holder, row)) = ctx.snapshot.item(ItemId(id)) else { continue };
        let Some(name) = fields.get("name").and_then(Value::as_str) else { continue };
        if taken.contains(&(holder.id, name)) {
            let what = format!("value (hostid, name)=({}, {name}) already exists", holder.id);
            return Err(ApiError::field(FieldPath::object(at), &what));
        }
        taken.push((holder.id, name));
        let mut others = items::web_scenarios(holder).filter(|it| it.id != row.id);
        let is_renamed = |it: &ItemRow| {
            let renamed = list.iter().find(|of| id_of(of, OBJECT.id) == Some(it.id.0));
            renamed.is_some_and(|of| of.contains_key("name"))
        };
        if others.any(|it| test_of(it).scenario.name == name && !is_renamed(it)) {
            return Err(ApiError::params(format!("Web scenario \"{name}\" already exists.")));
        }
    }
    Ok(())
}

/// Without authentication no user name is needed.
fn check_login(fields: &Fields, old: Option<&ItemRow>) -> Result<(), ApiError> {
    let names = ["authentication", "http_user", "http_password"];
    if !names.iter().any(|it| fields.contains_key(*it)) {
        return Ok(());
    }
    let is_none = match fields.get("authentication").and_then(Value::as_str) {
        Some(it) => it == "0",
        None => old.is_none_or(|it| it.content.authtype == 0),
    };
    let given = names[1..].iter().find(|it| !str_of(fields, it).is_empty());
    match given.filter(|_| is_none) {
        Some(name) => {
            Err(ApiError::params(format!("Incorrect value for field \"{name}\": should be empty.")))
        }
        None => Ok(()),
    }
}

/// A password is that of a key, and a key goes with a certificate.
fn check_certificate(fields: &Fields, old: Option<&ItemRow>) -> Result<(), ApiError> {
    let names = ["ssl_key_password", "ssl_key_file", "ssl_cert_file"];
    if !names.iter().any(|it| fields.contains_key(*it)) {
        return Ok(());
    }
    let old = old.map(test_of).unwrap_or_default();
    let item = &old.item;
    let before = [&item.ssl_key_password, &item.ssl_key_file, &item.ssl_cert_file];
    let now = |at: usize| match fields.get(names[at]).and_then(Value::as_str) {
        Some(it) => it.is_empty(),
        None => before[at].is_empty(),
    };
    let name = match str_of(fields, "name") {
        "" => &old.scenario.name,
        name => name,
    };
    let what = match (now(0), now(1), now(2)) {
        (false, true, _) => "key",
        (_, false, true) => "certificate",
        _ => return Ok(()),
    };
    Err(ApiError::params(format!("Empty SSL {what} file for web scenario \"{name}\".")))
}

fn update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = with_post_fields(params);
    let list = validate::given_objects(OBJECT.fields, OBJECT.id, &params, Mode::Update)?;
    validate::unique(&list, &[OBJECT.id])?;
    check_tags(&list)?;
    let mut found = Vec::with_capacity(list.len());
    for (at, fields) in list.iter().enumerate() {
        let (holder, row) = changeable(ctx, id_of(fields, OBJECT.id).unwrap_or_default())?;
        checks::uuid(fields, holder.kind == HolderKind::Template, &FieldPath::object(at))?;
        found.push((holder, row));
    }
    check_new_names(ctx, &list)?;
    for (fields, (_, row)) in list.iter().zip(&found) {
        check_login(fields, Some(row))?;
    }
    for (fields, (_, row)) in list.iter().zip(&found) {
        check_certificate(fields, Some(row))?;
    }
    let mut changes = Vec::with_capacity(list.len());
    for (at, (fields, found)) in list.iter().zip(found).enumerate() {
        changes.push((found.1.id.0, change(fields, Some(found), &FieldPath::object(at))?));
    }
    ctx.edit(|e| {
        for (at, (id, it)) in changes.iter().enumerate() {
            e.update_web_scenario(*id, it).map_err(|error| error.in_object(at + 1))?;
        }
        Ok(())
    })?;
    Ok(answer(OBJECT.ids, &changes.iter().map(|it| it.0).collect::<Vec<_>>()))
}

fn delete(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let ids = validate::ids(params)?;
    for id in &ids {
        changeable(ctx, *id)?;
    }
    ctx.edit(|e| e.delete_web_scenarios(&ids))?;
    Ok(answer(OBJECT.ids, &ids))
}

fn changeable(ctx: &Ctx, id: u64) -> Result<(&Host, &ItemRow), ApiError> {
    let found = ctx.snapshot.item(ItemId(id));
    let found = found.filter(|(holder, row)| items::is_web_scenario(row) && ctx.may_write(holder));
    found.map(|(holder, row)| (&**holder, row)).ok_or_else(ApiError::no_permissions)
}

/// The given fields, on top of the previous ones.
fn change(
    fields: &Fields,
    found: Option<(&Host, &ItemRow)>,
    path: &FieldPath,
) -> Result<WebChange, ApiError> {
    let old = found.map(|(_, row)| test_of(row).scenario);
    let mut scenario = described::scenario_of(&old.clone().unwrap_or_default(), fields)?;
    let mut former = (0..scenario.steps.len()).map(Some).collect();
    if fields.contains_key("steps") {
        let ids = |at: usize| match (found, &old) {
            (Some((holder, _)), Some(old)) => step_id(holder, old, at),
            _ => 0,
        };
        let old_steps = old.as_ref().map(|it| it.steps.as_slice()).unwrap_or_default();
        (scenario.steps, former) = given_steps(fields, (old_steps, &ids), &path.member("steps"))?;
    }
    Ok(WebChange { scenario, former, fields: described::of_item(fields) })
}

type Steps = (Vec<WebStep>, Vec<Option<usize>>);

/// Steps in their order, each with the previous step that it was.
fn given_steps(
    fields: &Fields,
    (old, id_at): (&[WebStep], &dyn Fn(usize) -> u64),
    path: &FieldPath,
) -> Result<Steps, ApiError> {
    let given: Vec<&Fields> = list_of(fields, "steps").collect();
    if WEB_STEPS_MAX < given.len() {
        let what = format!("maximum number of array elements is {WEB_STEPS_MAX}");
        return Err(ApiError::field(path, &what));
    }
    let mut steps = Vec::with_capacity(given.len());
    let mut taken = Set::default();
    for (at, given) in given.iter().enumerate() {
        let path = path.element(at);
        let former = match id_of(given, "httpstepid") {
            Some(id) => match (0..old.len()).find(|it| id_at(*it) == id) {
                Some(it) => Some(it),
                None if old.is_empty() => return Err(ApiError::unexpected(path, "httpstepid")),
                None => {
                    return Err(ApiError::no_permissions().of_class(ErrorClass::InvalidParams));
                }
            },
            None => old.iter().position(|it| it.name == str_of(given, "name")),
        };
        let former = former.filter(|it| taken.insert(*it));
        let is_kept = id_of(given, "httpstepid").is_some();
        let base = former.filter(|_| is_kept).and_then(|it| old.get(it));
        let no = match given.get("no").and_then(Value::as_str) {
            Some(it) => it.parse().unwrap_or(0_i64),
            None => match (former, base) {
                (Some(at), Some(it)) => number_of(at, it),
                _ => return Err(ApiError::missing(&path, "no")),
            },
        };
        steps.push((no, step(given, base)?, former));
    }
    unique_steps(&steps, path)?;
    steps.sort_by_key(|(no, ..)| *no);
    let steps = steps.into_iter().enumerate().map(|(at, (no, step, former))| {
        let own = Some(no).filter(|it| i64::try_from(at + 1) != Ok(*it));
        (WebStep { no: own, ..step }, former)
    });
    Ok(steps.unzip())
}

fn unique_steps(steps: &[(i64, WebStep, Option<usize>)], path: &FieldPath) -> Result<(), ApiError> {
    let (mut names, mut places) = (Set::default(), Set::default());
    for (at, (no, step, _)) in steps.iter().enumerate() {
        let taken = |what: String| {
            let path = path.element(at);
            Err(ApiError::field(&path, &format!("value {what} already exists")))
        };
        if !names.insert(step.name.as_str()) {
            return taken(format!("(name)=({})", step.name));
        }
        if !places.insert(*no) {
            return taken(format!("(no)=({no})"));
        }
    }
    Ok(())
}

fn step(given: &Fields, base: Option<&WebStep>) -> Result<WebStep, ApiError> {
    let step = described::step_of(&base.cloned().unwrap_or_default(), given)?;
    if !step.status_codes.is_empty() && !single::is_ranges(&step.status_codes, Macros::User) {
        let codes = &step.status_codes;
        return Err(ApiError::params(format!("Invalid response code \"{codes}\".")));
    }
    let names = ["retrieve_mode", "posts", "post_fields", "required"];
    let is_given = names.iter().any(|it| given.contains_key(*it));
    if is_given && step.retrieve_mode == HEADERS_ALONE && !step.posts.is_empty() {
        return Err(ApiError::params(
            "Incorrect value for field \"posts\": should be empty.".to_owned(),
        ));
    }
    Ok(step)
}
