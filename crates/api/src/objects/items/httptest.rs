//! Web scenarios: `httptest.*`.
//!
//! A scenario is its item `web.test.fail[…]` (see `model::content::web`), whose id is the scenario's; a step has the
//! id of its item `web.test.rspcode[…]`.

use db::WebChange;
use db::objects::parts::PAIR;
use model::ItemId;
use model::content::{
    NamedValue, UiElement, WEB_STEPS_MAX, WebFigure, WebPosts, WebScenario, WebStep,
};
use model::key::ItemKey;
use model::limits;
use model::map::Set;
use model::snapshot::{Host, ItemRow};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, Writes,
};
use crate::error::ApiError;
use crate::json::{self, Fields, Scalar, id_of, list_of, pairs, str_of, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::answer;
use crate::objects::common::parts::{LINE, LONG, TAG, tags};
use crate::objects::common::scope::{Get, Scope, is_monitored};
use crate::objects::common::{access, checks, items};
use crate::objects::items::fields::{HOSTID, ItemColumn, ItemFamily, TEMPLATE, UUID};
use crate::objects::items::interval;
use crate::objects::items::rules::single::{self, Macros};
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Output, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

const SCENARIO_NAME: FieldType = FieldType::Text { max: 64 };
const URL: FieldType = FieldType::Text { max: 2_048 };

/// What may be left out of a step that is named by its id.
const STEP: &[Field] = &[
    Field::new("httpstepid", FieldType::Id, Rule::Optional, "Id; of a step that stays"),
    Field::new("httptestid", FieldType::Id, Rule::ReadOnly, "The scenario"),
    Field::new("name", SCENARIO_NAME, Rule::Optional, "Name; needed for a new step"),
    Field::new(
        "no",
        FieldType::Int { min: 0, max: 99_999 },
        Rule::Optional,
        "Its place; needed for a new step",
    ),
    Field::new("url", URL, Rule::Optional, "URL; needed for a new step"),
    Field::new("query_fields", FieldType::List(PAIR), Rule::Optional, "Query fields").answered(),
    Field::new(
        "posts",
        LONG,
        Rule::Optional,
        "Body of a POST: a text, or a list of fields of a form, each with `name` and `value`",
    ),
    Field::new(
        "post_fields",
        FieldType::List(PAIR),
        Rule::WriteOnly,
        "Another way to give a list as `posts`",
    ),
    Field::new(
        "headers",
        FieldType::List(PAIR),
        Rule::Optional,
        "Headers, in place of the scenario's",
    )
    .answered(),
    Field::new(
        "variables",
        FieldType::List(PAIR),
        Rule::Optional,
        "Variables for this step and those behind it",
    )
    .answered(),
    Field::new("timeout", LINE, Rule::Optional, "Time for its answers, 1s to 1h"),
    Field::new("required", LINE, Rule::Optional, "Pattern that has to be found"),
    Field::new("status_codes", LINE, Rule::Optional, "Codes and ranges that are no failure"),
    Field::new("follow_redirects", FLAG, Rule::Optional, "1 follow redirects"),
    Field::new(
        "retrieve_mode",
        FieldType::Code(&[0, 1, 2]),
        Rule::Optional,
        "What is searched: 0 body, 1 headers, 2 both",
    ),
];

const COLUMNS: &[ItemColumn] = &[
    ItemColumn::of_row(
        Field::new("httptestid", FieldType::Id, Rule::ReadOnly, "Id"),
        |_, (_, row)| Scalar::Id(row.id.0),
    ),
    HOSTID,
    ItemColumn::of_row(Field::new("name", SCENARIO_NAME, Rule::Required, "Name"), |_, (_, row)| {
        Scalar::Made(name(row).into())
    }),
    ItemColumn::of_content(
        Field::new("delay", LINE, Rule::Default("1m"), "Update interval"),
        |it| Scalar::Text(&it.delay),
    ),
    ItemColumn::of_content(
        Field::new("retries", FieldType::Int { min: 1, max: 10 }, Rule::Default("1"), "Attempts"),
        |it| Scalar::Number(read(&it.params).retries),
    ),
    ItemColumn::of_content(
        Field::new("agent", LINE, Rule::Default("Zabbix"), "User agent"),
        |it| Scalar::Made(read(&it.params).agent.into()),
    ),
    ItemColumn::of_content(Field::new("http_proxy", LINE, Rule::Default(""), "Proxy"), |it| {
        Scalar::Text(&it.http_proxy)
    }),
    ItemColumn::of_content(
        Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled"),
        |it| Scalar::code(it.status.code()),
    ),
    ItemColumn::of_content(
        Field::new(
            "authentication",
            FieldType::Code(&[0, 1, 2, 3, 4]),
            Rule::Default("0"),
            "0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest",
        ),
        |it| Scalar::Number(it.authtype),
    ),
    ItemColumn::of_credential(Field::new("http_user", LINE, Rule::Default(""), "User"), |it| {
        Scalar::Text(&it.username)
    }),
    ItemColumn::of_credential(
        Field::new("http_password", LINE, Rule::Default(""), "Password"),
        |it| Scalar::Text(&it.password),
    ),
    ItemColumn::of_content(
        Field::new("verify_peer", FLAG, Rule::Default("0"), "1 check the server's certificate"),
        |it| Scalar::Flag(it.verify_peer),
    ),
    ItemColumn::of_content(
        Field::new("verify_host", FLAG, Rule::Default("0"), "1 check the server's name"),
        |it| Scalar::Flag(it.verify_host),
    ),
    ItemColumn::of_content(
        Field::new("ssl_cert_file", LINE, Rule::Default(""), "File of the client's certificate"),
        |it| Scalar::Text(&it.ssl_cert_file),
    ),
    ItemColumn::of_content(
        Field::new("ssl_key_file", LINE, Rule::Default(""), "File of its key"),
        |it| Scalar::Text(&it.ssl_key_file),
    ),
    ItemColumn::of_credential(
        Field::new("ssl_key_password", LINE, Rule::Default(""), "Password of its key"),
        |it| Scalar::Text(&it.ssl_key_password),
    ),
    ItemColumn::of_content(
        Field::new("headers", FieldType::List(PAIR), Rule::Optional, "Headers of all steps")
            .answered(),
        |it| Scalar::Tree(pairs(&read(&it.params).headers)),
    ),
    ItemColumn::of_content(
        Field::new("variables", FieldType::List(PAIR), Rule::Optional, "Variables of all steps")
            .answered(),
        |it| Scalar::Tree(pairs(&read(&it.params).variables)),
    ),
    ItemColumn::given_only(Field::new(
        "steps",
        FieldType::List(STEP),
        Rule::Required,
        "Steps in order of `no`",
    )),
    ItemColumn::given_only(Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags")),
    UUID,
    TEMPLATE,
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

pub(crate) const OBJECT: Object = Object {
    name: "httptest",
    type_name: "WebScenario",
    nouns: Nouns { one: "a web scenario", several: "web scenarios" },
    resource: Some(22),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["hostid", "name"]],
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
    ]),
    sort: &["httptestid", "name"],
    doc: "Pages that are asked for one after the other, as a user would",
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
    query::related(&OBJECT, &WebRows::new(ctx), rows.into_iter(), output)
});

type WebRows<'a> = TableRows<'a, Web>;

struct Web;

impl Table for Web {
    type Family = ItemFamily;

    fn columns() -> &'static [ItemColumn] {
        COLUMNS
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        (holder, row): RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        Ok(match select.param {
            "selectHosts" => ctx.related(select, Related::Holders(vec![holder]), output),
            "selectSteps" => steps(holder, row, output),
            _ => tags(&row.content.tags, output),
        })
    }
}

/// What was written is read: everything has its default where it is not.
fn read(params: &str) -> WebScenario {
    WebScenario::parse(params).unwrap_or_default()
}

fn name(row: &ItemRow) -> String {
    ItemKey::parse(&row.content.key_).map(|it| it.param(0).to_owned()).unwrap_or_default()
}

fn step_id(holder: &Host, scenario: &WebScenario, at: usize) -> u64 {
    let key = scenario.key(WebFigure::Code, Some(at));
    key.and_then(|it| holder.item_by_key(&it)).map_or(0, |it| it.id.0)
}

fn steps(holder: &Host, row: &ItemRow, output: &Output) -> Value {
    let scenario = read(&row.content.params);
    if *output == Output::Count {
        return text(scenario.steps.len().to_string());
    }
    let step = |(at, step): (usize, &WebStep)| -> Value {
        let whole = serde_json::to_value(step).unwrap_or_default();
        json::part(STEP, output, |field| match field {
            "httpstepid" => text(step_id(holder, &scenario, at).to_string()),
            "httptestid" => text(row.id.to_string()),
            "no" => text((at + 1).to_string()),
            it => whole[it].clone(),
        })
    };
    scenario.steps.iter().enumerate().map(step).collect()
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let scope = Scope::of_parts(&mut get)?;
    let inherited = get.side("inherited");
    let is_wanted_monitored = get.flag("monitored");
    let tags = get.row_tags()?;
    let admits = |holder: &Host, row: &ItemRow| {
        items::is_web_scenario(row)
            && scope.admits(ctx, holder)
            && inherited.is_none_or(|it| it == row.source.is_some())
            && (!is_wanted_monitored || is_monitored(holder) && items::is_enabled(row))
            && tags.matches(ctx, &row.content.tags, None)
    };
    let rows = WebRows::new(ctx);
    let ids = get.ids("httptestids")?;
    if let Some(ids) = ids {
        let found = ids.iter().filter_map(|it| ctx.snapshot.item(ItemId(*it)));
        let found = found.filter(|(holder, row)| admits(holder, row));
        return query::answer(&OBJECT, &rows, found, &get.options);
    }
    let holders = scope.holders(ctx);
    let found = holders.into_iter().flat_map(|holder| {
        let admitted = holder.items.iter().filter(|row| admits(holder, row));
        admitted.map(move |row| (holder, row))
    });
    query::answer(&OBJECT, &rows, found, &get.options)
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
    let mut changes = Vec::with_capacity(list.len());
    for (at, fields) in list.iter().enumerate() {
        let path = format!("/{}", at + 1);
        let Some(hostid) = id_of(fields, "hostid") else {
            return Err(ApiError::field(&path, "the parameter \"hostid\" is missing"));
        };
        let holder = access::writable(ctx, hostid)?;
        changes.push((holder.id, change(fields, None, &path)?));
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

fn update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = with_post_fields(params);
    let list = validate::given_objects(OBJECT.fields, OBJECT.id, &params, Mode::Update)?;
    validate::unique(&list, &[OBJECT.id])?;
    let mut changes = Vec::with_capacity(list.len());
    for (at, fields) in list.iter().enumerate() {
        let id = id_of(fields, OBJECT.id).unwrap_or_default();
        let found = changeable(ctx, id)?;
        changes.push((id, change(fields, Some(found), &format!("/{}", at + 1))?));
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

/// Fields of the item under their names there.
const OF_ITEM: &[(&str, &str)] = &[
    ("delay", "delay"),
    ("status", "status"),
    ("tags", "tags"),
    ("uuid", "uuid"),
    ("authentication", "authtype"),
    ("http_user", "username"),
    ("http_password", "password"),
    ("http_proxy", "http_proxy"),
    ("verify_peer", "verify_peer"),
    ("verify_host", "verify_host"),
    ("ssl_cert_file", "ssl_cert_file"),
    ("ssl_key_file", "ssl_key_file"),
    ("ssl_key_password", "ssl_key_password"),
];

/// What is given, over what there was.
fn change(
    fields: &Fields,
    found: Option<(&Host, &ItemRow)>,
    path: &str,
) -> Result<WebChange, ApiError> {
    checks::unique_tags(fields, path)?;
    if let Some(delay) = fields.get("delay").and_then(Value::as_str) {
        interval::check(delay, Macros::User, &format!("{path}/delay"))?;
    }
    let old = found.map(|(_, row)| read(&row.content.params));
    let mut scenario = old.clone().unwrap_or_default();
    if let Some(name) = fields.get("name").and_then(Value::as_str) {
        name.clone_into(&mut scenario.name);
    }
    if let Some(agent) = fields.get("agent").and_then(Value::as_str) {
        agent.clone_into(&mut scenario.agent);
    }
    if let Some(retries) = fields.get("retries").and_then(Value::as_str) {
        scenario.retries = retries.parse().unwrap_or(1);
    }
    take_pairs(fields, "headers", &mut scenario.headers);
    take_pairs(fields, "variables", &mut scenario.variables);
    check_variables(&scenario.variables, &format!("{path}/variables"))?;
    let mut former = (0..scenario.steps.len()).map(Some).collect();
    if fields.contains_key("steps") {
        let ids = |at: usize| match (found, &old) {
            (Some((holder, _)), Some(old)) => step_id(holder, old, at),
            _ => 0,
        };
        let old_steps = old.as_ref().map(|it| it.steps.as_slice()).unwrap_or_default();
        (scenario.steps, former) =
            given_steps(fields, (old_steps, &ids), &format!("{path}/steps"))?;
    }
    let of_item = OF_ITEM.iter().filter_map(|(name, item)| {
        fields.get(*name).map(|value| ((*item).to_owned(), value.clone()))
    });
    Ok(WebChange { scenario, former, fields: of_item.collect() })
}

fn take_pairs(fields: &Fields, name: &str, into: &mut Vec<NamedValue>) {
    if fields.contains_key(name) {
        let pair = |it: &Fields| NamedValue {
            name: str_of(it, "name").to_owned(),
            value: str_of(it, "value").to_owned(),
        };
        *into = list_of(fields, name).map(pair).collect();
    }
}

fn check_variables(variables: &[NamedValue], path: &str) -> Result<(), ApiError> {
    let mut seen = Set::default();
    for (at, variable) in variables.iter().enumerate() {
        let path = format!("{path}/{}", at + 1);
        let name = variable.name.as_str();
        let inner = name.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        if inner.is_none_or(str::is_empty) {
            let what = "is not enclosed in {} or is malformed";
            return Err(ApiError::field(&format!("{path}/name"), what));
        }
        if !seen.insert(name) {
            let what = format!("value (name)=({name}) already exists");
            return Err(ApiError::field(&path, &what));
        }
    }
    Ok(())
}

type Steps = (Vec<WebStep>, Vec<Option<usize>>);

/// Steps in their order, and which one of before each was.
fn given_steps(
    fields: &Fields,
    (old, id_at): (&[WebStep], &dyn Fn(usize) -> u64),
    path: &str,
) -> Result<Steps, ApiError> {
    let given: Vec<&Fields> = list_of(fields, "steps").collect();
    if given.is_empty() || WEB_STEPS_MAX < given.len() {
        return Err(ApiError::field(path, "cannot be empty"));
    }
    let mut steps = Vec::with_capacity(given.len());
    let mut taken = Set::default();
    for (at, given) in given.iter().enumerate() {
        let path = format!("{path}/{}", at + 1);
        let former = match id_of(given, "httpstepid") {
            Some(id) => match (0..old.len()).find(|it| id_at(*it) == id) {
                Some(it) => Some(it),
                None => return Err(ApiError::no_permissions()),
            },
            None => old.iter().position(|it| it.name == str_of(given, "name")),
        };
        let former = former.filter(|it| taken.insert(*it));
        let is_kept = id_of(given, "httpstepid").is_some();
        let base = former.filter(|_| is_kept).and_then(|it| old.get(it));
        let no = match given.get("no").and_then(Value::as_str) {
            Some(it) => it.parse().unwrap_or(0_i64),
            None => match former.filter(|_| is_kept) {
                Some(it) => i64::try_from(it).unwrap_or(0) + 1,
                None => return Err(missing(&path, "no")),
            },
        };
        steps.push((no, step(given, base, &path)?, former));
    }
    unique_steps(&steps, path)?;
    steps.sort_by_key(|(no, ..)| *no);
    Ok(steps.into_iter().map(|(_, step, former)| (step, former)).unzip())
}

fn unique_steps(steps: &[(i64, WebStep, Option<usize>)], path: &str) -> Result<(), ApiError> {
    let (mut names, mut places) = (Set::default(), Set::default());
    for (at, (no, step, _)) in steps.iter().enumerate() {
        let taken = |what: String| {
            let path = format!("{path}/{}", at + 1);
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

fn missing(path: &str, name: &str) -> ApiError {
    ApiError::field(path, &format!("the parameter \"{name}\" is missing"))
}

fn step(given: &Fields, base: Option<&WebStep>, path: &str) -> Result<WebStep, ApiError> {
    let mut step = base.cloned().unwrap_or_default();
    for (name, field) in [("name", &mut step.name), ("url", &mut step.url)] {
        match given.get(name).and_then(Value::as_str) {
            Some("") => return Err(ApiError::field(&format!("{path}/{name}"), "cannot be empty")),
            Some(it) => it.clone_into(field),
            None if base.is_none() => return Err(missing(path, name)),
            None => {}
        }
    }
    for (name, field) in [
        ("timeout", &mut step.timeout),
        ("required", &mut step.required),
        ("status_codes", &mut step.status_codes),
    ] {
        if let Some(it) = given.get(name).and_then(Value::as_str) {
            it.clone_into(field);
        }
    }
    take_pairs(given, "query_fields", &mut step.query_fields);
    take_pairs(given, "headers", &mut step.headers);
    take_pairs(given, "variables", &mut step.variables);
    check_variables(&step.variables, &format!("{path}/variables"))?;
    if let Some(posts) = given.get("posts").and_then(Value::as_str) {
        step.posts = WebPosts::Raw(posts.to_owned());
    }
    if given.contains_key("post_fields") {
        let mut fields = Vec::new();
        take_pairs(given, "post_fields", &mut fields);
        step.posts = WebPosts::Fields(fields);
    }
    if let Some(it) = given.get("follow_redirects").and_then(Value::as_str) {
        step.follow_redirects = it == "1";
    }
    if let Some(it) = given.get("retrieve_mode").and_then(Value::as_str) {
        step.retrieve_mode = it.parse().unwrap_or(0);
    }
    let at = |name: &str| format!("{path}/{name}");
    single::period(&step.timeout, false, (1, 3_600), Macros::User, &at("timeout"))?;
    if !step.status_codes.is_empty() && !single::is_ranges(&step.status_codes, Macros::User) {
        return Err(ApiError::field(&at("status_codes"), "invalid range expression"));
    }
    if limits::KEY_MAX < step.name.len() + 100 {
        return Err(ApiError::field(&at("name"), "value is too long"));
    }
    Ok(step)
}
