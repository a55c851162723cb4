//! Global regular expressions: `regexp.*`.

use db::ObjectKind;
use lang::global_regexp::Test;
use model::content::{GlobalRegexp, RegexpExpression, RegexpKind, RoleType};
use serde_json::Value;

use crate::answer::Answer;
use crate::describe::{FLAG, Field, Gives, Kind, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, flag, number, text};
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::{LINE, LONG};
use crate::objects::common::scope::Get;
use crate::objects::{Entry, Method};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;
use crate::validate::Mode;

/// What may stand between the texts of "any character string included".
const DELIMITERS: [&str; 3] = [",", ".", "/"];

const EXPRESSION: &[Field] = &[
    Field::new("expression", LINE, Rule::Required, "Text, texts or regular expression"),
    Field::new(
        "expression_type",
        Kind::Code(&[0, 1, 2, 3, 4]),
        Rule::Required,
        "0 character string included, 1 any character string included, 2 character string not \
         included, 3 result is TRUE, 4 result is FALSE",
    ),
    Field::new(
        "exp_delimiter",
        LINE,
        Rule::Default(","),
        "Between the texts of type 1: comma, dot or slash",
    ),
    Field::new("case_sensitive", FLAG, Rule::Default("0"), "1: case matters"),
];

const OBJECT: Object = Object {
    name: "regexp",
    type_name: "Regexp",
    id: "regexpid",
    ids: "regexpids",
    fields: &[
        Field::new("regexpid", Kind::Id, Rule::ReadOnly, "Id"),
        Field::new("name", Kind::Text { max: 128 }, Rule::Required, "Name; used as @name"),
        Field::new("test_string", LONG, Rule::Default(""), "Text to try it on"),
        Field::new("expressions", Kind::List(EXPRESSION), Rule::Required, "All have to hold"),
    ],
    selects: &[Select::new("selectExpressions", "expressions", Gives::Parts(EXPRESSION))],
    params: Params::of(&["regexpids"]).strict(),
    sort: &["regexpid", "name"],
    doc: "A global regular expression: conditions on a text under one name",
};

pub(crate) const ENTRY: Entry = Entry {
    object: &OBJECT,
    methods: &[
        Method::get("regexp.get", get).of(RoleType::SuperAdmin),
        Method::edit("regexp.create", |ctx, params| CRUD.create(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("regexp.update", |ctx, params| CRUD.update(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("regexp.delete", |ctx, params| CRUD.delete(ctx, params))
            .of(RoleType::SuperAdmin),
    ],
};

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::Regexp, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    ctx.snapshot.globals.regexps.iter().any(|it| it.regexpid.0 == id)
}

fn check(_: &Ctx, fields: &mut Fields, _: Mode, path: &str) -> Result<(), ApiError> {
    let Some(Value::Array(list)) = fields.get_mut("expressions") else { return Ok(()) };
    let mut seen: Vec<(String, String)> = Vec::new();
    for (at, it) in list.iter_mut().enumerate() {
        let Value::Object(it) = it else { continue };
        let path = format!("{path}/expressions/{}", at + 1);
        let (kind, expression) =
            (json::str_of(it, "expression_type"), json::str_of(it, "expression"));
        let pair = (kind.to_owned(), expression.to_owned());
        if seen.contains(&pair) {
            let what = format!(
                "value (expression_type, expression)=({}, {}) already exists",
                pair.0, pair.1
            );
            return Err(ApiError::field(&path, &what));
        }
        seen.push(pair);
        check_delimiter(it, &path)?;
        check_pattern(it, &path)?;
    }
    Ok(())
}

/// Only one type has a delimiter; the others keep the usual one, whatever clients send back.
fn check_delimiter(expression: &mut Fields, path: &str) -> Result<(), ApiError> {
    let delimiter = json::str_of(expression, "exp_delimiter");
    let has_one = json::str_of(expression, "expression_type") == "1";
    if DELIMITERS.contains(&delimiter) || (delimiter.is_empty() && !has_one) {
        if !has_one {
            expression.insert("exp_delimiter".to_owned(), text(","));
        }
        return Ok(());
    }
    let path = format!("{path}/exp_delimiter");
    Err(ApiError::field(&path, "value must be one of \",\", \".\", \"/\""))
}

fn check_pattern(expression: &Fields, path: &str) -> Result<(), ApiError> {
    let expression: RegexpExpression = serde_json::from_value(Value::Object(expression.clone()))
        .map_err(|error| ApiError::field(path, &error.to_string()))?;
    let is_pattern = matches!(expression.kind, RegexpKind::True | RegexpKind::False);
    if is_pattern && Test::new(&expression).is_err() {
        let path = format!("{path}/expression");
        return Err(ApiError::field(&path, "invalid regular expression"));
    }
    Ok(())
}

struct RegexpRows;

impl Rows for RegexpRows {
    type Row = GlobalRegexp;

    fn field(&self, it: &Self::Row, name: &str) -> Value {
        match name {
            "regexpid" => number(it.regexpid),
            "name" => text(it.name.as_str()),
            "test_string" => text(it.test_string.as_str()),
            _ => Value::Null,
        }
    }

    fn select(&self, it: &Self::Row, _: &Select, output: &Output) -> Result<Value, ApiError> {
        Ok(json::parts(EXPRESSION, it.expressions.iter(), output, |it, field| match field {
            "expression" => text(it.expression.as_str()),
            "expression_type" => number(it.kind.code()),
            "exp_delimiter" => text(it.exp_delimiter.as_str()),
            _ => flag(it.case_sensitive),
        }))
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.id_set("regexpids")?;
    let is_wanted =
        |it: &&GlobalRegexp| ids.as_ref().is_none_or(|ids| ids.contains(&it.regexpid.0));
    let rows = ctx.snapshot.globals.regexps.iter().filter(is_wanted);
    query::answer(&OBJECT, &RegexpRows, rows.cloned(), &get.options)
}
