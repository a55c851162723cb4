//! The initial objects of every installation, with Zabbix's ids: clients know them.

use model::content::{HostMacro, MacroType, RoleType, User, UserGroup};
use model::document::Body;
use model::{HostId, HostMacroId, RoleId, UserGroupId, UserId};
use serde_json::json;

use crate::configuration::editor::Editor;
use crate::configuration::ids::Ids;
use crate::configuration::objects::ObjectKind;
use crate::configuration::objects::action::ACTION;
use crate::configuration::objects::dashboard::DASHBOARD;
use crate::configuration::objects::role::ROLE;
use crate::error::{ConfigError, DbError};
use crate::sql::schema::{
    DOCUMENTS, GLOBAL_MACROS, HOST_GROUPS, IDS, TEMPLATE_GROUPS, USER_GROUPS, USERS,
};
use crate::sql::{Cell, Conflict, Rows, Sql};

/// (id, name, uuid)
const HOST_GROUP_NAMES: &[(u64, &str, &str)] = &[
    (2, "Linux servers", "dc579cd7a1a34222933f24f52a68bcd8"),
    (4, "Zabbix servers", "6f6799aa69e844b4b3918f779f2abf08"),
    (5, "Discovered hosts", "f2481361f99448eea617b7b1d4765566"),
    (6, "Virtual machines", "137f19e6e2dc4219b33553b812627bc2"),
    (7, "Hypervisors", "1b837a3c078647049a0c00c61b4d57b5"),
];

/// (id, name, uuid)
const TEMPLATE_GROUP_NAMES: &[(u64, &str, &str)] = &[
    (1, "Templates", "7df96b18c230490a9a0a9e2307226338"),
    (8, "Templates/Modules", "57b7ae836ca64446ba2c296389c009b7"),
    (9, "Templates/Network devices", "36bff6c29af64692839d077febfc7079"),
    (10, "Templates/Operating systems", "846977d1dfed4968bc5f8bdb363285bc"),
    (11, "Templates/Server hardware", "e960332b3f6c46a1956486d4f3f99fce"),
    (12, "Templates/Applications", "a571c0d144b14fd4a87a9d9b2aa9fcd6"),
    (13, "Templates/Databases", "748ad4d098d447d492bb935c907f652f"),
    (14, "Templates/Virtualization", "02e4df4f20b848e79267641790f241da"),
];

const ADMINISTRATORS: u64 = 7;

/// (id, name, users_status, gui_access)
const USER_GROUP_NAMES: &[(u64, &str, i64, i64)] = &[
    (ADMINISTRATORS, "Zabbix administrators", 0, 0),
    (8, "Guests", 1, 1),
    (9, "Disabled", 1, 0),
    (11, "Enabled debug mode", 0, 0),
    (12, "No access to the frontend", 0, 3),
    (13, "Internal", 0, 1),
];

const ROLE_NAMES: &[(u64, &str, RoleType)] = &[
    (1, "User role", RoleType::User),
    (2, "Admin role", RoleType::Admin),
    (3, "Super admin role", RoleType::SuperAdmin),
    (4, "Guest role", RoleType::User),
];

/// The user who may do everything, and the one who may do nothing.
pub(crate) const ADMIN: UserId = UserId(1);
const GUEST: UserId = UserId(2);

/// Fills tables that were just made.
pub(crate) fn fill_if_empty(sql: &mut dyn Sql) -> Result<(), DbError> {
    let mut is_empty = true;
    sql.query("select name from ids", &[], &mut |_row| {
        is_empty = false;
        Ok(false)
    })?;
    if !is_empty {
        return Ok(());
    }
    let (groups, access) = ([groups(), template_groups()], [roles(), user_groups(), users()]);
    for rows in [first_ids(), macros()].into_iter().chain(groups).chain(access) {
        sql.insert(&rows, Conflict::Fail)?;
    }
    Ok(())
}

fn json_cell(value: &impl serde::Serialize) -> Cell {
    Cell::Text(serde_json::to_string(value).expect("predefined objects are plain data"))
}

fn first_ids() -> Rows {
    let mut rows = Rows::new(&IDS);
    rows.push([Cell::text("object"), Cell::id(Ids::FIRST)]);
    rows.push([Cell::text("epoch"), Cell::Int(1)]);
    rows
}

/// Templates and interfaces name it; it is the community that devices have from their maker.
fn macros() -> Rows {
    let community = HostMacro {
        hostmacroid: HostMacroId(2),
        name: "{$SNMP_COMMUNITY}".to_owned(),
        value: "public".to_owned(),
        description: String::new(),
        kind: MacroType::Text,
    };
    let mut rows = Rows::new(&GLOBAL_MACROS);
    rows.push([Cell::id(community.hostmacroid.0), json_cell(&community)]);
    rows
}

fn groups() -> Rows {
    let mut rows = Rows::new(&HOST_GROUPS);
    for (id, name, uuid) in HOST_GROUP_NAMES {
        rows.push([Cell::id(*id), Cell::text(*name), Cell::text(*uuid)]);
    }
    rows
}

fn template_groups() -> Rows {
    let mut rows = Rows::new(&TEMPLATE_GROUPS);
    for (id, name, uuid) in TEMPLATE_GROUP_NAMES {
        rows.push([Cell::id(*id), Cell::text(*name), Cell::text(*uuid)]);
    }
    rows
}

fn roles() -> Rows {
    let mut rows = Rows::new(&DOCUMENTS);
    for (id, name, kind) in ROLE_NAMES {
        let role = json!({
            "name": name,
            "type": kind,
            // The super admin's role cannot be changed: someone must be able to repair the
            // configuration.
            "readonly": if *id == 3 { "1" } else { "0" },
            "rules": { "api.access": if *id == 4 { "0" } else { "1" } },
        });
        let version = Cell::Int(ROLE.version());
        rows.push([Cell::text("role"), Cell::id(*id), version, json_cell(&role)]);
    }
    rows
}

fn user_groups() -> Rows {
    let mut rows = Rows::new(&USER_GROUPS);
    for (id, name, users_status, gui_access) in USER_GROUP_NAMES {
        let group = UserGroup {
            usrgrpid: UserGroupId(*id),
            name: (*name).to_owned(),
            gui_access: *gui_access,
            users_status: *users_status,
            debug_mode: i64::from(*id == 11),
            ..UserGroup::default()
        };
        rows.push([Cell::id(*id), Cell::text(*name), json_cell(&group)]);
    }
    rows
}

fn user(id: UserId, username: &str, names: (&str, &str), role: u64, groups: &[u64]) -> User {
    User {
        userid: id,
        username: username.to_owned(),
        name: names.0.to_owned(),
        surname: names.1.to_owned(),
        roleid: RoleId(role),
        groups: groups.iter().map(|it| UserGroupId(*it)).collect(),
        lang: "default".to_owned(),
        theme: "default".to_owned(),
        timezone: "default".to_owned(),
        url: String::new(),
        autologin: "0".to_owned(),
        autologout: "0".to_owned(),
        refresh: "30s".to_owned(),
        rows_per_page: "50".to_owned(),
        medias: Vec::new(),
    }
}

fn users() -> Rows {
    let mut rows = Rows::new(&USERS);
    let admin = user(ADMIN, "Admin", ("Saker", "Administrator"), 3, &[ADMINISTRATORS, 13]);
    let guest = user(GUEST, "guest", ("", ""), 4, &[8, 9, 13]);
    for user in [admin, guest] {
        rows.push([Cell::id(user.userid.0), Cell::text(user.username.as_str()), json_cell(&user)]);
    }
    rows
}

/// The host that stands for this server, in group "Zabbix servers".
pub(crate) fn own_host(
    e: &mut Editor,
    host: &str,
    templates: &[&str],
) -> Result<HostId, ConfigError> {
    if let Some(it) = e.snapshot().host_named(host) {
        return Ok(it.id);
    }
    let linked: Vec<_> = templates
        .iter()
        .filter_map(|it| e.snapshot().template_by_name.get(*it))
        .map(|it| json!({ "templateid": it.to_string() }))
        .collect();
    let fields = json!({
        "host": host,
        "groups": [{ "groupid": "4" }],
        "interfaces": [{
            "type": "1", "main": "1", "useip": "1", "ip": "127.0.0.1", "dns": "", "port": "10050"
        }],
        "templates": linked,
    });
    let serde_json::Value::Object(fields) = fields else {
        return Err(ConfigError::parameters("fields are an object"));
    };
    Ok(HostId(e.create(ObjectKind::Host, fields)?))
}

/// The action that reports problems to administrators, disabled: nobody has a medium yet.
pub(crate) fn first_action(e: &mut Editor, name: &str) -> Result<(), ConfigError> {
    let of = ACTION.object.name;
    if e.snapshot().documents.of(of).any(|it| it.text("name") == name) {
        return Ok(());
    }
    let fields = json!({
        "name": name,
        "eventsource": "0",
        "status": "1",
        "operations": [{
            "operationtype": "0",
            "opmessage": { "default_msg": "1" },
            "opmessage_grp": [{ "usrgrpid": ADMINISTRATORS.to_string() }],
        }],
        "recovery_operations": [{ "operationtype": "11", "opmessage": { "default_msg": "1" } }],
        "update_operations": [{ "operationtype": "12", "opmessage": { "default_msg": "1" } }],
    });
    let serde_json::Value::Object(fields) = fields else {
        return Err(ConfigError::parameters("fields are an object"));
    };
    e.create(ACTION.kind(), fields)?;
    Ok(())
}

/// The dashboard that users find, of `Admin`: `fields` are the API's, with a name. Where there is one
/// of that name it stays as it is.
pub(crate) fn first_dashboard(e: &mut Editor, mut fields: Body) -> Result<(), ConfigError> {
    let of = DASHBOARD.object.name;
    let name = fields.get("name").and_then(serde_json::Value::as_str).unwrap_or_default();
    if e.snapshot().documents.of(of).any(|it| it.text("name") == name) {
        return Ok(());
    }
    fields.insert("userid".to_owned(), ADMIN.to_string().into());
    e.create(DASHBOARD.kind(), fields)?;
    Ok(())
}
