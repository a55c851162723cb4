//! Records of the audit log as they are kept.

use db::audit::{AuditScope, Pushed};
use db::objects::settings::SETTINGS;
use db::{Act, Actor, AuditAction, AuditRecord, NotedAs, ObjectKind, Origin};
use model::{HostId, TemplateGroupId, UserId};
use serde_json::{Map, Value, json};

use crate::common::{NOW, Store, fields, on_both};

const ADMIN: UserId = UserId(1);

fn records(store: &Store) -> Vec<AuditRecord> {
    store.db.audit().page(i64::MIN..=i64::MAX, 0, 100).unwrap()
}

fn details(record: &AuditRecord) -> Value {
    serde_json::from_str(&record.details).unwrap_or_default()
}

#[test]
fn one_request_is_one_record_set_with_user_and_address() {
    on_both(|store| {
        let groups = store.db.edit(Actor::User(ADMIN), |e| {
            e.set_time(NOW);
            e.set_address("192.0.2.7");
            let first = e.create(ObjectKind::HostGroup, fields(json!({"name": "A"})))?;
            e.create(ObjectKind::HostGroup, fields(json!({"name": "B"})))?;
            Ok(first)
        });
        let first = groups.unwrap();
        let delete = |e: &mut db::Editor| e.delete(ObjectKind::HostGroup, &[first]);
        store.db.edit(Actor::User(ADMIN), delete).unwrap();
        let all = records(store);
        let sets: Vec<bool> = all.iter().map(|it| it.recordsetid == all[0].auditid).collect();
        assert_eq!(sets, [true, true, false]);
        let who = (&*all[0].username, &*all[0].ip, all[0].userid);
        assert_eq!(who, ("Admin", "192.0.2.7", ADMIN));
        assert_eq!(details(&all[0])["hostgroup.name"], json!(["add", "A"]));
        assert_eq!((&*all[2].name, &*all[2].details), ("A", ""));
    });
}

#[test]
fn the_server_is_in_it_if_the_settings_say_so() {
    on_both(|store| {
        let make = |name: &str| {
            let request = fields(json!({"name": name}));
            store.db.edit(Actor::Discovery, |e| e.create(ObjectKind::HostGroup, request)).unwrap();
        };
        make("A");
        let off = json!({"auditlog_mode": "0"});
        let update = |e: &mut db::Editor| e.update(SETTINGS.kind(), 1, fields(off));
        store.db.edit(Actor::System, update).unwrap();
        make("B");
        let all = records(store);
        let [record] = &all[..] else { panic!("one record: {all:?}") };
        let who = (&*record.name, &*record.username, record.userid, record.scope);
        assert_eq!(who, ("A", "System", UserId::NONE, Some(AuditScope::Whole)));
    });
}

#[test]
fn of_a_host_zabbix_has_fields_and_we_have_parts_as_well() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let change = |request: Value| {
            let request = fields(request);
            let update = |e: &mut db::Editor| e.update(ObjectKind::Host, host.0, request);
            store.db.edit(Actor::User(ADMIN), update).unwrap();
        };
        change(json!({"status": "1", "tags": [{"tag": "a", "value": ""}]}));
        change(json!({"tags": []}));
        change(json!({"tags": []}));
        let all = records(store);
        let scopes: Vec<Option<AuditScope>> = all.iter().map(|it| it.scope).collect();
        assert_eq!(scopes, [Some(AuditScope::Fields), Some(AuditScope::Nothing)]);
        let of_zabbix = all[0].details_of_zabbix();
        assert_eq!(of_zabbix, json!({"host.status": ["update", "1", "0"]}).to_string());
        assert_eq!(details(&all[0]).as_object().map(Map::len), Some(4));
        assert_eq!(all[1].details_of_zabbix(), "");
    });
}

#[test]
fn a_change_of_groups_is_noted_of_those_that_the_method_is_of() {
    on_both(|store| {
        let group = |name: &str| store.create(ObjectKind::TemplateGroup, json!({ "name": name }));
        let (one, two) = (group("T 1"), group("T 2"));
        let request = json!({"host": "t", "groups": [{"groupid": one.to_string()}]});
        let template = HostId(store.create(ObjectKind::Template, request));
        let group = TemplateGroupId(two);
        for noted in [NotedAs::Groups, NotedAs::Holders] {
            store
                .db
                .edit(Actor::User(ADMIN), |e| {
                    e.add_template_groups(&[template], &[group], noted)?;
                    e.remove_template_groups(&[template], &[group], noted)
                })
                .unwrap();
        }
        let all = records(store);
        let kinds: Vec<&str> = all.iter().map(|it| &*it.kind).collect();
        assert_eq!(kinds, ["templategroup", "templategroup", "template", "template"]);
        let of_template = format!("template.groups[{two}].groupid");
        assert_eq!(details(&all[2])[of_template], json!(["add", two.to_string()]));
        let of_group = format!("templategroup.templates[{template}]");
        assert_eq!(details(&all[1]), json!({of_group: ["delete"]}));
    });
}

#[test]
fn acts_and_pushes_are_records_too() {
    on_both(|store| {
        let from = Origin { user: ADMIN, username: "Admin", ip: "::1" };
        let audit = store.db.audit();
        let act = |name: &str| Act {
            action: AuditAction::HistoryClear,
            kind: "item",
            resourceid: 7,
            name: name.to_owned(),
            details: Map::new(),
        };
        audit.acted(&from, vec![act("a"), act("b")], NOW);
        let pushed = Pushed { n_processed: 2, n_failed: 1, ..Pushed::default() };
        for _ in 0..3 {
            audit.pushed(&from, pushed, NOW);
        }
        let all = records(store);
        let seen: Vec<(i64, &str)> = all.iter().map(|it| (it.action, &*it.name)).collect();
        assert_eq!(seen, [(10, "a"), (10, "b"), (12, ""), (12, "")]);
        assert_eq!(all[0].recordsetid, all[1].recordsetid);
        let sums = |at: usize| details(&all[at])["history.processed"][1].clone();
        assert_eq!((sums(2), sums(3)), (json!("2"), json!("4")), "the rest of a second is one");
    });
}
