//! The contract of changes of items, triggers, hosts and their parts.

use crate::common::{Store, dependent_fields, fields, host_fields, item_fields, on_both};
use db::{Actor, Db, ObjectKind};
use model::content::{ItemStatus, Severity, TriggerStatus};
use model::{HostId, ItemId};
use serde_json::json;
use std::sync::{Arc, Mutex};

#[test]
fn a_host_overrides_its_fields_and_the_template_keeps_the_others() {
    on_both(|store| {
        let template = store.template("T", &[]);
        store.item(template, "cpu");
        let host = store.host("h", &[template]);
        let id = store.by_key(host, "cpu").id.0;
        store.update(
            ObjectKind::Item,
            id,
            json!({"delay": "5s", "status": "1", "name": "Name of cpu"}),
        );
        let row = store.by_key(host, "cpu");
        assert_eq!((row.content.delay.as_str(), row.content.status), ("5s", ItemStatus::Disabled));
        assert_eq!(store.by_key(template, "cpu").content.delay, "1m");
        assert_eq!(
            store.refused(|e| e.update(ObjectKind::Item, id, fields(json!({"key_": "other"})))),
            "Invalid parameter \"/1\": cannot update readonly parameter \"key_\" of inherited object."
        );
        // Back to what the template says: the override is gone, the content shared again.
        store.update(ObjectKind::Item, id, json!({"delay": "1m", "status": "0"}));
        assert!(store.by_key(host, "cpu").extra.is_none());
        assert_eq!(
            store.refused(|e| e.delete(ObjectKind::Item, &[id])),
            "Invalid parameter \"/1\": cannot delete inherited item."
        );
    });
}

#[test]
fn a_templates_change_of_a_field_writes_through_overrides_of_that_field() {
    on_both(|store| {
        let bottom = store.template("T0", &[]);
        let source = store.item(bottom, "cpu");
        let middle = store.template("T1", &[bottom]);
        let host = store.host("h", &[middle]);
        let middle_id = store.by_key(middle, "cpu").id.0;
        store.update(ObjectKind::Item, middle_id, json!({"history": "1d"}));
        assert_eq!(store.by_key(host, "cpu").content.history, "1d", "overrides pass on");
        let id = store.by_key(host, "cpu").id.0;
        store.update(ObjectKind::Item, id, json!({"delay": "5s", "status": "1"}));
        store.update(ObjectKind::Item, source.0, json!({"delay": "2m"}));
        let row = store.by_key(host, "cpu");
        assert_eq!((row.content.delay.as_str(), row.content.status), ("2m", ItemStatus::Disabled));
        assert_eq!(row.content.history, "1d");
        store.reopen();
        store.update(ObjectKind::Item, source.0, json!({"history": "3d", "name": "CPU"}));
        let row = store.by_key(host, "cpu");
        assert_eq!((row.content.history.as_str(), &*row.name()), ("3d", "CPU"));
        assert!(store.by_key(middle, "cpu").extra.is_none());
        assert_eq!(row.content.status, ItemStatus::Disabled);
    });
}

#[test]
fn inherited_triggers_take_severity_and_status_but_no_expression() {
    on_both(|store| {
        let template = store.template("T", &[]);
        store.item(template, "cpu");
        let source = store.trigger("high", "last(/T/cpu)>5");
        let host = store.host("h", &[template]);
        let id = store.by_name(host, "high").id.0;
        // Clients send back what they read, with the host's own name.
        let request = json!({"priority": "5", "status": "1", "expression": "last(/h/cpu)>5"});
        store.update(ObjectKind::Trigger, id, request);
        let row = store.by_name(host, "high");
        assert_eq!(
            (row.content.priority, row.content.status),
            (Severity::Disaster, TriggerStatus::Disabled)
        );
        let text = store.refused(|e| {
            e.update(ObjectKind::Trigger, id, fields(json!({"expression": "last(/h/cpu)>6"})))
        });
        assert_eq!(text, "Cannot update \"expression\" for templated trigger \"high\".");
        store.update(
            ObjectKind::Trigger,
            source.0,
            json!({"expression": "last(/T/cpu)>7", "priority": "1"}),
        );
        let row = store.by_name(host, "high");
        assert_eq!(
            (row.content.priority, row.content.status),
            (Severity::Information, TriggerStatus::Disabled)
        );
        assert_eq!(row.content.expression, "{0}>7");
        assert_eq!(
            store.refused(|e| e.delete(ObjectKind::Trigger, &[id])),
            "Cannot delete templated trigger \"high:h\"."
        );
    });
}

#[test]
fn deleting_an_item_deletes_dependents_and_triggers_on_all_hosts() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let master = store.item(template, "raw");
        store.dependent(template, "part", master);
        store.trigger("t", "last(/T/part)>1");
        let host = store.host("h", &[template]);
        let other = store.host("other", &[]);
        store.item(other, "own");
        store.trigger("over both", "last(/other/own)>1 and last(/h/part)>1");
        store.reopen();
        store.delete(ObjectKind::Item, master.0);
        for holder in [template, host] {
            assert!(
                store.holder(holder).items.is_empty() && store.holder(holder).triggers.is_empty()
            );
        }
        assert!(store.holder(other).triggers.is_empty(), "it used an item of the other host");
        assert!(store.has_key(other, "own"));
    });
}

#[test]
fn deleting_a_host_takes_triggers_of_others_that_use_its_items() {
    on_both(|store| {
        let [one, two] = ["one", "two"].map(|name| {
            let host = store.host(name, &[]);
            store.item(host, "k");
            host
        });
        store.trigger("both", "last(/one/k)>1 and last(/two/k)>1");
        assert!(store.has_trigger(one, "both"));
        store.delete(ObjectKind::Host, two.0);
        assert!(!store.has_trigger(one, "both"));
        assert!(store.db.snapshot().host_named("two").is_none());
        // The name is free again.
        store.host("two", &[]);
    });
}

#[test]
fn expressions_of_unknown_hosts_keys_and_mixed_holders_are_refused() {
    on_both(|store| {
        let template = store.template("T", &[]);
        store.item(template, "k");
        let host = store.host("h", &[]);
        store.item(host, "k");
        let refused = |expression: &str| {
            let request = json!({"description": "t", "expression": expression});
            store.refused(|e| e.create(ObjectKind::Trigger, fields(request)))
        };
        assert_eq!(
            refused("last(/nobody/k)>1"),
            "Incorrect trigger expression. Host \"nobody\" does not exist or you have no access to this \
             host."
        );
        assert_eq!(
            refused("last(/h/none)>1"),
            "Incorrect item key \"none\" provided for trigger expression on \"h\"."
        );
        assert!(refused("last(/h/k)>1 and last(/T/k)>1").contains("template and a host"));
        assert!(refused("last(/h/k").starts_with("Invalid parameter \"/1/expression\""));
        store.trigger("t", "last(/h/k)>1");
        assert_eq!(refused("last(/h/k)>1"), "Trigger \"t\" already exists on \"h\".");
    });
}

#[test]
fn event_names_that_cannot_be_read_are_refused() {
    on_both(|store| {
        let host = store.host("h", &[]);
        store.item(host, "k");
        let request = |name: &str| {
            fields(json!({"description": "n", "expression": "last(/h/k)>1", "event_name": name}))
        };
        assert_eq!(
            store.refused(|e| e.create(ObjectKind::Trigger, request("{?last(/h/k}"))),
            "Invalid parameter \"/1/event_name\": incorrect expression starting from \"last(/h/k}\"."
        );
        let id = store.trigger("t", "last(/h/k)>1");
        let name = |name: &str| fields(json!({"event_name": name}));
        assert_eq!(
            store.refused(|e| e.update(ObjectKind::Trigger, id.0, name("{?1")).map(|()| 0)),
            "Invalid parameter \"/1/event_name\": unexpected end of expression macro."
        );
        store.edit(|e| e.update(ObjectKind::Trigger, id.0, name("{?last(//k)}")));
    });
}

#[test]
fn a_trigger_moves_when_its_expression_begins_with_another_host() {
    on_both(|store| {
        let [one, two] = ["one", "two"].map(|name| {
            let host = store.host(name, &[]);
            store.item(host, "k");
            host
        });
        let first = store.trigger("a", "last(/one/k)>1");
        let id = store.trigger("b", "last(/one/k)>2");
        let last = store.trigger("c", "last(/one/k)>3");
        store.update(ObjectKind::Trigger, id.0, json!({"expression": "last(/two/k)>2"}));
        assert_eq!(store.by_name(two, "b").id, id);
        assert!(!store.has_trigger(one, "b"));
        for it in [first, last] {
            assert_eq!(store.db.snapshot().trigger(it).unwrap().0.id, one);
        }
        store.update(ObjectKind::Trigger, id.0, json!({"description": "B"}));
        assert_eq!(store.by_name(two, "B").content.expression, "{0}>2");
    });
}

#[test]
fn dependent_items_need_a_master_without_circles_and_too_many_levels() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let mut master = store.item(host, "raw");
        for n in 0..3 {
            master = store.dependent(host, &format!("level{n}"), master);
        }
        let refused = |request| store.refused(|e| e.create(ObjectKind::Item, fields(request)));
        assert!(
            refused(dependent_fields(host, "level3", master))
                .contains("allowed count of dependency levels would be exceeded")
        );
        assert!(
            refused(dependent_fields(host, "lost", ItemId(77))).contains("an item ID is expected")
        );
        let own = store.by_key(host, "level0").id;
        let text = store.refused(|e| {
            e.update(ObjectKind::Item, own.0, fields(json!({"master_itemid": own.to_string()})))
        });
        assert!(text.contains("circular item dependency is not allowed"), "{text}");
        let other = store.host("other", &[]);
        let request = dependent_fields(other, "foreign", own);
        let elsewhere = "cannot be an item ID from another host or template";
        assert!(refused(request).contains(elsewhere));
    });
}

#[test]
fn interfaces_keep_their_ids_and_the_needed_ones_stay() {
    on_both(|store| {
        let host = store.host("h", &[]);
        store.item(host, "k");
        let id = store.holder(host).interfaces[0].interfaceid;
        let second = json!({
            "hostid": host.to_string(), "type": "1", "main": "0", "useip": "0", "ip": "", "dns": "h.example",
            "port": "{$PORT}",
        });
        let second = store.create(ObjectKind::HostInterface, second);
        let request = json!({"interfaceid": second.to_string()});
        store.update(ObjectKind::Item, store.by_key(host, "k").id.0, request);
        assert_eq!(store.by_key(host, "k").content.interfaceid.0, second);
        assert_eq!(
            store.refused(|e| e.delete(ObjectKind::HostInterface, &[second])),
            "Interface is linked to item \"Name of k\" on \"h\"."
        );
        let text = store.refused(|e| e.delete(ObjectKind::HostInterface, &[id.0]));
        assert_eq!(text, "No default interface for \"Agent\" type on \"h\".");
        // The whole list again, without ids: equal addresses keep theirs.
        let request = host_fields("h", &[])["interfaces"].clone();
        store.update(
            ObjectKind::Item,
            store.by_key(host, "k").id.0,
            json!({"interfaceid": id.to_string()}),
        );
        store.update(ObjectKind::Host, host.0, json!({"interfaces": request}));
        assert_eq!(store.holder(host).interfaces.len(), 1);
        assert_eq!(store.holder(host).interfaces[0].interfaceid, id);
        let text = store
            .refused(|e| e.update(ObjectKind::Host, host.0, fields(json!({"interfaces": []}))));
        assert!(text.starts_with("Interface is linked to item"), "{text}");
        let snmp = json!({
            "hostid": host.to_string(), "type": "2", "main": "1", "useip": "1", "ip": "127.0.0.1",
            "dns": "", "port": "161", "details": {"version": "2", "community": "{$C}"},
        });
        let snmp = store.create(ObjectKind::HostInterface, snmp);
        store.update(ObjectKind::HostInterface, snmp, json!({"details": {"bulk": "0"}}));
        let holder = store.holder(host);
        let details = holder.interfaces[1].details.as_ref().unwrap();
        assert_eq!((details.community.as_str(), details.bulk, details.version), ("{$C}", false, 2));
    });
}

#[test]
fn macros_are_kept_by_name_and_unique() {
    on_both(|store| {
        let mut request = host_fields("h", &[]);
        request["macros"] =
            json!([{"macro": "{$A}", "value": "1"}, {"macro": "{$B}", "value": "2", "type": "1"}]);
        let host = HostId(store.create(ObjectKind::Host, request));
        let id = store.holder(host).macros[0].hostmacroid;
        store.update(
            ObjectKind::Host,
            host.0,
            json!({"macros": [{"macro": "{$A}", "value": "3"}]}),
        );
        let macros = store.holder(host).macros.clone();
        assert_eq!((macros.len(), macros[0].hostmacroid, macros[0].value.as_str()), (1, id, "3"));
        let again = json!({"hostid": host.to_string(), "macro": "{$A}", "value": "4"});
        assert_eq!(
            store.refused(|e| e.create(ObjectKind::HostMacro, fields(again))),
            "Macro \"{$A}\" already exists on \"h\"."
        );
        let global = store.create(ObjectKind::GlobalMacro, json!({"macro": "{$G}", "value": "1"}));
        store.update(ObjectKind::GlobalMacro, global, json!({"value": "2"}));
        store.reopen();
        let globals = |store: &Store| -> Vec<(String, String)> {
            let snapshot = store.db.snapshot();
            let macros = snapshot.globals.macros.iter();
            macros.map(|it| (it.name.clone(), it.value.clone())).collect()
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let seeded = pair("{$SNMP_COMMUNITY}", "public");
        assert_eq!(globals(store), [seeded.clone(), pair("{$G}", "2")]);
        store.delete(ObjectKind::GlobalMacro, global);
        assert_eq!(globals(store), [seeded]);
        // It is a user's to delete, and does not come back.
        store.delete(ObjectKind::GlobalMacro, 2);
        store.reopen();
        assert!(globals(store).is_empty());
    });
}

#[test]
fn groups_cannot_leave_a_host_without_one() {
    on_both(|store| {
        let group = store.create(ObjectKind::HostGroup, json!({"name": "Routers"}));
        assert_eq!(
            store.refused(|e| e.create(ObjectKind::HostGroup, fields(json!({"name": "Routers"})))),
            "Host group \"Routers\" already exists."
        );
        let host = store.host("h", &[]);
        store.edit(|e| e.add_groups(&[host], &[group.into()]));
        store.edit(|e| e.remove_groups(&[host], &[2.into()]));
        assert_eq!(
            store.refused(|e| e.delete(ObjectKind::HostGroup, &[group])),
            "Host \"h\" cannot be without host group."
        );
        store.edit(|e| e.add_groups(&[host], &[2.into()]));
        store.delete(ObjectKind::HostGroup, group);
        assert_eq!(store.holder(host).groups, [2.into()]);
    });
}

#[test]
fn subscribers_hear_in_order_who_is_concerned() {
    on_both(|store| {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let of_subscriber = Arc::clone(&heard);
        store.db.subscribe(Box::new(move |snapshot, delta| {
            assert_eq!(snapshot.epoch, delta.epoch);
            of_subscriber.lock().unwrap().push(delta.clone());
        }));
        let template = store.template("T", &[]);
        let host = store.host("h", &[template]);
        let other = store.host("other", &[]);
        store.create(
            ObjectKind::HostMacro,
            json!({"hostid": template.to_string(), "macro": "{$M}", "value": "1"}),
        );
        store.delete(ObjectKind::Host, other.0);
        // Nothing changes: subscribers are not notified.
        store.update(ObjectKind::Host, host.0, json!({"host": "h"}));
        let heard = heard.lock().unwrap();
        let epochs: Vec<u64> = heard.iter().map(|it| it.epoch).collect();
        assert_eq!(epochs, (epochs[0]..epochs[0] + 5).collect::<Vec<u64>>());
        assert_eq!(heard[3].hosts_changed, [host], "a macro of the template concerns its hosts");
        assert_eq!(heard[3].templates_changed, [template]);
        assert_eq!(heard[4].hosts_removed, [other]);
    });
}

fn create_ten(db: &Db, host: HostId, thread: u32) {
    for n in 0..10 {
        let request = fields(item_fields(host, &format!("k{thread}.{n}")));
        db.edit(Actor::System, |e| e.create(ObjectKind::Item, request)).unwrap();
    }
}

#[test]
fn concurrent_edits_come_one_after_another() {
    on_both(|store| {
        let host = store.host("h", &[]);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let db = store.db.clone();
                scope.spawn(move || create_ten(&db, host, thread));
            }
        });
        assert_eq!(store.holder(host).items.len(), 40);
    });
}

#[test]
fn an_own_item_of_an_unknown_interface_or_host_is_refused() {
    on_both(|store| {
        let mut request = host_fields("bare", &[]);
        request["interfaces"] = json!([]);
        let bare = HostId(store.create(ObjectKind::Host, request));
        let text = store.refused(|e| e.create(ObjectKind::Item, fields(item_fields(bare, "k"))));
        assert_eq!(
            text,
            "Invalid parameter \"/1/interfaceid\": the host interface ID is expected."
        );
        let text =
            store.refused(|e| e.create(ObjectKind::Item, fields(item_fields(HostId(9), "k"))));
        assert_eq!(text, "No permissions to referred object or it does not exist!");
        // Linked items wait for an interface.
        let template = store.template("T", &[]);
        store.item(template, "k");
        store.link(bare, &[template]);
        assert!(store.has_key(bare, "k"));
    });
}
