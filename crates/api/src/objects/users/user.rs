//! Users: `user.*` except logging in and out (see `crate::login`).

use std::borrow::Cow;
use std::collections::BTreeSet;

use db::objects::settings::{LOCALES, THEMES};
use db::objects::sla::time_zone;
use db::{Act, AuditAction, FailedLogins, ObjectKind};
use model::content::{Media, RoleAction, RoleType, UiElement, User};
use model::field_path::FieldPath;
use model::version::Version;
use model::{RoleId, UserGroupId, UserId};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::describe::{
    ChangedFrom, FLAG, Field, FieldType, Form, Gives, Nouns, Object, Params, RoleRule, Rule,
    RulesSee, Select, Unknown, Writes, joined,
};
use crate::error::ApiError;
use crate::json::{Fields, Scalar, id_of, list_of, number, str_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::checks;
use crate::objects::common::crud::{self, Crud};
use crate::objects::common::parts::{LINE, USER_GROUP_REF};
use crate::objects::common::scope::Get;
use crate::objects::users::media::{self, MEDIA};
use crate::objects::users::usergroup;
use crate::objects::users::{AccessFamily, BY_DIRECTORY, PAGES_DISABLED};
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Column, Output, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

const NAME: FieldType = FieldType::Text { max: 100 };
const PASSWORD: FieldType = FieldType::Text { max: db::PASSWORD_CHARS_MAX };
const UNUSED: FieldType = FieldType::Id;
/// The user of requests without a login.
const GUEST: &str = "guest";
/// Code of the type of a role.
const SUPER_ADMIN: &str = "3";

pub(crate) const OBJECT: Object = Object {
    name: "user",
    type_name: "User",
    nouns: Nouns { one: "a user", several: "users" },
    resource: Some(0),
    role: RoleRule::one_of(&[UiElement::Users])
        .except(&[("update", ChangedFrom::AnyPage), ("logout", ChangedFrom::AnyPage)]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Given,
        unique: &[&["username"]],
    }),
    id: "userid",
    ids: "userids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectUsrgrps", "usrgrps", Gives::Objects("usergroup")),
        Select::new("selectRole", "role", Gives::Object("role")),
        Select::new("selectMedias", "medias", Gives::Parts(MEDIA)),
        Select::new("selectMediatypes", "mediatypes", Gives::Objects("mediatype")),
    ],
    params: Params::of(&[
        "userids",
        "usrgrpids",
        "mediaids",
        "mediatypeids",
        "getAccess",
        "limitSelects",
    ])
    .strict()
    .without_id_since(Version::V7_4),
    sort: &["userid", "username"],
    doc: "A person who may log in",
};

const LANGUAGES: [&str; LOCALES.len() + 1] = joined(&["default"], LOCALES);
const COLORS: [&str; THEMES.len() + 1] = joined(&["default"], THEMES);

const PERIOD: &str = "seconds, or a number with one of the units s, m, h, d and w";
const LOG_OUT: Form = Form::new(
    "period-or-0",
    "0, or seconds, or a number with one of the units s, m, h, d and w",
    |text| seconds(text, "0, 90-86400", |it| it == 0 || (90..=86_400).contains(&it)),
)
.within(90, 86_400);
const REFRESH: Form =
    Form::new("period", PERIOD, |text| seconds(text, "0-3600", |it| it <= 3_600)).within(0, 3_600);
const ZONE: Form =
    Form::new("time-zone", "a time zone such as `Europe/Riga`, `system` or `default`", |name| {
        if name == "default" { Ok(()) } else { time_zone(name) }
    });

fn seconds(text: &str, range: &str, is_good: fn(u64) -> bool) -> Result<(), Cow<'static, str>> {
    match formats::number::parse_duration_s(text) {
        None => Err("a time unit is expected".into()),
        Some(it) if is_good(it) => Ok(()),
        Some(_) => Err(format!("value must be one of {range}").into()),
    }
}

type UserColumn = Column<AccessFamily<User>>;

const COLUMNS: &[UserColumn] = &[
    UserColumn::of_content(Field::new("userid", FieldType::Id, Rule::ReadOnly, "Id"), |it| {
        Scalar::Id(it.userid.0)
    }),
    UserColumn::of_content(
        Field::new("username", NAME, Rule::Required, "Name to log in with"),
        |it| Scalar::Text(&it.username),
    ),
    UserColumn::of_content(Field::new("name", NAME, Rule::Default(""), "First name"), |it| {
        Scalar::Text(&it.name)
    }),
    UserColumn::of_content(Field::new("surname", NAME, Rule::Default(""), "Last name"), |it| {
        Scalar::Text(&it.surname)
    }),
    UserColumn::given_only(
        Field::new("current_passwd", LINE, Rule::WriteOnly, "Needed to change the own password")
            .never_empty()
            .update_only(),
    ),
    UserColumn::given_only(
        Field::new("passwd", PASSWORD, Rule::WriteOnly, "Password").never_empty(),
    ),
    UserColumn::of_content(
        Field::new(
            "url",
            FieldType::Text { max: 2_048 },
            Rule::Default(""),
            "First page after login",
        ),
        |it| Scalar::Text(&it.url),
    ),
    UserColumn::of_content(
        Field::new("autologin", FLAG, Rule::Default("0"), "1: the browser stays logged in"),
        |it| Scalar::Text(&it.autologin),
    ),
    UserColumn::of_content(
        Field::new(
            "autologout",
            LINE,
            Rule::Default("15m"),
            "Idle time that ends a session; 0: none",
        )
        .or_number()
        .never_empty()
        .shaped(&LOG_OUT),
        |it| Scalar::Text(&it.autologout),
    ),
    UserColumn::of_content(
        Field::new("lang", LINE, Rule::Default("default"), "Language")
            .never_empty()
            .words(&LANGUAGES),
        |it| Scalar::Text(&it.lang),
    ),
    UserColumn::of_content(
        Field::new("refresh", LINE, Rule::Default("30s"), "Kept for clients")
            .or_number()
            .never_empty()
            .shaped(&REFRESH),
        |it| Scalar::Text(&it.refresh),
    ),
    UserColumn::of_content(
        Field::new("theme", LINE, Rule::Default("default"), "Theme").words(&COLORS),
        |it| Scalar::Text(&it.theme),
    ),
    UserColumn::of_content(
        Field::new(
            "rows_per_page",
            FieldType::Int { min: 1, max: 999_999 },
            Rule::Default("50"),
            "Kept for clients",
        ),
        |it| Scalar::Text(&it.rows_per_page),
    ),
    UserColumn::of_content(
        Field::new("timezone", LINE, Rule::Default("default"), "Time zone")
            .never_empty()
            .shaped(&ZONE),
        |it| Scalar::Text(&it.timezone),
    ),
    UserColumn::of_content(
        Field::new("roleid", FieldType::Id, Rule::Default("0"), "Role; 0: none, and no access"),
        |it| Scalar::Id(it.roleid.0),
    ),
    UserColumn::given_only(
        Field::new("usrgrps", FieldType::List(USER_GROUP_REF), Rule::Optional, "User groups")
            .list_only(),
    ),
    UserColumn::given_only(
        Field::new(
            "medias",
            FieldType::List(MEDIA),
            Rule::Optional,
            "Where messages reach the user",
        )
        .list_only()
        .unique(&[&["mediaid"]]),
    ),
    UserColumn::of_content(
        Field::new("userdirectoryid", UNUSED, Rule::ReadOnly, "Always 0"),
        |_| Scalar::Flag(false),
    ),
    UserColumn::of_row(
        Field::new(
            "attempt_failed",
            FieldType::Int { min: 0, max: i64::MAX },
            Rule::ReadOnly,
            "Failed logins since the last successful one; shown to users of themselves, and to super admins of all",
        ),
        |ctx, it| Scalar::Number(failed(ctx, it).n.into()),
    ),
    UserColumn::of_row(
        Field::new("attempt_ip", LINE, Rule::ReadOnly, "Where the last failed login came from"),
        |ctx, it| Scalar::Made(failed(ctx, it).ip.into()),
    ),
    UserColumn::of_row(
        Field::new(
            "attempt_clock",
            FieldType::Timestamp,
            Rule::ReadOnly,
            "When the last failed login was; 0: there was none",
        ),
        |ctx, it| Scalar::Number(failed(ctx, it).clock),
    ),
    UserColumn::of_content(
        Field::new("ts_provisioned", FieldType::Timestamp, Rule::ReadOnly, "Always 0"),
        |_| Scalar::Flag(false),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("user.get", get),
        Method::edit("user.create", |ctx, params| CRUD.create(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("user.update", |ctx, params| CRUD.update(ctx, params)).of(RoleType::User),
        Method::edit("user.delete", |ctx, params| CRUD.delete(ctx, params))
            .of(RoleType::SuperAdmin),
        Method::edit("user.unblock", unblock).of(RoleType::SuperAdmin),
        Method::edit("user.provision", provision).of(RoleType::SuperAdmin),
        Method::edit("user.resettotp", reset_totp).of(RoleType::SuperAdmin),
    ],
)
.related(|ctx, rows, output| {
    let Related::Users(rows) = rows else { return json!([]) };
    let visible = rows.into_iter().map(|it| &**it).filter(|it| is_visible(ctx, it));
    query::related(&OBJECT, &UserRows::new(ctx), visible, output)
});

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::User, may_change, check };

/// Users by ids, each named once.
fn asked(ctx: &Ctx, params: &Value) -> Result<Vec<u64>, ApiError> {
    let ids = validate::ids(params)?;
    if ids.iter().all(|it| ctx.snapshot.access.users.contains_key(&UserId(*it))) {
        Ok(ids)
    } else {
        Err(ApiError::no_permissions())
    }
}

/// Ends the wait after failed logins.
fn unblock(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let ids = asked(ctx, params)?;
    let mut acts = Vec::new();
    for id in &ids {
        let Some(user) = ctx.snapshot.access.users.get(&UserId(*id)) else { continue };
        let n_failed = ctx.db().failed_logins(user.userid).n;
        ctx.db().unblock(&user.username);
        if n_failed == 0 {
            continue;
        }
        let said = json!(["update", "0", n_failed.to_string()]);
        acts.push(Act {
            action: AuditAction::Update,
            kind: "user",
            resourceid: *id,
            name: user.username.clone(),
            details: Map::from_iter([("user.attempt_failed".to_owned(), said)]),
        });
    }
    ctx.note_acts(acts);
    Ok(crud::answer("userids", &ids))
}

/// Updates users from their directory: there are none.
fn provision(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    asked(ctx, params)?;
    Ok(crud::answer("userids", &[]))
}

/// Deletes secrets of a second factor: there are none, so that the call has no effect.
fn reset_totp(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    Ok(crud::answer("userids", &asked(ctx, params)?))
}

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let is_own = ctx.rights.userid == UserId(id);
    (ctx.is_super_admin() || is_own) && ctx.snapshot.access.users.contains_key(&UserId(id))
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    let user = id_of(fields, "userid").and_then(|it| ctx.snapshot.access.users.get(&UserId(it)));
    let user = user.filter(|_| mode == Mode::Update).map(|it| &**it);
    let is_own = user.is_some_and(|it| it.userid == ctx.rights.userid);
    check_settings(ctx, fields, path)?;
    check_password(ctx, fields, user, path)?;
    if user.is_some_and(|it| it.username == GUEST) {
        check_guest(fields)?;
    }
    if mode == Mode::Update && !is_own && ctx.caller.is_cookie && !ctx.has_element(UiElement::Users)
    {
        return Err(ApiError::no_permissions());
    }
    if let Some(user) = user {
        check_administrators(ctx, fields, user)?;
    }
    if let Some(user) = user.filter(|_| is_own) {
        check_own(ctx, fields, user)?;
    }
    fields.remove("current_passwd");
    check_media_right(ctx, fields, is_own, path)?;
    if mode == Mode::Create && !fields.contains_key("passwd") {
        check_without_password(ctx, fields)?;
    }
    media::check(ctx, fields, user.map_or(&[], |it| it.medias.as_slice()), path)
}

/// The user that stands for callers without a login has no name, password or look of its own.
fn check_guest(fields: &Fields) -> Result<(), ApiError> {
    if fields.get("username").is_some_and(|it| it != GUEST) {
        return Err(ApiError::params("Cannot rename guest user."));
    }
    let own = [("lang", "language"), ("theme", "theme"), ("passwd", "password")];
    match own.into_iter().find(|(name, _)| fields.contains_key(*name)) {
        Some((_, what)) => {
            Err(ApiError::params(format!("Not allowed to set {what} for user \"guest\".")))
        }
        None => Ok(()),
    }
}

/// Passwords are needed by users of groups that log in with one.
fn check_without_password(ctx: &Ctx, fields: &Fields) -> Result<(), ApiError> {
    let groups = list_of(fields, "usrgrps").map(|it| id_of(it, "usrgrpid").unwrap_or_default());
    let groups: Vec<UserGroupId> = groups.map(UserGroupId).collect();
    if matches!(access(ctx, &groups)[0], BY_DIRECTORY | PAGES_DISABLED) {
        return Ok(());
    }
    Err(ApiError::params(format!(
        "User \"{}\" must have a password, because internal authentication is in effect.",
        str_of(fields, "username")
    )))
}

/// Users who change their own password give the old one; the new one has to follow the rules.
fn check_password(
    ctx: &Ctx,
    fields: &Fields,
    user: Option<&User>,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let current = fields.get("current_passwd").and_then(Value::as_str);
    if let (Some(user), Some(current)) = (user, current)
        && !ctx.db().verify_password(user.userid, current)
    {
        return Err(ApiError::params("Incorrect current password."));
    }
    if !fields.contains_key("passwd") {
        return Ok(());
    }
    let name = |field: &str, known: fn(&User) -> &str| match fields.get(field) {
        Some(it) => query::text(it),
        None => user.map_or_else(String::new, |it| known(it).to_owned()),
    };
    let names = [
        name("username", |it| &it.username),
        name("name", |it| &it.name),
        name("surname", |it| &it.surname),
    ];
    let password = str_of(fields, "passwd");
    checks::password(ctx.snapshot.globals.settings.passwords, password, &names, path)?;
    if user.is_some_and(|it| it.userid == ctx.rights.userid) && current.is_none() {
        return Err(ApiError::params("Current password is mandatory."));
    }
    Ok(())
}

/// Whether the role lets write medias: one's own, or those of others.
fn check_media_right(
    ctx: &Ctx,
    fields: &Fields,
    is_own: bool,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let (needed, whose) = if is_own {
        (RoleAction::EditOwnMedia, "own")
    } else {
        (RoleAction::EditUserMedia, "users'")
    };
    let is_new = !fields.contains_key("userid");
    let has_any = list_of(fields, "medias").next().is_some();
    let is_asked = fields.contains_key("medias") && (has_any || !is_new);
    if is_asked && !ctx.may_act(needed) {
        let what = format!("no permissions to edit {whose} media");
        return Err(ApiError::field(path.member("medias"), &what));
    }
    Ok(())
}

/// Nobody may shut himself out, or be more than the administrators made of him.
fn check_own(ctx: &Ctx, fields: &Fields, user: &User) -> Result<(), ApiError> {
    let of_administrators = |name: &str| {
        let what = format!("Only Super admin users can update \"{name}\" parameter.");
        Err(ApiError::params(what))
    };
    let is_admin = ctx.is_super_admin();
    if !is_admin && fields.get("username").is_some_and(|it| *it != *user.username) {
        return of_administrators("username");
    }
    let role = fields.get("roleid").map(|_| RoleId(id_of(fields, "roleid").unwrap_or_default()));
    if role.is_some_and(|it| it != user.roleid) {
        return Err(ApiError::params("User cannot change own role."));
    }
    if !fields.contains_key("usrgrps") {
        return Ok(());
    }
    let given = list_of(fields, "usrgrps").map(|it| id_of(it, "usrgrpid").unwrap_or_default());
    let given: BTreeSet<UserGroupId> = given.map(UserGroupId).collect();
    if !is_admin {
        let own: BTreeSet<UserGroupId> = user.groups.iter().copied().collect();
        return if given == own { Ok(()) } else { of_administrators("usrgrps") };
    }
    let mut groups = given.iter().filter_map(|it| ctx.snapshot.access.groups.get(it));
    if groups.any(|it| it.users_status != 0 || it.gui_access == PAGES_DISABLED) {
        return Err(ApiError::params(usergroup::OWN_GROUP));
    }
    Ok(())
}

/// The user's settings of the pages: a session either stays or ends by itself.
fn check_settings(ctx: &Ctx, fields: &mut Fields, path: &FieldPath) -> Result<(), ApiError> {
    checks::url(ctx, str_of(fields, "url"), &path.member("url"))?;
    let is_on = fields.get("autologin").map(|_| str_of(fields, "autologin") != "0");
    let ends = fields.get("autologout").and_then(Value::as_str);
    let ends = ends.map(|it| formats::number::parse_duration_s(it) != Some(0));
    match (is_on, ends) {
        (Some(true), Some(true)) => {
            let what = "Auto-login and auto-logout options cannot be enabled together.";
            return Err(ApiError::params(what));
        }
        (Some(true), None) => drop(fields.insert("autologout".to_owned(), json!("0"))),
        (None, Some(true)) => drop(fields.insert("autologin".to_owned(), json!("0"))),
        _ => {}
    }
    Ok(())
}

/// Whether a user is one of those who keep the server: super admins whose role cannot be changed.
fn is_administrator(ctx: &Ctx, user: &User) -> bool {
    let role = ctx.snapshot.documents.get("role", user.roleid.0);
    role.is_some_and(|it| it.text("readonly") == "1" && it.text("type") == SUPER_ADMIN)
}

/// One of them stays who can log in.
fn check_administrators(ctx: &Ctx, fields: &Fields, user: &User) -> Result<(), ApiError> {
    let role = fields.get("roleid").map(|_| RoleId(id_of(fields, "roleid").unwrap_or_default()));
    let leaves = role.is_some_and(|it| it.is_some() && it != user.roleid);
    if !leaves || !is_administrator(ctx, user) {
        return Ok(());
    }
    let mut others = ctx.snapshot.access.users.values().filter(|it| it.userid != user.userid);
    let can_log_in = |it: &User| {
        let [gui_access, _, is_disabled] = access(ctx, &it.groups);
        !it.groups.is_empty() && gui_access < PAGES_DISABLED && is_disabled == 0
    };
    if others.any(|it| it.roleid == user.roleid && can_log_in(it)) {
        return Ok(());
    }
    let role = ctx.snapshot.documents.get("role", user.roleid.0);
    let role = role.map_or("", |it| it.text("name"));
    Err(ApiError::params(format!("At least one active user must exist with role \"{role}\".")))
}

/// Failed logins, as far as the caller may see them.
fn failed(ctx: &Ctx, user: &User) -> FailedLogins {
    let is_visible = ctx.is_super_admin() || user.userid == ctx.rights.userid;
    if is_visible { ctx.db().failed_logins(user.userid) } else { FailedLogins::default() }
}

/// A user as `user.get` and `user.login` answer it.
pub(crate) fn field(user: &User, name: &str) -> Value {
    table::content_value(COLUMNS, user, name).unwrap_or_default()
}

struct Users;

type UserRows<'a> = TableRows<'a, Users>;

impl Table for Users {
    type Family = AccessFamily<User>;

    fn columns() -> &'static [UserColumn] {
        const { COLUMNS }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        user: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        Ok(match select.param {
            "selectUsrgrps" => {
                let groups = user.groups.iter();
                let groups = groups.filter_map(|it| ctx.snapshot.access.groups.get(it));
                ctx.related(select, Related::UserGroups(groups.collect()), output)
            }
            "selectRole" => {
                let role = ctx.snapshot.documents.get("role", user.roleid.0);
                ctx.related(select, Related::Documents(role.into_iter().collect()), output)
            }
            "selectMedias" => media::select(ctx, visible_medias(ctx, user), output),
            "selectMediatypes" => {
                let ids: BTreeSet<u64> =
                    visible_medias(ctx, user).iter().map(|it| it.mediatypeid).collect();
                let documents = &ctx.snapshot.documents;
                let kinds = ids.into_iter().filter_map(|it| documents.get("mediatype", it));
                ctx.related(select, Related::Documents(kinds.collect()), output)
            }
            "getAccess" => {
                let [gui, debug, status] = access(ctx, &user.groups);
                number(match select.property {
                    "gui_access" => gui,
                    "debug_mode" => debug,
                    _ => status,
                })
            }
            _ => json!([]),
        })
    }
}

/// Super admins see all users, other users the members of their groups.
pub(crate) fn is_visible(ctx: &Ctx, user: &User) -> bool {
    let own = &ctx.caller.identity;
    ctx.is_super_admin()
        || user.userid == own.userid
        || user.groups.iter().any(|it| own.groups.contains(it))
}

/// Super admins see the medias of all users, others their own.
fn visible_medias<'a>(ctx: &Ctx, user: &'a User) -> &'a [Media] {
    let is_visible = ctx.is_super_admin() || user.userid == ctx.rights.userid;
    if is_visible { &user.medias } else { &[] }
}

/// The additions of `getAccess`.
const ACCESS: &[Select] = &[
    Select::new("getAccess", "gui_access", Gives::Nothing),
    Select::new("getAccess", "debug_mode", Gives::Nothing),
    Select::new("getAccess", "users_status", Gives::Nothing),
];

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.id_set("userids")?;
    let groups = get.id_set("usrgrpids")?;
    let (medias, kinds) = (get.id_set("mediaids")?, get.id_set("mediatypeids")?);
    let has_media = |it: &User| {
        medias.is_none() && kinds.is_none()
            || visible_medias(ctx, it).iter().any(|it| {
                medias.as_ref().is_none_or(|ids| ids.contains(&it.mediaid))
                    && kinds.as_ref().is_none_or(|ids| ids.contains(&it.mediatypeid))
            })
    };
    let users = ctx.snapshot.access.users.values().filter(|it| {
        is_visible(ctx, it)
            && ids.as_ref().is_none_or(|ids| ids.contains(&it.userid.0))
            && groups.as_ref().is_none_or(|set| it.groups.iter().any(|it| set.contains(&it.0)))
            && has_media(it)
            && (!get.options.editable || may_change(ctx, it.userid.0))
    });
    let mut options = get.options.clone();
    if get.flag("getAccess") {
        options.selects.extend(ACCESS.iter().map(|it| (it, Output::Extend)));
    }
    let users = users.map(|it| &**it);
    query::answer(&OBJECT, &UserRows::new(ctx), users, &options)
}

/// `gui_access`, `debug_mode` and `users_status`: the strictest of the groups, the most talkative
/// of the debug modes.
pub(crate) fn access(ctx: &Ctx, groups: &[UserGroupId]) -> [i64; 3] {
    let groups = groups.iter().filter_map(|it| ctx.snapshot.access.groups.get(it));
    groups.fold([0; 3], |[gui, debug, status], it| {
        [gui.max(it.gui_access), debug.max(it.debug_mode), status.max(it.users_status)]
    })
}
