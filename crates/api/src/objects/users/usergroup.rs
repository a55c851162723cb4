//! User groups: `usergroup.*`.

use db::ObjectKind;
use model::UserGroupId;
use model::content::{RoleType, UiElement, UserGroup, UserGroupTagFilter};
use model::field_path::FieldPath;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Depends, FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee,
    Select, Unknown, When, Writes,
};
use crate::error::ApiError;
use crate::json::{Fields, Scalar, id_of, list_of, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::USER_REF;
use crate::objects::common::scope::Get;
use crate::objects::users::{AccessFamily, PAGES_DISABLED};
use crate::query::table::{self, PartColumn, ReaderOf, RowOf};
use crate::query::{self, Column, Output, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// A permission: the id of a group, and the level.
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

const TAG_FILTER_COLUMNS: &[PartColumn<UserGroupTagFilter>] = &[
    PartColumn::of_content(
        Field::new("groupid", FieldType::Id, Rule::Required, "Host group"),
        |it| Scalar::Id(it.groupid.0),
    ),
    PartColumn::of_content(
        Field::new(
            "tag",
            FieldType::Text { max: 255 },
            Rule::Default(""),
            "Problems with this tag are seen; empty: all of the host group",
        ),
        |it| Scalar::Text(&it.tag),
    ),
    PartColumn::of_content(
        Field::new(
            "value",
            FieldType::Text { max: 255 },
            Rule::Default(""),
            "Value of the tag; empty: any",
        ),
        |it| Scalar::Text(&it.value),
    ),
];
const TAG_FILTER: &[Field] = &table::fields::<_, { TAG_FILTER_COLUMNS.len() }>(TAG_FILTER_COLUMNS);

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
            "0 default, 1 internal, 2 LDAP (logins are not possible yet), 3 no pages, only the API",
        ),
        |it| Scalar::Number(it.gui_access),
    ),
    UserGroupColumn::of_content(
        Field::new("users_status", FLAG, Rule::Default("0"), "1: users of the group are disabled"),
        |it| Scalar::Number(it.users_status),
    ),
    UserGroupColumn::of_content(
        Field::new("debug_mode", FLAG, Rule::Default("0"), "1: debug mode; kept for clients"),
        |it| Scalar::Number(it.debug_mode),
    ),
    UserGroupColumn::of_content(
        Field::new("userdirectoryid", FieldType::Id, Rule::Default("0"), "Always 0")
            .depends(&Depends::known(&[When::of("gui_access", &["0", "2"])])),
        |_| Scalar::Flag(false),
    ),
    UserGroupColumn::of_content(
        Field::new("mfa_status", FLAG, Rule::Default("0"), "Always 0"),
        |_| Scalar::Flag(false),
    ),
    UserGroupColumn::of_content(
        Field::new("mfaid", FieldType::Id, Rule::Default("0"), "Always 0")
            .depends(&Depends::only(&[When::of("mfa_status", &["1"])])),
        |_| Scalar::Flag(false),
    ),
    UserGroupColumn::given_only(
        Field::new(
            "hostgroup_rights",
            FieldType::List(RIGHT),
            Rule::Optional,
            "On host groups",
        )
        .unique(&[&["id"]]),
    ),
    UserGroupColumn::given_only(
        Field::new(
            "templategroup_rights",
            FieldType::List(RIGHT),
            Rule::Optional,
            "On template groups",
        )
        .unique(&[&["id"]]),
    ),
    UserGroupColumn::given_only(
        Field::new(
            "tag_filters",
            FieldType::List(TAG_FILTER),
            Rule::Optional,
            "Problems that users see; as soon as there is one, of host groups that none names no problem is \
             seen",
        )
        .list_only()
        .unique(&[&["groupid", "tag", "value"]]),
    ),
    UserGroupColumn::given_only(Field::new(
        "users",
        FieldType::List(USER_REF),
        Rule::Optional,
        "Members",
    )),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

pub(crate) const OBJECT: Object = Object {
    name: "usergroup",
    type_name: "UserGroup",
    nouns: Nouns { one: "a user group", several: "user groups" },
    resource: Some(11),
    role: RoleRule::one_of(&[UiElement::UserGroups]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["name"]],
    }),
    id: "usrgrpid",
    ids: "usrgrpids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectUsers", "users", Gives::Objects("user")).countable(),
        Select::new("selectHostGroupRights", "hostgroup_rights", Gives::Parts(RIGHT)).countable(),
        Select::new("selectTemplateGroupRights", "templategroup_rights", Gives::Parts(RIGHT))
            .countable(),
        Select::new("selectTagFilters", "tag_filters", Gives::Parts(TAG_FILTER)).countable(),
        Select::new("selectRights", "rights", Gives::Parts(RIGHT)).countable(),
    ],
    params: Params::of(&["usrgrpids", "userids", "status", "mfa_status", "limitSelects"])
        .foreign(&["mfaids"])
        .checked(&["output", "filter", "search"]),
    sort: &["usrgrpid", "name"],
    doc: "Users with common permissions",
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

fn check(ctx: &Ctx, fields: &mut Fields, _: Mode, path: &FieldPath) -> Result<(), ApiError> {
    for filter in list_of(fields, "tag_filters") {
        if str_of(filter, "tag").is_empty() && !str_of(filter, "value").is_empty() {
            return Err(ApiError::params("Incorrect value for field \"tag\": cannot be empty."));
        }
    }
    // There are none of these yet.
    for (name, what) in [
        ("userdirectoryid", "object does not exist"),
        ("mfa_status", "value must be 0"),
        ("mfaid", "object does not exist"),
    ] {
        let given = fields.remove(name);
        if given.is_some_and(|it| it != "0") {
            return Err(ApiError::field(path.member(name), what));
        }
    }
    check_own(ctx, fields)
}

/// Users cannot lock themselves out.
fn check_own(ctx: &Ctx, fields: &Fields) -> Result<(), ApiError> {
    let id = id_of(fields, "usrgrpid").map(UserGroupId);
    let old = id.and_then(|it| ctx.snapshot.access.groups.get(&it));
    let own = ctx.rights.userid;
    let is_member = match fields.get("users") {
        Some(_) => list_of(fields, "users").any(|it| id_of(it, "userid") == Some(own.0)),
        None => id.is_some_and(|it| ctx.caller.identity.groups.contains(&it)),
    };
    let code = |name: &str, old: Option<i64>| match fields.get(name) {
        Some(_) => str_of(fields, name).parse().unwrap_or_default(),
        None => old.unwrap_or_default(),
    };
    let gui_access = code("gui_access", old.map(|it| it.gui_access));
    let status = code("users_status", old.map(|it| it.users_status));
    if is_member && (status != 0 || gui_access == PAGES_DISABLED) {
        return Err(ApiError::params(OWN_GROUP));
    }
    Ok(())
}

pub(crate) const OWN_GROUP: &str =
    "User cannot add oneself to a disabled group or a group with disabled GUI access.";

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
            "selectTagFilters" => {
                table::parts(TAG_FILTER_COLUMNS, &(), group.tag_filters.iter(), output)
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
    // Of all groups it is 0.
    let has_mfa = get.id_set("mfa_status")?.is_some_and(|it| !it.contains(&0));
    let access = &ctx.snapshot.access;
    let has_user = |id: UserGroupId, wanted: &model::map::Set<u64>| {
        access.users.values().any(|it| wanted.contains(&it.userid.0) && it.groups.contains(&id))
    };
    let groups = access.groups.values().filter(|it| {
        (ctx.is_super_admin() || ctx.caller.identity.groups.contains(&it.usrgrpid))
            && ids.as_ref().is_none_or(|ids| ids.contains(&it.usrgrpid.0))
            && users.as_ref().is_none_or(|users| has_user(it.usrgrpid, users))
            && status.is_none_or(|status| status == it.users_status)
            && !has_mfa
            && (!get.options.editable || ctx.is_super_admin())
    });
    let groups = groups.map(|it| &**it);
    query::answer(&OBJECT, &UserGroupRows::new(ctx), groups, &get.options)
}
