//! User groups: `usergroup.*`.

use db::ObjectKind;
use model::UserGroupId;
use model::content::{RoleType, UserGroup};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{FLAG, Field, FieldType, Gives, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{Fields, Scalar, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::USER_REF;
use crate::objects::common::scope::Get;
use crate::objects::users::AccessFamily;
use crate::query::table::{self, PartColumn, ReaderOf, RowOf};
use crate::query::{self, Column, Output, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// A right: the id of a group, and what its users may do.
type Right = (u64, i64);

const RIGHT_COLUMNS: &[PartColumn<Right>] = &[
    PartColumn::of_content(Field::new("id", FieldType::Id, Rule::Required, "Group"), |it| {
        Scalar::Id(it.0)
    }),
    PartColumn::of_content(
        Field::new(
            "permission",
            FieldType::Code(&[0, 2, 3]),
            Rule::Required,
            "0 denied, 2 read, 3 read and write",
        ),
        |it| Scalar::Number(it.1),
    ),
];
pub(crate) const RIGHT: &[Field] = &table::fields::<_, { RIGHT_COLUMNS.len() }>(RIGHT_COLUMNS);

type UserGroupColumn = Column<AccessFamily<UserGroup>>;

const COLUMNS: &[UserGroupColumn] = &[
    UserGroupColumn::of_content(
        Field::new("usrgrpid", FieldType::Id, Rule::ReadOnly, "Id"),
        |it| Scalar::Id(it.usrgrpid.0),
    ),
    UserGroupColumn::of_content(
        Field::new("name", FieldType::Text { max: 64 }, Rule::Required, "Name"),
        |it| Scalar::Text(&it.name),
    ),
    UserGroupColumn::of_content(
        Field::new(
            "gui_access",
            FieldType::Code(&[0, 1, 2, 3]),
            Rule::Default("0"),
            "0 default, 1 internal, 3 no pages, only the API; 2 (LDAP) is refused",
        ),
        |it| Scalar::Number(it.gui_access),
    ),
    UserGroupColumn::of_content(
        Field::new("users_status", FLAG, Rule::Default("0"), "1: users of the group are disabled"),
        |it| Scalar::Number(it.users_status),
    ),
    UserGroupColumn::of_content(
        Field::new("debug_mode", FLAG, Rule::Default("0"), "Kept for clients"),
        |it| Scalar::Number(it.debug_mode),
    ),
    UserGroupColumn::given_only(Field::new(
        "hostgroup_rights",
        FieldType::List(RIGHT),
        Rule::Optional,
        "On host groups",
    )),
    UserGroupColumn::given_only(Field::new(
        "templategroup_rights",
        FieldType::List(RIGHT),
        Rule::Optional,
        "On template groups",
    )),
    UserGroupColumn::given_only(Field::new(
        "tag_filters",
        FieldType::List(&[]),
        Rule::Optional,
        "Not used yet: empty",
    )),
    UserGroupColumn::given_only(Field::new(
        "users",
        FieldType::List(USER_REF),
        Rule::Optional,
        "Members",
    )),
    UserGroupColumn::of_content(
        Field::new("userdirectoryid", FieldType::Id, Rule::ReadOnly, "Always 0"),
        |_| Scalar::Flag(false),
    ),
    UserGroupColumn::of_content(Field::new("mfa_status", FLAG, Rule::ReadOnly, "Always 0"), |_| {
        Scalar::Flag(false)
    }),
    UserGroupColumn::of_content(
        Field::new("mfaid", FieldType::Id, Rule::ReadOnly, "Always 0"),
        |_| Scalar::Flag(false),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

pub(crate) const OBJECT: Object = Object {
    name: "usergroup",
    type_name: "UserGroup",
    id: "usrgrpid",
    ids: "usrgrpids",
    fields: &FIELDS,
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
    query::related(&OBJECT, &UserGroupRows::new(ctx), rows.into_iter().map(|it| &**it), output)
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

struct UserGroups;

type UserGroupRows<'a> = TableRows<'a, UserGroups>;

impl Table for UserGroups {
    type Family = AccessFamily<UserGroup>;

    fn columns() -> &'static [UserGroupColumn] {
        const { COLUMNS }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        group: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let rights = |list: Vec<Right>| table::parts(RIGHT_COLUMNS, &(), list.iter(), output);
        Ok(match select.param {
            "selectUsers" => {
                let users = ctx.snapshot.access.users.values();
                let members = users.filter(|it| it.groups.contains(&group.usrgrpid));
                ctx.related(select, Related::Users(members.collect()), output)
            }
            "selectHostGroupRights" | "selectRights" => {
                let each = group.hostgroup_rights.iter();
                rights(each.map(|it| (it.id.0, it.permission)).collect())
            }
            "selectTemplateGroupRights" => {
                let each = group.templategroup_rights.iter();
                rights(each.map(|it| (it.id.0, it.permission)).collect())
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
    let groups = groups.map(|it| &**it);
    query::answer(&OBJECT, &UserGroupRows::new(ctx), groups, &get.options)
}
