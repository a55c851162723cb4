//! The tables, described once for both databases, and the migrations that made them so.
//!
//! Columns are whole numbers or texts (JSON is text), never null. Secondary indexes exist only
//! for events: configuration is read whole at start and then from the snapshot.

use crate::error::DbError;
use crate::sql::{Cell, Column, ColumnType, Sql, Table};

macro_rules! tables {
    ($($(#[$doc:meta])* $const:ident = $name:literal [$($column:ident $kind:ident),* $(,)?]
        key [$($key:ident),*] $(index [$($index:ident),*])*;)*) => {
        $($(#[$doc])* pub(crate) static $const: Table = Table {
            name: $name,
            columns: &[$(Column { name: stringify!($column), kind: ColumnType::$kind }),*],
            primary_key: &[$(stringify!($key)),*],
            indexes: &[$(&[$(stringify!($index)),*]),*],
        };)*
        /// All tables of the newest version.
        #[cfg(test)]
        pub(crate) static TABLES: &[&Table] = &[$(&$const),*];
    };
}

tables! {
    SCHEMA_VERSION = "schema_version" [version Int, name Text] key [version];
    /// `object`: the next free id; `epoch`: of the last published snapshot.
    IDS = "ids" [name Text, next Int] key [name];
    /// Up to where in the journal a consumer has got.
    CURSORS = "cursors" [name Text, lsn Int] key [name];

    /// Content of items, triggers and graphs by users; rows never change. `kind`: see
    /// `store::contents`.
    CONTENT = "content" [contentid Int, kind Int, version Int, body Text] key [contentid];
    /// `kind`: 0 host, 1 template.
    HOSTS = "hosts" [hostid Int, kind Int, host Text, name Text, status Int, body Text]
        key [hostid];
    HOST_GROUPS = "host_groups" [groupid Int, name Text, uuid Text] key [groupid];
    TEMPLATE_GROUPS = "template_groups" [groupid Int, name Text, uuid Text] key [groupid];
    /// Host groups of hosts, template groups of templates.
    HOSTS_IN_GROUPS = "hosts_in_groups" [hostid Int, groupid Int, position Int]
        key [hostid, groupid];
    HOST_TEMPLATES = "host_templates" [hostid Int, templateid Int, position Int]
        key [hostid, templateid];
    INTERFACES = "interfaces" [interfaceid Int, hostid Int, position Int, body Text]
        key [interfaceid];
    HOST_MACROS = "host_macros" [hostmacroid Int, hostid Int, position Int, body Text]
        key [hostmacroid];
    VALUEMAPS = "valuemaps" [valuemapid Int, hostid Int, position Int, body Text]
        key [valuemapid];
    /// Filled fields by name, of hosts that have any.
    HOST_INVENTORY = "host_inventory" [hostid Int, body Text] key [hostid];
    GLOBAL_MACROS = "global_macros" [globalmacroid Int, body Text] key [globalmacroid];
    /// Objects whose description says everything of them. `kind`: their name in methods; `version`:
    /// of the body.
    DOCUMENTS = "documents" [kind Text, documentid Int, version Int, body Text]
        key [kind, documentid];

    /// Identity. `contentid` is 0 where the content is that of the source or prototype.
    ITEMS = "items" [itemid Int, hostid Int, sourceid Int, contentid Int, flags Int] key [itemid];
    TRIGGERS = "triggers" [triggerid Int, hostid Int, sourceid Int, contentid Int, flags Int]
        key [triggerid];
    GRAPHS = "graphs" [graphid Int, hostid Int, sourceid Int, contentid Int, flags Int]
        key [graphid];
    HOST_PROTOTYPES = "host_prototypes" [
        hostid Int, parent_hostid Int, sourceid Int, contentid Int, flags Int
    ] key [hostid];
    /// Why discovery made a host group.
    GROUP_DISCOVERIES = "group_discoveries" [groupid Int, body Text] key [groupid];
    /// Differences from the source or prototype. `kind`: 0 item, 1 trigger, 2 graph, 3 host
    /// prototype.
    OVERRIDES = "overrides" [id Int, kind Int, body Text] key [id];
    DISCOVERED = "discovered" [
        id Int, kind Int, ruleid Int, prototypeid Int, key_ Text, name Text, row_ Text,
        lost_since Int, delete_at Int, disable_at Int
    ] key [id];

    USERS = "users" [userid Int, username Text, body Text] key [userid];
    USER_SECRETS = "user_secrets" [userid Int, password_hash Text] key [userid];
    USER_GROUPS = "user_groups" [usrgrpid Int, name Text, body Text] key [usrgrpid];
    TOKENS = "tokens" [tokenid Int, userid Int, name Text, body Text] key [tokenid];
    TOKEN_SECRETS = "token_secrets" [tokenid Int, hash Text] key [tokenid];
    /// Failed logins of users: `db::FailedLogins`.
    FAILED_LOGINS = "failed_logins" [userid Int, n Int, ip Text, clock Int] key [userid];
    /// When users were last there, also those whose sessions have ended.
    USERS_SEEN = "users_seen" [userid Int, clock Int] key [userid];
    SESSIONS = "sessions" [hash Text, userid Int, created_at Int, used_at Int] key [hash];

    EVENTS = "events" [
        eventid Int, source Int, object Int, objectid Int, clock Int, ns Int, value Int,
        severity Int, name Text, opdata Text, tags Text, hosts Text, recovers Text, userid Int
    ] key [eventid] index [objectid, eventid] index [source, clock];
    /// Open and resolved problems: the state of events with value 1.
    PROBLEMS = "problems" [
        eventid Int, severity Int, acknowledged Int, r_eventid Int, r_clock Int, r_ns Int,
        userid Int, suppressed_until Int, cause_eventid Int
    ] key [eventid] index [r_eventid, r_clock];
    /// Problems that global correlation closes: by which rule, and which new event made it do so.
    EVENT_CORRELATIONS = "event_correlations" [eventid Int, correlationid Int, c_eventid Int]
        key [eventid];
    /// The newest event of each trigger that ever had one.
    TRIGGER_CHANGES = "trigger_changes" [triggerid Int, eventid Int, clock Int, ns Int]
        key [triggerid];
    ACKNOWLEDGES = "acknowledges" [
        acknowledgeid Int, eventid Int, userid Int, clock Int, message Text, action Int,
        old_severity Int, new_severity Int, suppress_until Int
    ] key [acknowledgeid] index [eventid];
    /// Messages and commands that actions made. `status`, `alerttype`, `digestid`: see
    /// `alert::Alert`; `next_at`: when an unsent one is tried or put into a digest.
    ALERTS = "alerts" [
        alertid Int, actionid Int, eventid Int, p_eventid Int, acknowledgeid Int, userid Int, clock Int,
        mediatypeid Int, sendto Text, subject Text, message Text, parameters Text, alerttype Int,
        esc_step Int, status Int, retries Int, error Text, next_at Int, digestid Int
    ] key [alertid] index [eventid] index [clock] index [status, alerttype, mediatypeid, alertid] index [userid, clock]
        index [digestid];
    /// Actions under way for an event. `body`: the escalation's state between its steps.
    ESCALATIONS = "escalations" [
        escalationid Int, actionid Int, eventid Int, r_eventid Int, next_at Int, body Text
    ] key [escalationid] index [eventid];

    /// Active agents that have registered themselves: `db::AutoregisteredHost`.
    AUTOREGISTERED_HOSTS = "autoreg_hosts" [
        autoreg_hostid Int, host Text, listen_ip Text, listen_dns Text, listen_port Int,
        host_metadata Text, flags Int
    ] key [autoreg_hostid];

    /// Results of network discovery: `db::DiscoveredHost` and `db::DiscoveredService`.
    DISCOVERED_HOSTS = "dhosts" [
        dhostid Int, druleid Int, status Int, lastup Int, lastdown Int
    ] key [dhostid];
    DISCOVERED_SERVICES = "dservices" [
        dserviceid Int, dhostid Int, dcheckid Int, ip Text, port Int, dns Text, value Text,
        status Int, lastup Int, lastdown Int
    ] key [dserviceid] index [dhostid];

    /// Changes of the status of services. `value`, `old_value`: a severity, -1 OK; `eventid`: -1 of a change
    /// from one severity to another, which has no event; 0 until it is known.
    SERVICE_ALARMS = "service_alarms" [
        servicealarmid Int, serviceid Int, clock Int, ns Int, value Int, old_value Int, eventid Int
    ] key [servicealarmid] index [serviceid, servicealarmid] index [eventid] index [clock];

    /// Views of the problem list, by user: `db::UserView`.
    USER_VIEWS = "user_views" [userid Int, name Text, search Text] key [userid, name];

    INTERFACE_STATES = "interface_states" [
        interfaceid Int, available Int, error Text, errors_from Int, disable_until Int
    ] key [interfaceid];
    /// Of discovery rules whose last result could not be applied whole. `state`: 1 if not at all.
    RULE_STATES = "rule_states" [itemid Int, state Int, error Text] key [itemid];
    AUDIT = "audit" [
        auditid Int, clock Int, userid Int, action Int, kind Text, resourceid Int, name Text,
        details Text, username Text, ip Text, recordsetid Int, told Int
    ] key [auditid] index [clock];
}

/// One step from a version to the next. Steps are never changed once released.
struct Migration {
    version: i64,
    name: &'static str,
    run: fn(&mut dyn Sql) -> Result<(), DbError>,
}

/// In order. A new step goes to the end; it must work on tables as the step before left them.
const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "first tables", run: first_tables },
    Migration { version: 2, name: "global regular expressions", run: regexps },
    Migration { version: 3, name: "errors of discovery rules", run: rule_errors },
    Migration { version: 4, name: "host inventory", run: host_inventory },
    Migration { version: 5, name: "last changes of triggers", run: trigger_changes },
    Migration { version: 6, name: "states of discovery rules", run: rule_states },
    Migration { version: 7, name: "documents", run: documents },
    Migration { version: 8, name: "events by source and time", run: events_by_source },
    Migration { version: 9, name: "alerts and escalations", run: alerting },
    Migration { version: 10, name: "alerts by what is to be sent", run: alerts_to_send },
    Migration { version: 11, name: "agents that register themselves", run: autoregistered_hosts },
    Migration { version: 12, name: "status of services", run: service_alarms },
    Migration { version: 13, name: "causes of problems", run: causes },
    Migration { version: 14, name: "global correlation", run: event_correlations },
    Migration { version: 15, name: "digests of messages", run: digests },
    Migration { version: 16, name: "views of users", run: user_views },
    Migration { version: 17, name: "network discovery", run: network_discovery },
    Migration { version: 18, name: "graphs", run: graphs },
    Migration { version: 19, name: "host prototypes", run: host_prototypes },
    Migration { version: 20, name: "failed logins", run: failed_logins },
    Migration { version: 21, name: "users last seen", run: users_seen },
    Migration { version: 22, name: "last ids of devices", run: last_ids_of_devices },
    Migration { version: 23, name: "who and from where in the audit log", run: audit_origins },
];

fn first_tables(sql: &mut dyn Sql) -> Result<(), DbError> {
    let tables: &[&Table] = &[
        &IDS,
        &CURSORS,
        &CONTENT,
        &HOSTS,
        &HOST_GROUPS,
        &TEMPLATE_GROUPS,
        &HOSTS_IN_GROUPS,
        &HOST_TEMPLATES,
        &INTERFACES,
        &HOST_MACROS,
        &VALUEMAPS,
        &GLOBAL_MACROS,
        &ITEMS,
        &TRIGGERS,
        &OVERRIDES,
        &DISCOVERED,
        &USERS,
        &USER_SECRETS,
        &USER_GROUPS,
        &ROLES_1,
        &TOKENS,
        &TOKEN_SECRETS,
        &SESSIONS,
        &EVENTS,
        &PROBLEMS_1,
        &ACKNOWLEDGES,
        &INTERFACE_STATES,
        &AUDIT_1,
    ];
    create(sql, tables)
}

fn regexps(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&REGEXPS_2])
}

/// As version 1 made it; version 23 adds who did it, and from where.
static AUDIT_1: Table = Table {
    name: "audit",
    columns: &[
        Column { name: "auditid", kind: ColumnType::Int },
        Column { name: "clock", kind: ColumnType::Int },
        Column { name: "userid", kind: ColumnType::Int },
        Column { name: "action", kind: ColumnType::Int },
        Column { name: "kind", kind: ColumnType::Text },
        Column { name: "resourceid", kind: ColumnType::Int },
        Column { name: "name", kind: ColumnType::Text },
        Column { name: "details", kind: ColumnType::Text },
    ],
    primary_key: &["auditid"],
    indexes: &[&["clock"]],
};

/// As version 1 made it; version 13 adds the cause.
static PROBLEMS_1: Table = Table {
    name: "problems",
    columns: &[
        Column { name: "eventid", kind: ColumnType::Int },
        Column { name: "severity", kind: ColumnType::Int },
        Column { name: "acknowledged", kind: ColumnType::Int },
        Column { name: "r_eventid", kind: ColumnType::Int },
        Column { name: "r_clock", kind: ColumnType::Int },
        Column { name: "r_ns", kind: ColumnType::Int },
        Column { name: "userid", kind: ColumnType::Int },
        Column { name: "suppressed_until", kind: ColumnType::Int },
    ],
    primary_key: &["eventid"],
    indexes: &[&["r_eventid", "r_clock"]],
};

/// As version 2 made it; version 7 takes it away.
static REGEXPS_2: Table = Table {
    name: "regexps",
    columns: &[
        Column { name: "regexpid", kind: ColumnType::Int },
        Column { name: "body", kind: ColumnType::Text },
    ],
    primary_key: &["regexpid"],
    indexes: &[],
};

/// As version 1 made it; version 7 takes it away.
static ROLES_1: Table = Table {
    name: "roles",
    columns: &[
        Column { name: "roleid", kind: ColumnType::Int },
        Column { name: "name", kind: ColumnType::Text },
        Column { name: "body", kind: ColumnType::Text },
    ],
    primary_key: &["roleid"],
    indexes: &[],
};

/// Bodies stay as they are: version 1 of each.
fn documents(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&DOCUMENTS])?;
    Ok(sql.batch(
        "insert into documents (kind, documentid, version, body) \
         select 'regexp', regexpid, 1, body from regexps;
         insert into documents (kind, documentid, version, body) \
         select 'role', roleid, 1, body from roles;
         drop table regexps;
         drop table roles;",
    )?)
}

/// As version 3 made it; version 6 takes it away.
static RULE_ERRORS: Table = Table {
    name: "rule_errors",
    columns: &[
        Column { name: "itemid", kind: ColumnType::Int },
        Column { name: "error", kind: ColumnType::Text },
    ],
    primary_key: &["itemid"],
    indexes: &[],
};

fn rule_errors(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&RULE_ERRORS])
}

fn rule_states(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&RULE_STATES])?;
    Ok(sql.batch(
        "insert into rule_states (itemid, state, error) select itemid, 0, error from rule_errors;
         drop table rule_errors;",
    )?)
}

fn host_inventory(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&HOST_INVENTORY])
}

fn trigger_changes(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&TRIGGER_CHANGES])?;
    Ok(sql.batch(
        "insert into trigger_changes (triggerid, eventid, clock, ns) \
         select e.objectid, e.eventid, e.clock, e.ns from events e join \
         (select max(eventid) as eventid from events where source = 0 and object = 0 \
         group by objectid) newest on newest.eventid = e.eventid",
    )?)
}

/// Events of one source expire together. New databases have the index from their first step on.
fn events_by_source(sql: &mut dyn Sql) -> Result<(), DbError> {
    Ok(sql.batch(
        "drop index if exists events_clock;
         create index if not exists events_source_clock on events (source, clock);",
    )?)
}

fn service_alarms(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&SERVICE_ALARMS])
}

fn alerting(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&ALERTS_9, &ESCALATIONS])
}

/// As version 9 made it, with the index of version 10; version 15 adds the digest.
static ALERTS_9: Table = Table {
    name: "alerts",
    // The last one is the digest.
    columns: ALERTS.columns.split_at(ALERTS.columns.len() - 1).0,
    primary_key: &["alertid"],
    indexes: ALERTS.indexes.split_at(ALERTS.indexes.len() - 1).0,
};

fn digests(sql: &mut dyn Sql) -> Result<(), DbError> {
    Ok(sql.batch(
        "alter table alerts add column digestid bigint not null default 0;
         create index alerts_digestid on alerts (digestid);",
    )?)
}

/// Delivery looks for what is not sent of one media type. New databases have the index from the step
/// before on.
fn alerts_to_send(sql: &mut dyn Sql) -> Result<(), DbError> {
    Ok(sql.batch(
        "drop index if exists alerts_status_next_at;
         create index if not exists alerts_status_alerttype_mediatypeid_alertid \
         on alerts (status, alerttype, mediatypeid, alertid);",
    )?)
}

fn autoregistered_hosts(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&AUTOREGISTERED_HOSTS])
}

fn causes(sql: &mut dyn Sql) -> Result<(), DbError> {
    let add = "alter table problems add column cause_eventid bigint not null default 0";
    Ok(sql.batch(add)?)
}

fn audit_origins(sql: &mut dyn Sql) -> Result<(), DbError> {
    let add = "alter table audit add column username text not null default '';
               alter table audit add column ip text not null default '';
               alter table audit add column recordsetid bigint not null default 0;
               alter table audit add column told bigint not null default 0";
    Ok(sql.batch(add)?)
}

fn event_correlations(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&EVENT_CORRELATIONS])
}

fn user_views(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&USER_VIEWS])
}

fn network_discovery(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&DISCOVERED_HOSTS, &DISCOVERED_SERVICES])
}

fn host_prototypes(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&HOST_PROTOTYPES, &GROUP_DISCOVERIES])
}

fn failed_logins(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&FAILED_LOGINS])
}

fn users_seen(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&USERS_SEEN])?;
    // Up to now only the sessions have it.
    Ok(sql.batch(
        "insert into users_seen (userid, clock) select userid, max(used_at) from sessions group by userid",
    )?)
}

fn last_ids_of_devices(sql: &mut dyn Sql) -> Result<(), DbError> {
    // Up to now events showed which ids there have been.
    Ok(sql.batch(
        "insert into cursors (name, lsn) select 'forgotten devices', coalesce(max(objectid), 0) \
         from events where source = 1 and object = 1;
         insert into cursors (name, lsn) select 'forgotten device services', coalesce(max(objectid), 0) \
         from events where source = 1 and object = 2;",
    )?)
}

fn graphs(sql: &mut dyn Sql) -> Result<(), DbError> {
    create(sql, &[&GRAPHS])
}

fn create(sql: &mut dyn Sql, tables: &[&Table]) -> Result<(), DbError> {
    for table in tables {
        let ddl = table.ddl(sql.type_names());
        sql.batch(&ddl)?;
    }
    Ok(())
}

/// Brings the tables to the newest version.
pub(crate) fn migrate(sql: &mut dyn Sql) -> Result<(), DbError> {
    migrate_with(sql, MIGRATIONS)
}

fn migrate_with(sql: &mut dyn Sql, migrations: &[Migration]) -> Result<(), DbError> {
    let ddl = SCHEMA_VERSION.ddl(sql.type_names());
    sql.batch(&ddl.replace("create table", "create table if not exists"))?;
    let mut found = 0;
    sql.query("select coalesce(max(version), 0) from schema_version", &[], &mut |row| {
        found = row.int(0)?;
        Ok(false)
    })?;
    let known = migrations.last().map_or(0, |it| it.version);
    if found > known {
        return Err(DbError::FromTheFuture { found, known });
    }
    for migration in migrations.iter().filter(|it| it.version > found) {
        tracing::info!(version = migration.version, name = migration.name, "database migration");
        (migration.run)(sql)?;
        sql.execute(
            "insert into schema_version (version, name) values (?1, ?2)",
            &[Cell::Int(migration.version), Cell::text(migration.name)],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::location::Location;
    use crate::sql::{Role, connect};

    fn empty(folder: &tempfile::TempDir) -> Box<dyn Sql> {
        connect(&Location::Sqlite(folder.path().join("saker.db")), Role::Writer).unwrap()
    }

    fn columns(sql: &mut dyn Sql, table: &str) -> Vec<String> {
        let mut names = Vec::new();
        let statement = format!("select name from pragma_table_info('{table}') order by cid");
        sql.query(&statement, &[], &mut |row| {
            names.push(row.text(0)?.to_owned());
            Ok(true)
        })
        .unwrap();
        names
    }

    #[test]
    fn all_migrations_together_make_the_described_tables() {
        let folder = tempfile::tempdir().unwrap();
        let mut sql = empty(&folder);
        migrate(sql.as_mut()).unwrap();
        for table in TABLES {
            let described: Vec<&str> = table.columns.iter().map(|it| it.name).collect();
            assert_eq!(columns(sql.as_mut(), table.name), described, "{}", table.name);
        }
        // A second time there is nothing to do.
        migrate(sql.as_mut()).unwrap();
    }

    #[test]
    fn tables_of_each_version_are_brought_to_the_newest() {
        for n_done in 0..MIGRATIONS.len() {
            let folder = tempfile::tempdir().unwrap();
            let mut sql = empty(&folder);
            migrate_with(sql.as_mut(), &MIGRATIONS[..n_done]).unwrap();
            migrate(sql.as_mut()).unwrap();
            for table in TABLES {
                let names = columns(sql.as_mut(), table.name);
                assert_eq!(names.len(), table.columns.len(), "{} from {n_done}", table.name);
            }
        }
    }

    #[test]
    fn only_newer_steps_run_and_in_order() {
        fn add(sql: &mut dyn Sql) -> Result<(), DbError> {
            Ok(sql.batch("alter table ids add column note text not null default ''")?)
        }
        fn fill(sql: &mut dyn Sql) -> Result<(), DbError> {
            sql.execute("update ids set note = ?1", &[Cell::text("filled")])?;
            Ok(())
        }
        let steps = || {
            vec![
                Migration { version: 1, name: "first tables", run: first_tables },
                Migration { version: 2, name: "notes", run: add },
                Migration { version: 3, name: "notes filled", run: fill },
            ]
        };
        let folder = tempfile::tempdir().unwrap();
        let mut sql = empty(&folder);
        migrate_with(sql.as_mut(), &steps()[..1]).unwrap();
        sql.execute("insert into ids (name, next) values ('object', 7)", &[]).unwrap();
        migrate_with(sql.as_mut(), &steps()).unwrap();
        let mut found = Vec::new();
        sql.query("select next, note from ids", &[], &mut |row| {
            found.push((row.int(0)?, row.text(1)?.to_owned()));
            Ok(true)
        })
        .unwrap();
        assert_eq!(found, [(7, "filled".to_owned())]);
        migrate_with(sql.as_mut(), &steps()).unwrap();
        let back = migrate_with(sql.as_mut(), &steps()[..2]);
        assert!(matches!(back, Err(DbError::FromTheFuture { found: 3, known: 2 })));
    }
}
