//! API tokens: `token.*`.

use db::ObjectKind;
use model::content::{RoleAction, RoleType, Token};
use model::field_path::FieldPath;
use model::{TokenId, UserId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    FLAG, Field, FieldType, NeededAction, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, Writes,
};
use crate::error::{ApiError, param};
use crate::json::{Fields, Scalar, id_of, number, str_of, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::LONG;
use crate::objects::common::scope::Get;
use crate::query::table::{self, PartColumn, PartFamily, ReaderOf, RowOf};
use crate::query::{self, Output, Table, TableRows};
use crate::shared::Ctx;
use crate::validate::{self, Mode};

type TokenColumn = PartColumn<Token>;

const COLUMNS: &[TokenColumn] = &[
    TokenColumn::of_content(Field::new("tokenid", FieldType::Id, Rule::ReadOnly, "Id"), |it| {
        Scalar::Id(it.tokenid.0)
    }),
    TokenColumn::of_content(
        Field::new("name", FieldType::Text { max: 64 }, Rule::Required, "Name"),
        |it| Scalar::Text(&it.name),
    ),
    TokenColumn::of_content(
        Field::new("description", LONG, Rule::Default(""), "Description"),
        |it| Scalar::Text(&it.description),
    ),
    TokenColumn::of_content(
        Field::new("userid", FieldType::Id, Rule::Constant("0"), "Its user; 0: the caller"),
        |it| Scalar::Id(it.userid.0),
    ),
    TokenColumn::of_content(
        Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled"),
        |it| Scalar::Number(it.status),
    ),
    TokenColumn::of_content(
        Field::new(
            "expires_at",
            FieldType::Int { min: i32::MIN as i64, max: i32::MAX as i64 },
            Rule::Default("0"),
            "When it expires; 0: never",
        ),
        |it| Scalar::Number(it.expires_at),
    ),
    TokenColumn::of_content(
        Field::new("lastaccess", FieldType::Timestamp, Rule::ReadOnly, "Not kept yet: 0"),
        |_| Scalar::Flag(false),
    ),
    TokenColumn::of_content(
        Field::new("created_at", FieldType::Timestamp, Rule::ReadOnly, "When it was made"),
        |it| Scalar::Number(it.created_at),
    ),
    TokenColumn::of_content(
        Field::new("creator_userid", FieldType::Id, Rule::ReadOnly, "Who made it"),
        |it| Scalar::Id(it.creator_userid.0),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

const OBJECT: Object = Object {
    name: "token",
    type_name: "Token",
    nouns: Nouns { one: "an API token", several: "API tokens" },
    resource: Some(45),
    role: RoleRule::ANY_PAGE.needs(NeededAction::Always(RoleAction::ManageApiTokens)),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["userid", "name"]],
    }),
    id: "tokenid",
    ids: "tokenids",
    fields: &FIELDS,
    selects: &[],
    params: Params::of(&["tokenids", "userids", "token", "valid_at", "expired_at"])
        .strict()
        .without(&["editable"])
        .without_id()
        .found_by(
            &[
                "tokenid",
                "name",
                "userid",
                "lastaccess",
                "status",
                "expires_at",
                "created_at",
                "creator_userid",
            ],
            &["name", "description"],
        ),
    sort: &["tokenid", "name", "lastaccess", "status", "expires_at", "created_at"],
    doc: "A key for programs that call the API",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("token.get", get),
        Method::edit("token.create", |ctx, params| CRUD.create(ctx, params)).of(RoleType::User),
        Method::edit("token.update", |ctx, params| CRUD.update(ctx, params)).of(RoleType::User),
        Method::edit("token.delete", |ctx, params| CRUD.delete(ctx, params)).of(RoleType::User),
        Method::edit("token.generate", generate).of(RoleType::User),
    ],
);

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::Token, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let token = ctx.snapshot.access.tokens.get(&TokenId(id));
    token.is_some_and(|it| ctx.is_super_admin() || it.userid == ctx.rights.userid)
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    if mode == Mode::Update {
        return Ok(());
    }
    let own = ctx.rights.userid;
    let user = match fields.get("userid") {
        // It has been filled in: no user has this id.
        Some(_) if str_of(fields, "userid") == "0" => own,
        Some(_) => UserId(id_of(fields, "userid").unwrap_or_default()),
        None => own,
    };
    let is_known = ctx.snapshot.access.users.contains_key(&user);
    if user != own && !(is_known && ctx.is_super_admin()) {
        return Err(ApiError::params(format!("User with ID \"{user}\" is not available.")));
    }
    fields.insert("userid".to_owned(), text(user.to_string()));
    fields.insert("created_at".to_owned(), number(ctx.now.clock()));
    fields.insert("creator_userid".to_owned(), number(own));
    Ok(())
}

/// New texts for tokens: shown this once.
fn generate(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let ids = validate::ids(params)?;
    if !ids.iter().all(|it| may_change(ctx, *it)) {
        return Err(ApiError::no_permissions());
    }
    let texts = ctx.edit(|e| {
        let each = ids.iter().map(|it| e.generate_token(TokenId(*it)).map(|text| (*it, text)));
        each.collect::<Result<Vec<_>, _>>()
    })?;
    let list = texts.into_iter();
    Ok(list.map(|(id, text)| json!({"tokenid": id.to_string(), "token": text})).collect())
}

struct Tokens;

impl Table for Tokens {
    type Family = PartFamily<Token>;

    fn columns() -> &'static [TokenColumn] {
        COLUMNS
    }

    fn select<'a>(
        _: &ReaderOf<'a, Self>,
        _: RowOf<'a, Self>,
        _: &Select,
        _: &Output,
    ) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

const CLOCK: FieldType = FieldType::Int { min: 0, max: 2_147_483_647 };
const VALID_AT: Field = Field::new("valid_at", CLOCK, Rule::Optional, "Valid at this time");
const EXPIRED_AT: Field = Field::new("expired_at", CLOCK, Rule::Optional, "Expired at this time");
const TOKEN: Field =
    Field::new("token", FieldType::Text { max: usize::MAX }, Rule::Optional, "Its text")
        .never_empty();

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.id_set("tokenids")?;
    let users = get.id_set("userids")?;
    let read = |field: &Field| {
        let given = get.param(field.name);
        given.map(|it| validate::value(field, it, &param(field.name))).transpose()
    };
    let [valid_at, expired_at] =
        [read(&VALID_AT)?, read(&EXPIRED_AT)?].map(|it| it.as_ref().and_then(validate::number));
    let given = read(&TOKEN)?;
    let given = given.as_ref().and_then(Value::as_str);
    let by_text = given.map(|it| ctx.db().authenticate(it, ctx.now).and_then(|it| it.token));
    let has_ended = |it: &Token, at: i64| it.expires_at != 0 && it.expires_at <= at;
    let tokens = ctx.snapshot.access.tokens.values().filter(|it| {
        may_change(ctx, it.tokenid.0)
            && ids.as_ref().is_none_or(|ids| ids.contains(&it.tokenid.0))
            && users.as_ref().is_none_or(|users| users.contains(&it.userid.0))
            && by_text.is_none_or(|id| id == Some(it.tokenid))
            && valid_at.is_none_or(|at| !has_ended(it, at))
            && expired_at.is_none_or(|at| has_ended(it, at))
    });
    let tokens = tokens.map(|it| &**it);
    query::answer(&OBJECT, &TableRows::<Tokens>::new(()), tokens, &get.options)
}
