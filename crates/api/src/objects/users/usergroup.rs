//! User groups: `usergroup.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::UserGroupId;
use model::content::{RoleType, UserGroup};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{FLAG, Field, FieldType, Gives, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, flag, number, str_of, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::USER_REF;
use crate::objects::common::scope::Get;
use crate::query::{self, Output, Rows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

pub(crate) const RIGHT: &[Field] = &[
    Field::new("id", FieldType::Id, Rule::Required, "Group"),
    Field::new(
        "permission",
        FieldType::Code(&[0, 2, 3]),
        Rule::Required,
        "0 denied, 2 read, 3 read and write",
    ),
];

pub(crate) const OBJECT: Object = Object {
    name: "usergroup",
    type_name: "UserGroup",
    id: "usrgrpid",
    ids: "usrgrpids",
    fields: &[
        Field::new("usrgrpid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 64 }, Rule::Required, "Name"),
        Field::new(
            "gui_access",
            FieldType::Code(&[0, 1, 2, 3]),
            Rule::Default("0"),
            "0 default, 1 internal, 3 no pages, only the API; 2 (LDAP) is refused",
        ),
        Field::new("users_status", FLAG, Rule::Default("0"), "1: users of the group are disabled"),
        Field::new("debug_mode", FLAG, Rule::Default("0"), "Kept for clients"),
        Field::new("hostgroup_rights", FieldType::List(RIGHT), Rule::Optional, "On host groups"),
        Field::new(
            "templategroup_rights",
            FieldType::List(RIGHT),
            Rule::Optional,
            "On template groups",
        ),
        Field::new("tag_filters", FieldType::List(&[]), Rule::Optional, "Not used yet: empty"),
        Field::new("users", FieldType::List(USER_REF), Rule::Optional, "Members"),
        Field::new("userdirectoryid", FieldType::Id, Rule::ReadOnly, "Always 0"),
        Field::new("mfa_status", FLAG, Rule::ReadOnly, "Always 0"),
        Field::new("mfaid", FieldType::Id, Rule::ReadOnly, "Always 0"),
    ],
    selects: &[
        Select::new("selectUsers", "users", Gives::Objects("user")).countable(),
        Select::new("selectHostGroupRights", "hostgroup_rights", Gives::Parts(RIGHT)).countable(),
        Select::new("selectTemplateGroupRights", "templategroup_rights", Gives::Parts(RIGHT))
            .countable(),
        Select::new("selectTagFilters", "tag_filters", Gives::Nothing).countable(),
        Select::new("selectRights", "rights", Gives::Parts(RIGHT)).countable(),
    ],
    params: Params::of(&["usrgrpids", "userids", "status", "limitSelects"])
        .foreign(&["mfaids"])
        .refused(&["mfa_status"]),
    sort: &["usrgrpid", "name"],
    doc: "Users who have rights together",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("usergroup.get", get),
        Method::edit("usergroup.create", |ctx, params| CRUD.create(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("usergroup.update", |ctx, params| CRUD.update(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("usergroup.delete", |ctx, params| CRUD.delete(ctx, params))
            .of(RoleType::SuperAdmin),
    ],
)
.related(|ctx, rows, output| {
    let Related::UserGroups(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &UserGroupRows { ctx }, rows.into_iter(), output)
});

const CRUD: Crud = Crud {
    object: &OBJECT,
    kind: ObjectKind::UserGroup,
    may_change: |ctx, id| ctx.snapshot.access.groups.contains_key(&UserGroupId(id)),
    check,
};

fn check(_: &Ctx, fields: &mut Fields, _: Mode, path: &str) -> Result<(), ApiError> {
    if str_of(fields, "gui_access") == "2" {
        let what = "value must be one of 0, 1, 3: there is no LDAP yet";
        return Err(ApiError::field(&format!("{path}/gui_access"), what));
    }
    fields.remove("tag_filters");
    Ok(())
}

struct UserGroupRows<'a> {
    ctx: &'a Ctx,
}

impl<'a> Rows for UserGroupRows<'a> {
    type Row = &'a Arc<UserGroup>;

    fn field(&self, group: &Self::Row, name: &str) -> Value {
        match name {
            "usrgrpid" => number(group.usrgrpid),
            "name" => text(group.name.as_str()),
            "gui_access" => number(group.gui_access),
            "users_status" => number(group.users_status),
            "debug_mode" => number(group.debug_mode),
            "userdirectoryid" | "mfa_status" | "mfaid" => flag(false),
            _ => Value::Null,
        }
    }

    fn select(
        &self,
        group: &Self::Row,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let right = |id: u64, permission: i64, field: &str| match field {
            "id" => number(id),
            _ => number(permission),
        };
        Ok(match select.param {
            "selectUsers" => {
                let users = self.ctx.snapshot.access.users.values();
                let members = users.filter(|it| it.groups.contains(&group.usrgrpid));
                self.ctx.related(select, Related::Users(members.collect()), output)
            }
            "selectHostGroupRights" | "selectRights" => {
                let rights = group.hostgroup_rights.iter();
                json::parts(RIGHT, rights, output, |it, field| right(it.id.0, it.permission, field))
            }
            "selectTemplateGroupRights" => {
                let rights = group.templategroup_rights.iter();
                json::parts(RIGHT, rights, output, |it, field| right(it.id.0, it.permission, field))
            }
            _ if *output == Output::Count => json!("0"),
            _ => json!([]),
        })
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.id_set("usrgrpids")?;
    let users = get.id_set("userids")?;
    let status = get.number("status")?;
    let access = &ctx.snapshot.access;
    let has_user = |id: UserGroupId, wanted: &model::map::Set<u64>| {
        access.users.values().any(|it| wanted.contains(&it.userid.0) && it.groups.contains(&id))
    };
    let groups = access.groups.values().filter(|it| {
        (ctx.is_super_admin() || ctx.caller.identity.groups.contains(&it.usrgrpid))
            && ids.as_ref().is_none_or(|ids| ids.contains(&it.usrgrpid.0))
            && users.as_ref().is_none_or(|users| has_user(it.usrgrpid, users))
            && status.is_none_or(|status| status == it.users_status)
            && (!get.options.editable || ctx.is_super_admin())
    });
    query::answer(&OBJECT, &UserGroupRows { ctx }, groups, &get.options)
}
