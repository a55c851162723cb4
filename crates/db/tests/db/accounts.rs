//! The contract of users, sessions, tokens and rights.

use crate::common::{NOW, Store, fields, on_both};
use db::{Actor, AuditAction, FailedLogins, LastUse, LoginError, ObjectKind, Origin, Permission};
use model::content::RoleType;
use model::{GroupId, HostId, RoleId, TemplateGroupId, UserGroupId, UserId};
use serde_json::json;

const ADMIN: UserId = UserId(1);

fn user(store: &Store, name: &str, role: &str, groups: serde_json::Value) -> UserId {
    UserId(store.create(
        ObjectKind::User,
        json!({"username": name, "passwd": "secret", "roleid": role, "usrgrps": groups}),
    ))
}

#[test]
fn a_fresh_database_has_zabbix_predefined_objects_and_no_password() {
    on_both(|store| {
        let snapshot = store.db.snapshot();
        assert!(store.db.is_fresh());
        assert_eq!(snapshot.access.users[&ADMIN].username, "Admin");
        assert_eq!(snapshot.access.users[&UserId(2)].username, "guest");
        assert_eq!(snapshot.access.roles[&RoleId(3)].kind, RoleType::SuperAdmin);
        assert_eq!(snapshot.access.groups[&UserGroupId(7)].name, "Zabbix administrators");
        assert_eq!(snapshot.host_groups[&GroupId(2)].name, "Linux servers");
        assert_eq!(snapshot.host_groups[&GroupId(4)].name, "Zabbix servers");
        assert_eq!(snapshot.host_groups[&GroupId(5)].name, "Discovered hosts");
        assert_eq!(snapshot.template_groups[&TemplateGroupId(1)].name, "Templates");
        store.db.set_password(ADMIN, "zabbix").unwrap();
        assert!(!store.db.is_fresh());
    });
}

#[test]
fn audit_records_have_no_secrets() {
    on_both(|store| {
        let make = |name: &str| json!({"username": name, "passwd": "secret", "roleid": "3"});
        let id = store
            .db
            .edit(Actor::User(ADMIN), |e| {
                e.set_time(NOW);
                e.create(ObjectKind::User, fields(make("jane")))
            })
            .unwrap();
        // A change that fails, and one by the server itself, leave nothing.
        let failed =
            store.db.edit(Actor::User(ADMIN), |e| e.create(ObjectKind::User, fields(make("jane"))));
        assert!(failed.is_err());
        store.db.edit(Actor::System, |e| e.create(ObjectKind::User, fields(make("joe")))).unwrap();
        store.reopen();
        store
            .db
            .edit(Actor::User(ADMIN), |e| {
                e.set_time(NOW.plus_secs(60));
                e.delete(ObjectKind::User, &[id])
            })
            .unwrap();
        let from = Origin { user: UserId(0), username: "nobody", ip: "192.0.2.1" };
        store.db.audit().session(AuditAction::FailedLogin, &from, NOW.plus_secs(70));
        let all = i64::MIN..=i64::MAX;
        let mut records = store.db.audit().page(all.clone(), 0, 10).unwrap();
        records.reverse();
        let message: Vec<_> =
            records.iter().map(|it| (it.action, &*it.kind, it.resourceid, &*it.name)).collect();
        assert_eq!(message, [(9, "user", 0, ""), (2, "user", id, "jane"), (0, "user", id, "jane")]);
        let who: Vec<_> = records.iter().map(|it| (&*it.username, &*it.ip)).collect();
        assert_eq!(who, [("nobody", "192.0.2.1"), ("Admin", ""), ("Admin", "")]);
        assert_eq!(records[2].clock, NOW.clock());
        assert_eq!(records[2].userid, ADMIN);
        assert!(!records[2].details.contains("secret"), "{}", records[2].details);
        assert!(
            records[2].details.contains("\"user.roleid\":[\"add\",\"3\"]"),
            "{}",
            records[2].details
        );
        let mut round = store.db.housekeeping(NOW.plus_secs(31 * 86_400 + 65), 10);
        while round.step().unwrap().is_some() {}
        assert_eq!(store.db.audit().page(all, 0, 10).unwrap().len(), 1);
    });
}

#[test]
fn sessions_survive_a_restart_and_end_by_logout_password_and_time() {
    on_both(|store| {
        store.db.set_password(ADMIN, "first").unwrap();
        let session = store.db.login(("Admin", None), "first", NOW).unwrap();
        assert_eq!(session.userid, ADMIN);
        store.reopen();
        let who = store.db.authenticate(&session.sessionid, NOW).unwrap();
        assert_eq!((who.userid, who.role, who.token), (ADMIN, RoleType::SuperAdmin, None));
        assert!(store.db.authenticate("0123", NOW).is_none());
        assert!(store.db.logout(&session.sessionid));
        assert!(!store.db.logout(&session.sessionid));
        assert!(store.db.authenticate(&session.sessionid, NOW).is_none());
        // A new password ends sessions.
        let session = store.db.login(("Admin", None), "first", NOW).unwrap();
        store.db.set_password(ADMIN, "second").unwrap();
        assert!(store.db.authenticate(&session.sessionid, NOW).is_none());
        // An unused session ends, a used one lives.
        store.update(ObjectKind::User, ADMIN.0, json!({"autologout": "15m"}));
        let session = store.db.login(("Admin", None), "second", NOW).unwrap();
        let minute = |n: i64| NOW.plus_secs(n * 60);
        assert!(store.db.authenticate(&session.sessionid, minute(14)).is_some());
        assert!(store.db.authenticate(&session.sessionid, minute(28)).is_some());
        store.db.flush().unwrap();
        store.reopen();
        assert!(store.db.authenticate(&session.sessionid, minute(42)).is_some());
        assert!(store.db.authenticate(&session.sessionid, minute(58)).is_none());
    });
}

#[test]
fn failed_logins_block_for_a_while_without_a_reason() {
    on_both(|store| {
        store.db.set_password(ADMIN, "right").unwrap();
        for _ in 0..5 {
            let error = store.db.login(("Admin", None), "wrong", NOW).unwrap_err();
            assert!(matches!(error, LoginError::Refused));
        }
        let blocked = store.db.login(("Admin", None), "right", NOW.plus_secs(29)).unwrap_err();
        assert!(matches!(blocked, LoginError::Blocked { .. }));
        let unknown = store.db.login(("nobody", None), "x", NOW).unwrap_err();
        assert_eq!(unknown.to_string(), blocked.to_string());
        store.db.login(("Admin", None), "right", NOW.plus_secs(31)).unwrap();
        assert!(store.db.login(("guest", None), "", NOW).is_err());
    });
}

/// How often who failed stays known, also that none have since, and when a session was used last.
#[test]
fn login_statistics_survive_a_restart() {
    on_both(|store| {
        store.db.set_password(ADMIN, "right").unwrap();
        let from = "192.0.2.7".parse().ok();
        for _ in 0..2 {
            store.db.login(("Admin", from), "wrong", NOW).unwrap_err();
        }
        let failed = FailedLogins { n: 2, ip: "192.0.2.7".to_owned(), clock: NOW.clock() };
        assert_eq!(store.db.failed_logins(ADMIN), failed);
        store.reopen();
        assert_eq!(store.db.failed_logins(ADMIN), failed);
        assert!(store.db.last_uses().is_empty());
        let later = NOW.plus_secs(60);
        assert_eq!(store.db.login(("Admin", from), "right", later).unwrap().failed, failed);
        let forgiven = FailedLogins { n: 0, ..failed };
        store.reopen();
        assert_eq!(store.db.failed_logins(ADMIN), forgiven);
        let seen = LastUse { clock: later.clock(), has_session: true };
        assert_eq!(store.db.last_uses(), [(ADMIN, seen)].into());
    });
}

#[test]
fn when_users_were_last_there_outlives_their_sessions() {
    on_both(|store| {
        store.db.set_password(ADMIN, "right").unwrap();
        let seen = |store: &Store| store.db.last_uses().get(&ADMIN).copied();
        let at = |minutes: i64| NOW.plus_secs(minutes * 60);
        let expected =
            |minutes, has_session| Some(LastUse { clock: at(minutes).clock(), has_session });
        let session = store.db.login(("Admin", None), "right", at(0)).unwrap().sessionid;
        assert!(store.db.authenticate(&session, at(4)).is_some());
        assert!(store.db.logout(&session));
        assert_eq!(seen(store), expected(4, false));
        store.reopen();
        assert_eq!(seen(store), expected(4, false));

        // A session that ends by itself, or with the others when the password is set.
        let session = store.db.login(("Admin", None), "right", at(10)).unwrap().sessionid;
        assert!(store.db.authenticate(&session, at(20)).is_some());
        store.db.flush().unwrap();
        store.db.set_password(ADMIN, "other").unwrap();
        assert!(store.db.authenticate(&session, at(21)).is_none());
        store.reopen();
        assert_eq!(seen(store), expected(20, false));

        let jane = user(store, "jane", "3", json!([]));
        store.db.login(("jane", None), "secret", at(30)).unwrap();
        assert_eq!(store.db.last_uses().len(), 2);
        store.delete(ObjectKind::User, jane.0);
        store.reopen();
        assert_eq!(store.db.last_uses().into_keys().collect::<Vec<_>>(), [ADMIN]);
    });
}

#[test]
fn an_attacker_shuts_out_nobody_but_himself() {
    on_both(|store| {
        store.db.set_password(ADMIN, "right").unwrap();
        let [attacker, owner] = ["192.0.2.1", "192.0.2.2"].map(|it| it.parse().ok());
        for n in 0..8 {
            let error = store.db.login(("Admin", attacker), "wrong", NOW).unwrap_err();
            assert_eq!(matches!(error, LoginError::Refused), n < 5, "{n}");
        }
        let blocked = store.db.login(("Admin", attacker), "right", NOW).unwrap_err();
        assert!(matches!(blocked, LoginError::Blocked { .. }));
        store.db.login(("Admin", owner), "right", NOW).unwrap();
    });
}

#[test]
fn lost_password_is_set_by_the_operator() {
    on_both(|store| {
        store.db.set_password(ADMIN, "lost").unwrap();
        let session = store.db.login(("Admin", None), "lost", NOW).unwrap();
        for _ in 0..5 {
            store.db.login(("Admin", None), "wrong", NOW).unwrap_err();
        }
        let refusals = [("nobody", "new"), ("Admin", ""), ("Admin", &"ä".repeat(256))];
        let message = refusals.map(|(name, password)| {
            store.db.reset_password(name, password, NOW).unwrap_err().to_string()
        });
        let length = "A password has 1 to 255 characters.";
        assert_eq!(message, ["User with username \"nobody\" does not exist.", length, length]);
        assert!(store.db.authenticate(&session.sessionid, NOW).is_some(), "nothing was changed");

        let longest = "ä".repeat(255);
        assert!(store.db.reset_password("Admin", &longest, NOW).unwrap());
        assert!(store.db.authenticate(&session.sessionid, NOW).is_none());
        store.db.login(("Admin", None), &longest, NOW).expect("nobody waits after failed logins");
        // Of group "Disabled".
        assert!(!store.db.reset_password("guest", "new", NOW).unwrap());
        store.reopen();
        assert!(store.db.authenticate(&session.sessionid, NOW).is_none());
        store.db.login(("Admin", None), &longest, NOW).unwrap();
        let records = store.db.audit().page(i64::MIN..=i64::MAX, 0, 10).unwrap();
        let message: Vec<_> = records
            .iter()
            .map(|it| (it.action, it.userid, it.clock, it.resourceid, &*it.name, &*it.details))
            .collect();
        let details = r#"{"user.passwd":["update","******","******"]}"#;
        assert_eq!(
            message,
            [
                (1, UserId::NONE, NOW.clock(), 1, "Admin", details),
                (1, UserId::NONE, NOW.clock(), 2, "guest", details)
            ]
        );
    });
}

#[test]
fn disabled_groups_lock_their_users_out() {
    on_both(|store| {
        let id = user(store, "u", "1", json!([{"usrgrpid": "7"}]));
        let session = store.db.login(("u", None), "secret", NOW).unwrap();
        let groups = json!({"usrgrps": [{"usrgrpid": "7"}, {"usrgrpid": "9"}]});
        store.update(ObjectKind::User, id.0, groups);
        assert!(store.db.authenticate(&session.sessionid, NOW).is_none());
        let error = store.db.login(("u", None), "secret", NOW).unwrap_err();
        assert!(matches!(error, LoginError::Disabled));
    });
}

#[test]
fn token_works_until_regenerated_disabled_expired_or_deleted() {
    on_both(|store| {
        let token = store
            .edit(|e| e.create(ObjectKind::Token, fields(json!({"name": "t", "userid": "1"}))));
        let text = store.edit(|e| e.generate_token(token.into()));
        assert_eq!(text.len(), 64);
        let who = store.db.authenticate(&text, NOW).unwrap();
        assert_eq!((who.userid, who.token), (ADMIN, Some(token.into())));
        store.reopen();
        assert!(store.db.authenticate(&text, NOW).is_some());
        let new = store.edit(|e| e.generate_token(token.into()));
        assert!(store.db.authenticate(&text, NOW).is_none());
        assert!(store.db.authenticate(&new, NOW).is_some());
        store.update(ObjectKind::Token, token, json!({"status": "1"}));
        assert!(store.db.authenticate(&new, NOW).is_none());
        store.update(
            ObjectKind::Token,
            token,
            json!({"status": "0", "expires_at": NOW.clock() + 10}),
        );
        assert!(store.db.authenticate(&new, NOW.plus_secs(9)).is_some());
        assert!(store.db.authenticate(&new, NOW.plus_secs(10)).is_none());
        store.delete(ObjectKind::Token, token);
        assert!(store.db.authenticate(&new, NOW).is_none());
    });
}

#[test]
fn rights_add_up_over_groups_and_a_denial_beats_all() {
    on_both(|store| {
        let group = |name: &str| store.create(ObjectKind::HostGroup, json!({"name": name}));
        let [a, b, c] = ["a", "b", "c"].map(group);
        let rights = |name: &str, list: serde_json::Value| {
            store.create(ObjectKind::UserGroup, json!({"name": name, "hostgroup_rights": list}))
        };
        let read = rights("read", json!([{"id": a.to_string(), "permission": "2"}]));
        let write = rights(
            "write",
            json!([
                {"id": a.to_string(), "permission": "3"}, {"id": b.to_string(), "permission": "3"},
                {"id": c.to_string(), "permission": "0"},
            ]),
        );
        let host = |name: &str, groups: &[u64]| {
            let mut request = crate::common::host_fields(name, &[]);
            request["groups"] =
                groups.iter().map(|it| json!({"groupid": it.to_string()})).collect();
            HostId(store.create(ObjectKind::Host, request))
        };
        let (in_a, in_bc, in_2) = (host("a", &[a]), host("bc", &[b, c]), host("2", &[2]));
        let groups = |ids: &[u64]| -> serde_json::Value {
            ids.iter().map(|it| json!({"usrgrpid": it.to_string()})).collect()
        };
        let reader = user(store, "reader", "2", groups(&[read]));
        let both = user(store, "both", "2", groups(&[read, write]));
        let plain = user(store, "plain", "1", groups(&[write]));
        let snapshot = store.db.snapshot();
        let of = |user: UserId, host: HostId| {
            store.db.rights(user, &snapshot).unwrap().holder_by_id(host, &snapshot)
        };
        assert_eq!(of(reader, in_a), Permission::Read);
        assert_eq!(of(both, in_a), Permission::Write);
        assert_eq!(of(plain, in_a), Permission::Read, "users of type User never write");
        assert_eq!(of(both, in_bc), Permission::None, "one group denies");
        assert_eq!(of(both, in_2), Permission::None);
        assert_eq!(of(ADMIN, in_2), Permission::Write);
        assert!(store.db.rights(UserId(99), &snapshot).is_none());
    });
}

#[test]
fn nobody_deletes_himself_or_changes_his_own_role() {
    on_both(|store| {
        let id = user(store, "u", "3", json!([{"usrgrpid": "7"}]));
        let error = store.db.edit(Actor::User(id), |e| e.delete(ObjectKind::User, &[id.0]));
        assert_eq!(error.unwrap_err().text(), "User is not allowed to delete oneself.");
        let error = store.db.edit(Actor::User(id), |e| {
            e.update(ObjectKind::User, id.0, fields(json!({"roleid": "1"})))
        });
        assert_eq!(error.unwrap_err().text(), "User cannot change own role.");
        let text = store.refused(|e| e.delete(db::objects::role::ROLE.kind(), &[3]));
        assert_eq!(text, "Cannot delete readonly user role \"Super admin role\".");
        store.delete(ObjectKind::User, id.0);
        assert!(store.db.login(("u", None), "secret", NOW).is_err());
    });
}
