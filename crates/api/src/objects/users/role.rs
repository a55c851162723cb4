//! User roles: `role.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::RoleId;
use model::content::{Role, RoleType, User};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{FLAG, Field, Gives, Kind, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{Fields, flag, number, text};
use crate::objects::common::crud::Crud;
use crate::objects::common::scope::Get;
use crate::objects::users::user;
use crate::objects::{Entry, Method};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;
use crate::validate::Mode;

const RULES: &[Field] = &[
    Field::new("api.access", FLAG, Rule::Default("1"), "Whether users may call the API"),
    Field::new("api.mode", FLAG, Rule::Default("0"), "Only 0 yet"),
    Field::new("ui.default_access", FLAG, Rule::Default("1"), "Only 1 yet"),
    Field::new("services.read.mode", FLAG, Rule::Default("1"), "Only 1 yet"),
    Field::new("services.write.mode", FLAG, Rule::Default("0"), "Has no effect"),
    Field::new("modules.default_access", FLAG, Rule::Default("1"), "Only 1 yet"),
    Field::new("actions.default_access", FLAG, Rule::Default("1"), "Only 1 yet"),
];

const OBJECT: Object = Object {
    name: "role",
    type_name: "Role",
    id: "roleid",
    ids: "roleids",
    fields: &[
        Field::new("roleid", Kind::Id, Rule::ReadOnly, "Id"),
        Field::new("name", Kind::Text { max: 255 }, Rule::Required, "Name"),
        Field::new(
            "type",
            Kind::Code(&[1, 2, 3]),
            Rule::Required,
            "1 user, 2 admin, 3 super admin",
        ),
        Field::new("readonly", FLAG, Rule::ReadOnly, "1: the role cannot be changed"),
        Field::new("rules", Kind::Object(RULES), Rule::WriteOnly, "What users of the role may do"),
    ],
    selects: &[
        Select::new("selectRules", "rules", Gives::Part(RULES)),
        Select::new("selectUsers", "users", Gives::Objects("user")).countable(),
    ],
    params: Params::of(&["roleids"]).strict(),
    sort: &["roleid", "name"],
    doc: "What kind of user someone is",
};

pub(crate) const ENTRY: Entry = Entry {
    object: &OBJECT,
    methods: &[
        Method::get("role.get", get),
        Method::edit("role.create", |ctx, params| CRUD.create(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("role.update", |ctx, params| CRUD.update(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("role.delete", |ctx, params| CRUD.delete(ctx, params))
            .of(RoleType::SuperAdmin),
    ],
};

const CRUD: Crud = Crud {
    object: &OBJECT,
    kind: ObjectKind::Role,
    may_change: |ctx, id| ctx.snapshot.access.roles.contains_key(&RoleId(id)),
    check,
};

/// Rules that are not enforced yet, with the one value that they may have: whoever forbids something
/// would believe that it is forbidden. `services.write.mode` may be either, since nothing can change
/// services.
const NOT_ENFORCED: &[(&str, &str)] = &[
    ("api.mode", "0"),
    ("ui.default_access", "1"),
    ("services.read.mode", "1"),
    ("modules.default_access", "1"),
    ("actions.default_access", "1"),
];

/// Of the rules only the access to the API is kept.
fn check(_: &Ctx, fields: &mut Fields, _: Mode, path: &str) -> Result<(), ApiError> {
    let Some(rules) = fields.remove("rules") else { return Ok(()) };
    for (name, only) in NOT_ENFORCED {
        if rules.get(*name).is_some_and(|it| query::text(it) != *only) {
            let what = format!("value must be {only}: this rule is not enforced yet");
            return Err(ApiError::field(&format!("{path}/rules/{name}"), &what));
        }
    }
    if let Some(access) = rules.get("api.access") {
        fields.insert("api_access".to_owned(), access.clone());
    }
    Ok(())
}

struct RoleRows<'a> {
    ctx: &'a Ctx,
}

impl<'a> Rows for RoleRows<'a> {
    type Row = &'a Arc<Role>;

    fn field(&self, role: &Self::Row, name: &str) -> Value {
        match name {
            "roleid" => number(role.roleid),
            "name" => text(role.name.as_str()),
            "type" => number(role.kind.code()),
            "readonly" => flag(role.readonly),
            _ => Value::Null,
        }
    }

    fn select(
        &self,
        role: &Self::Row,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        Ok(match select.param {
            "selectRules" => rules(role),
            "selectUsers" => {
                let users = self.ctx.snapshot.access.users.values();
                user::related(self.ctx, users.filter(|it| it.roleid == role.roleid), output)
            }
            _ => json!([]),
        })
    }
}

fn rules(role: &Role) -> Value {
    json!({
        "ui": [],
        "ui.default_access": "1",
        "services.read.mode": "1",
        "services.read.list": [],
        "services.read.tag": {"tag": "", "value": ""},
        "services.write.mode": if role.kind == RoleType::User { "0" } else { "1" },
        "services.write.list": [],
        "services.write.tag": {"tag": "", "value": ""},
        "modules": [],
        "modules.default_access": "1",
        "api.access": if role.api_access { "1" } else { "0" },
        "api.mode": "0",
        "api": [],
        "actions": [],
        "actions.default_access": "1",
    })
}

/// The role of a user.
pub(crate) fn of_user(ctx: &Ctx, user: &User, output: &Output) -> Value {
    match ctx.snapshot.access.roles.get(&user.roleid) {
        Some(role) => Value::Object(query::fields(&OBJECT, &RoleRows { ctx }, &role, output)),
        None => json!([]),
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.id_set("roleids")?;
    let own = ctx.caller.identity.roleid;
    let roles = ctx.snapshot.access.roles.values().filter(|it| {
        (ctx.is_super_admin() || it.roleid == own)
            && ids.as_ref().is_none_or(|ids| ids.contains(&it.roleid.0))
            && (!get.options.editable || ctx.is_super_admin() && !it.readonly)
    });
    query::answer(&OBJECT, &RoleRows { ctx }, roles, &get.options)
}
