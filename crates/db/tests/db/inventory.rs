//! The contract of inventories.

use std::sync::{Arc, Mutex};

use db::{Actor, Delta, ObjectKind};
use model::content::{InventoryMode, inventory_link};
use model::{HostId, ItemId, Time};
use serde_json::{Value as Json, json};

use crate::common::{Store, fields, host_fields, item_fields, on_both};

fn text(store: &Store, host: HostId, field: &str) -> String {
    let snapshot = store.db.snapshot();
    let number = inventory_link(field).expect("a field");
    snapshot.inventories.get(&host).map_or("", |it| it.get(number)).to_owned()
}

fn mode(store: &Store, host: HostId) -> InventoryMode {
    store.holder(host).inventory_mode
}

/// A host with these fields in addition to the usual ones.
fn make(store: &Store, name: &str, more: Json) -> HostId {
    let mut request = host_fields(name, &[]);
    request.as_object_mut().unwrap().extend(fields(more));
    HostId(store.create(ObjectKind::Host, request))
}

fn link(field: &str) -> Json {
    json!({"inventory_link": inventory_link(field).expect("a field").to_string()})
}

/// An item that fills a field.
fn filler(holder: HostId, key: &str, field: &str) -> Json {
    let mut request = item_fields(holder, key);
    request.as_object_mut().unwrap().extend(fields(link(field)));
    request
}

#[test]
fn fields_are_kept_changed_and_go_with_mode_and_host() {
    on_both(|store| {
        let manual =
            make(store, "manual", json!({"inventory": {"os": "Linux", "notes": "größer"}}));
        assert_eq!(mode(store, manual), InventoryMode::Manual);
        let plain = make(store, "plain", json!({"inventory": {}}));
        assert_eq!(mode(store, plain), InventoryMode::Disabled);
        let automatic = json!({"inventory_mode": "1", "inventory": {"name": "a"}});
        let automatic = make(store, "automatic", automatic);
        assert_eq!(mode(store, automatic), InventoryMode::Automatic);
        store.reopen();
        assert_eq!(
            (text(store, manual, "os"), text(store, manual, "notes")),
            ("Linux".into(), "größer".into())
        );
        assert_eq!(text(store, automatic, "name"), "a");

        // Fields that are not named stay; an empty text empties one.
        let change = json!({"inventory": {"os": "", "model": "x1"}});
        store.update(ObjectKind::Host, manual.0, change);
        store.update(ObjectKind::Host, manual.0, json!({"inventory": {}}));
        store.reopen();
        let now = ["os", "model", "notes"].map(|it| text(store, manual, it));
        assert_eq!(now, ["", "x1", "größer"]);

        store.update(ObjectKind::Host, manual.0, json!({"inventory_mode": "-1"}));
        store.reopen();
        assert_eq!(
            (mode(store, manual), text(store, manual, "model")),
            (InventoryMode::Disabled, String::new())
        );
        store.delete(ObjectKind::Host, automatic.0);
        store.reopen();
        assert!(store.db.snapshot().inventories.is_empty());
    });
}

#[test]
fn refused_inventories_say_why() {
    on_both(|store| {
        let host = make(store, "h", json!({}));
        let off = json!({"inventory_mode": "-1", "inventory": {"os": "x"}});
        let error = "Cannot set inventory fields for disabled inventory.";
        let mut request = host_fields("new", &[]);
        request.as_object_mut().unwrap().extend(fields(off.clone()));
        assert_eq!(store.refused(|e| e.create(ObjectKind::Host, fields(request))), error);
        assert_eq!(store.refused(|e| e.update(ObjectKind::Host, host.0, fields(off))), error);
        let change = json!({"inventory": {"os": "x"}});
        assert_eq!(
            store.refused(|e| e.update(ObjectKind::Host, host.0, fields(change))),
            "Inventory disabled for host \"h\"."
        );
        let change = json!({"inventory_mode": "0", "inventory": {"colour": "x"}});
        assert_eq!(
            store.refused(|e| e.update(ObjectKind::Host, host.0, fields(change))),
            "Incorrect inventory field \"colour\"."
        );
    });
}

#[test]
fn items_fill_automatic_inventories_and_users_do_not_write_over_them() {
    on_both(|store| {
        let host = make(store, "h", json!({"inventory_mode": "0", "inventory": {"os": "mine"}}));
        store.create(ObjectKind::Item, filler(host, "os", "os"));
        let fill = |store: &Store, text: &str| {
            store.edit(|e| {
                e.fill_inventory(host, 5, text);
                e.fill_inventory(HostId(1), 5, text);
                e.fill_inventory(host, 71, text);
                Ok(())
            });
        };
        fill(store, "theirs");
        assert_eq!(text(store, host, "os"), "mine", "not automatic");
        store.update(ObjectKind::Host, host.0, json!({"inventory_mode": "1"}));
        fill(store, "theirs");
        let change = json!({"inventory": {"os": "mine", "name": "mine"}});
        store.update(ObjectKind::Host, host.0, change);
        store.reopen();
        assert_eq!([text(store, host, "os"), text(store, host, "name")], ["theirs", "mine"]);
        // Cut to what the field holds, in characters.
        fill(store, &"ü".repeat(200));
        assert_eq!(text(store, host, "os"), "ü".repeat(128));
    });
}

#[test]
fn a_change_of_inventories_is_no_change_of_what_is_monitored() {
    on_both(|store| {
        let host = make(store, "h", json!({"inventory_mode": "1"}));
        let received: Arc<Mutex<Vec<Delta>>> = Arc::default();
        let listener = Arc::clone(&received);
        store.db.subscribe(Box::new(move |_, delta| listener.lock().unwrap().push(delta.clone())));
        let before = store.db.snapshot();
        let fill = |text: &str| {
            store.edit(|e| {
                e.fill_inventory(host, 5, text);
                Ok(())
            });
        };
        fill("Linux");
        // The same once more: nothing is written or recorded.
        fill("Linux");
        store.update(ObjectKind::Host, host.0, json!({"inventory": {"name": "n"}}));
        let after = store.db.snapshot();
        assert!(Arc::ptr_eq(&before.hosts[&host], &after.hosts[&host]));
        let received = std::mem::take(&mut *received.lock().unwrap());
        let expected =
            Delta { epoch: before.epoch, inventories_changed: vec![host], ..Delta::default() };
        assert_eq!(received, [expected.clone(), expected]);
        assert!(received.iter().all(Delta::is_of_inventories));
    });
}

#[test]
fn changes_by_users_are_in_the_audit_log_and_those_by_items_are_not() {
    on_both(|store| {
        let host = make(store, "h", json!({"inventory_mode": "1"}));
        let by = Actor::User(model::UserId(1));
        let change = fields(json!({"inventory": {"name": "n"}}));
        store
            .db
            .edit(by, |e| {
                e.set_time(Time(7_000_000_000));
                e.update(ObjectKind::Host, host.0, change)
            })
            .unwrap();
        store.edit(|e| {
            e.fill_inventory(host, 5, "Linux");
            Ok(())
        });
        let records = store.db.audit().page(0..=i64::MAX, 0, 10).unwrap();
        assert_eq!(records.len(), 1);
        let recorded = json!({"host.inventory": ["add"], "host.inventory.name": ["add", "n"]});
        assert_eq!(records[0].details, recorded.to_string());
    });
}

#[test]
fn no_two_items_fill_one_field() {
    on_both(|store| {
        let host = store.host("h", &[]);
        store.create(ObjectKind::Item, filler(host, "one", "os"));
        let taken = "Cannot assign the inventory field \"OS\" to the item with key \"two\" of host \
                     \"h\", because it is already populated by the item with key \"one\".";
        let request = fields(filler(host, "two", "os"));
        assert_eq!(store.refused(|e| e.create(ObjectKind::Item, request)), taken);
        let two = store.item(host, "two").0;
        let refused = |store: &Store, request| {
            store.refused(|e| e.update(ObjectKind::Item, two, fields(request)))
        };
        assert_eq!(refused(store, link("os")), taken);
        store.update(ObjectKind::Item, two, link("name"));
        // An item that fills a field may be changed otherwise.
        store.update(ObjectKind::Item, two, json!({"name": "other"}));

        // Logs fill nothing: the link goes with the type, and is refused where it is asked for.
        store.update(ObjectKind::Item, two, json!({"value_type": "2", "type": "7"}));
        assert_eq!(store.by_key(host, "two").content.inventory_link, 0);
        let wrong = "Invalid parameter \"/1/inventory_link\": value must be 0.";
        assert_eq!(refused(store, link("name")), wrong);
    });
}

#[test]
fn links_of_templates_collide_with_those_of_hosts() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let of_template = ItemId(store.create(ObjectKind::Item, filler(template, "t", "os")));
        let host = store.host("h", &[]);
        let own = store.create(ObjectKind::Item, filler(host, "own", "os"));
        let taken = "Cannot inherit item with key \"t\" of template \"T\" to host \"h\", because its \
                     inventory field \"OS\" is already populated by the item with key \"own\".";
        assert_eq!(store.refused(|e| e.link(&[host], &[template])), taken);
        store.update(ObjectKind::Item, own, link("name"));
        store.link(host, &[template]);

        // A change of the template reaches the host.
        let change = fields(link("name"));
        let refused = store.refused(|e| e.update(ObjectKind::Item, of_template.0, change));
        assert_eq!(refused, taken.replace("\"OS\"", "\"Name\""));
        let id = store.by_key(host, "t").id.0;
        let refused = store.refused(|e| e.update(ObjectKind::Item, id, fields(link("name"))));
        assert_eq!(
            refused,
            "Cannot assign the inventory field \"Name\" to the item with key \"t\" of host \"h\", \
             because it is already populated by the item with key \"own\"."
        );
        store.update(ObjectKind::Item, id, link("alias"));
        // The host's own choice stays while the template keeps its.
        store.update(ObjectKind::Item, of_template.0, json!({"name": "new name"}));
        assert_eq!(store.by_key(host, "t").content.inventory_link, 4);
        let second = store.template("T2", &[]);
        store.create(ObjectKind::Item, filler(second, "t2", "alias"));
        let refused = store.refused(|e| e.link(&[host], &[second]));
        assert!(refused.contains("item with key \"t2\" of template \"T2\""), "{refused}");
    });
}
