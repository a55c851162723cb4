//! The contract of linking and unlinking.

use crate::common::{fields, host_fields, item_fields, on_both, template_fields};
use db::ObjectKind;
use model::content::ItemStatus;
use model::{HostId, ItemId, TriggerId};
use serde_json::json;
use std::sync::Arc;

#[test]
fn linking_gives_every_item_and_trigger_and_shares_their_content() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let item = store.item(template, "cpu");
        store.trigger("high", "last(/T/cpu)>5");
        let host = store.host("h", &[template]);
        let row = store.by_key(host, "cpu");
        assert_eq!(row.source, item);
        assert!(Arc::ptr_eq(&row.content, &store.by_key(template, "cpu").content));
        let trigger = store.by_name(host, "high");
        let of_template = store.by_name(template, "high");
        assert_eq!(trigger.source, of_template.id);
        assert!(Arc::ptr_eq(&trigger.content, &of_template.content));
        assert_eq!(trigger.content.functions[0].item, item);
    });
}

#[test]
fn own_items_and_triggers_are_adopted_with_their_ids() {
    on_both(|store| {
        let host = store.host("h", &[]);
        let own = store.item(host, "cpu");
        let own_trigger = store.trigger("high", "last(/h/cpu)>5");
        let other = store.trigger("high but other", "last(/h/cpu)>6");
        let template = store.template("T", &[]);
        store.item(template, "cpu");
        store.item(template, "mem");
        store.trigger("high", "last(/T/cpu)>5");
        store.update(ObjectKind::Item, store.by_key(template, "cpu").id.0, json!({"name": "CPU"}));
        store.link(host, &[template]);
        let row = store.by_key(host, "cpu");
        assert_eq!(row.id, own);
        assert_eq!(row.name(), "CPU");
        assert_eq!(row.source, store.by_key(template, "cpu").id);
        assert_eq!(store.by_name(host, "high").id, own_trigger);
        assert!(store.by_name(host, "high").source.is_some());
        assert!(store.by_name(host, "high but other").source.is_none());
        assert_eq!(store.by_name(host, "high but other").id, other);
        assert_eq!(store.holder(host).items.len(), 2);
    });
}

#[test]
fn unlinking_keeps_ids_and_content_and_references_become_the_hosts_own() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let master = store.item(template, "raw");
        store.dependent(template, "part", master);
        store.trigger("high", "last(/T/part)>5 and last(/T/raw)>1");
        let host = store.host("h", &[template]);
        let status = json!({"status": "1"});
        store.update(ObjectKind::Item, store.by_key(host, "raw").id.0, status);
        let before = store.holder(host);
        store.unlink(host, &[template], false);
        let after = store.holder(host);
        let ids = |it: &model::snapshot::Host| -> Vec<ItemId> {
            it.items.iter().map(|it| it.id).collect()
        };
        assert_eq!(ids(&before), ids(&after));
        assert!(after.items.iter().all(|it| it.source.is_none() && it.extra.is_none()));
        assert_eq!(store.by_key(host, "raw").content.status, ItemStatus::Disabled);
        assert_eq!(store.by_key(host, "part").content.master_itemid, store.by_key(host, "raw").id);
        let trigger = store.by_name(host, "high");
        assert!(trigger.source.is_none());
        let used: Vec<ItemId> = trigger.content.functions.iter().map(|it| it.item).collect();
        assert_eq!(used, [store.by_key(host, "part").id, store.by_key(host, "raw").id]);
        store.reopen();
        // The template may go now without taking anything along.
        store.delete(ObjectKind::Template, template.0);
        assert!(store.has_key(host, "part") && store.has_trigger(host, "high"));
    });
}

#[test]
fn unlink_and_clear_deletes_what_was_inherited_and_what_used_it() {
    on_both(|store| {
        let template = store.template("T", &[]);
        store.item(template, "cpu");
        store.trigger("high", "last(/T/cpu)>5");
        let host = store.host("h", &[template]);
        store.item(host, "own");
        store.dependent(host, "own of inherited", store.by_key(host, "cpu").id);
        store.trigger("mixed", "last(/h/cpu)>5 and last(/h/own)>5");
        store.unlink(host, &[template], true);
        assert_eq!(crate::common::keys(&store.holder(host)), "own");
        assert!(store.holder(host).triggers.is_empty());
        assert!(store.has_key(template, "cpu"));
    });
}

#[test]
fn replacing_one_template_by_another_keeps_ids() {
    on_both(|store| {
        let [old, new] = ["Old", "New"].map(|name| {
            let template = store.template(name, &[]);
            store.item(template, "cpu");
            store.trigger("high", &format!("last(/{name}/cpu)>5"));
            template
        });
        let host = store.host("h", &[old]);
        let (item, trigger) = (store.by_key(host, "cpu").id, store.by_name(host, "high").id);
        store.update(
            ObjectKind::Host,
            host.0,
            json!({"templates": [{"templateid": new.to_string()}]}),
        );
        assert_eq!((store.by_key(host, "cpu").id, store.by_name(host, "high").id), (item, trigger));
        assert_eq!(store.by_key(host, "cpu").source, store.by_key(new, "cpu").id);
        assert_eq!(store.holder(host).templates, [new]);
    });
}

#[test]
fn nested_templates_reach_hosts_through_every_level() {
    on_both(|store| {
        let bottom = store.template("T0", &[]);
        let first = store.item(bottom, "a");
        let middle = store.template("T1", &[bottom]);
        let host = store.host("h", &[middle]);
        let of_middle = store.by_key(middle, "a");
        assert_eq!(of_middle.source, first);
        assert_eq!(store.by_key(host, "a").source, of_middle.id);
        // New objects below reach the host, each level with a row of its own.
        let second = store.item(bottom, "b");
        store.dependent(bottom, "c", second);
        store.trigger("t", "last(/T0/c)>1");
        assert_eq!(store.by_key(host, "b").source, store.by_key(middle, "b").id);
        assert_eq!(store.by_name(host, "t").source, store.by_name(middle, "t").id);
        // A rename keeps ids all the way.
        let id = store.by_key(host, "b").id;
        store.update(ObjectKind::Item, second.0, json!({"key_": "b2", "delay": "5m"}));
        assert_eq!(store.by_key(host, "b2").id, id);
        assert_eq!(store.by_key(host, "b2").content.delay, "5m");
        // Linking a template to a template that hosts use reaches them too.
        let late = store.template("Late", &[]);
        store.item(late, "late");
        store.link(middle, &[late]);
        assert_eq!(store.by_key(host, "late").source, store.by_key(middle, "late").id);
        // Taking the middle's link away keeps everything with the same ids.
        store.reopen();
        let before = crate::common::keys(&store.holder(host));
        store.unlink(middle, &[bottom], false);
        assert_eq!(before, crate::common::keys(&store.holder(host)));
        assert_eq!(store.by_key(host, "b2").id, id);
        assert!(store.by_key(middle, "b2").source.is_none());
        assert_eq!(store.by_key(host, "b2").source, store.by_key(middle, "b2").id);
        // Deleting at the top of the chain deletes below.
        store.delete(ObjectKind::Item, store.by_key(middle, "b2").id.0);
        assert!(
            !store.has_key(host, "b2")
                && !store.has_key(host, "c")
                && !store.has_trigger(host, "t")
        );
        assert!(store.has_key(bottom, "b2"));
    });
}

#[test]
fn a_key_of_another_template_is_refused_with_both_names() {
    on_both(|store| {
        let [one, two] = ["One", "Two"].map(|name| {
            let template = store.template(name, &[]);
            store.item(template, "cpu");
            template
        });
        let host = store.host("h", &[one]);
        assert_eq!(
            store.refused(|e| e.link(&[host], &[two])),
            "Cannot inherit item with key \"cpu\" of template \"Two\" to host \"h\", because an item \
             with the same key is already inherited from template \"One\"."
        );
        // Also when the second item comes later.
        let three = store.template("Three", &[]);
        store.link(host, &[three]);
        let text = store.refused(|e| e.create(ObjectKind::Item, fields(item_fields(three, "cpu"))));
        assert!(text.contains("of template \"Three\" to host \"h\""), "{text}");
        // And when a rename makes it so.
        let other = store.item(three, "other");
        let text =
            store.refused(|e| e.update(ObjectKind::Item, other.0, fields(json!({"key_": "cpu"}))));
        assert_eq!(text, "An item with key \"cpu\" already exists on the host \"h\".");
    });
}

#[test]
fn circular_and_double_links_are_refused() {
    on_both(|store| {
        let a = store.template("A", &[]);
        let b = store.template("B", &[a]);
        let c = store.template("C", &[b]);
        assert_eq!(
            store.refused(|e| e.link(&[a], &[a])),
            "Cannot link template \"A\" to template \"A\", because a circular linkage (\"A\" -> \"A\") \
             would occur."
        );
        assert_eq!(
            store.refused(|e| e.link(&[a], &[c])),
            "Cannot link template \"C\" to template \"A\", because a circular linkage (\"C\" -> \"B\" \
             -> \"A\" -> \"C\") would occur."
        );
        let host = store.host("h", &[c]);
        assert_eq!(
            store.refused(|e| e.link(&[host], &[a])),
            "Cannot link template \"A\" to host \"h\", because its parent template \"A\" would be \
             linked twice."
        );
        // A link far below that would double one on a host.
        let d = store.template("D", &[]);
        store.link(host, &[d]);
        let text = store.refused(|e| e.link(&[d], &[b]));
        assert!(text.starts_with("Cannot link template \"B\" to template \"D\""), "{text}");
        assert!(text.ends_with("would be linked twice."), "{text}");
    });
}

#[test]
fn a_trigger_over_two_templates_needs_both_linked_and_holds_them_together() {
    on_both(|store| {
        let one = store.template("One", &[]);
        let two = store.template("Two", &[]);
        store.item(one, "a");
        store.item(two, "b");
        store.trigger("both", "last(/One/a)>1 and last(/Two/b)>1");
        let host = store.host("h", &[]);
        assert_eq!(
            store.refused(|e| e.link(&[host], &[one])),
            "Cannot link template \"One\" without template \"Two\" to host \"h\" due to expression of \
             trigger \"both\"."
        );
        let text = store.refused(|e| e.link(&[host], &[two]));
        assert!(
            text.starts_with("Cannot link template \"Two\" without template \"One\""),
            "{text}"
        );
        store.link(host, &[one, two]);
        assert_eq!(store.holder(host).triggers.len(), 1);
        assert_eq!(
            store.refused(|e| e.unlink(&[host], &[two], false)),
            "Cannot unlink template \"Two\" without template \"One\" from host \"h\" due to \
             expression of trigger \"both\"."
        );
        store.reopen();
        store.unlink(host, &[one, two], false);
        let trigger = store.by_name(host, "both");
        assert_eq!(trigger.content.functions[1].item, store.by_key(host, "b").id);
        // Two separate links, the other order.
        let host = store.host("h2", &[]);
        store.edit(|e| e.link(&[host], &[two, one]));
        assert_eq!(store.holder(host).triggers.len(), 1);
        // The item of the template that does not hold it takes it away everywhere.
        store.delete(ObjectKind::Item, store.by_key(two, "b").id.0);
        assert!(store.holder(host).triggers.is_empty() && store.holder(one).triggers.is_empty());
    });
}

#[test]
fn a_new_trigger_over_two_templates_reaches_those_that_link_both() {
    on_both(|store| {
        let one = store.template("One", &[]);
        let two = store.template("Two", &[]);
        store.item(one, "a");
        store.item(two, "b");
        let both = store.host("both", &[one, two]);
        let request = json!({"description": "t", "expression": "last(/One/a)>last(/Two/b)"});
        store.create(ObjectKind::Trigger, request);
        assert!(store.has_trigger(both, "t"));
        let lone = store.host("lone", &[]);
        let text = store.refused(|e| e.link(&[lone], &[one]));
        assert!(text.contains("due to expression of trigger \"t\""), "{text}");
    });
}

#[test]
fn value_maps_of_a_template_stay_with_the_items_after_unlinking() {
    on_both(|store| {
        let template = store.template("T", &[]);
        let request = json!({
            "hostid": template.to_string(), "name": "Up", "mappings": [{"value": "1", "newvalue": "up"}]
        });
        let map = store.create(ObjectKind::ValueMap, request);
        let mut request = item_fields(template, "up");
        request["valuemapid"] = json!(map.to_string());
        store.create(ObjectKind::Item, request);
        let host = store.host("h", &[template]);
        store.unlink(host, &[template], false);
        let own = store.by_key(host, "up").content.valuemapid;
        assert_ne!(own.0, map);
        assert_eq!(store.holder(host).valuemaps[0].valuemapid, own);
        assert_eq!(store.holder(host).valuemaps[0].mappings[0].newvalue, "up");
        store.delete(ObjectKind::ValueMap, own.0);
        assert!(store.by_key(host, "up").content.valuemapid.is_none());
    });
}

#[test]
fn equal_own_items_of_many_hosts_share_one_content() {
    on_both(|store| {
        let hosts: Vec<HostId> = (0..3).map(|it| store.host(&format!("h{it}"), &[])).collect();
        for host in &hosts {
            store.item(*host, "cpu");
        }
        let contents = |store: &crate::common::Store| -> Vec<_> {
            hosts.iter().map(|it| store.by_key(*it, "cpu").content).collect()
        };
        assert!(contents(store).windows(2).all(|it| Arc::ptr_eq(&it[0], &it[1])));
        store.reopen();
        assert!(contents(store).windows(2).all(|it| Arc::ptr_eq(&it[0], &it[1])));
        // One of them going its own way leaves the others alone.
        let id = store.by_key(hosts[0], "cpu").id;
        store.update(ObjectKind::Item, id.0, json!({"delay": "7s"}));
        assert_eq!(store.by_key(hosts[1], "cpu").content.delay, "1m");
        assert_eq!(store.by_key(hosts[0], "cpu").content.delay, "7s");
    });
}

#[test]
fn deleting_a_template_clears_it_from_hosts() {
    on_both(|store| {
        let template = store.template("T", &[]);
        store.item(template, "cpu");
        store.trigger("t", "last(/T/cpu)>1");
        let host = store.host("h", &[template]);
        store.delete(ObjectKind::Template, template.0);
        assert!(store.holder(host).items.is_empty() && store.holder(host).triggers.is_empty());
        assert!(store.holder(host).templates.is_empty());
        assert!(store.db.snapshot().templates.is_empty());
    });
}

#[test]
fn many_hosts_created_and_linked_in_one_edit_are_all_there() {
    on_both(|store| {
        let template = store.template("T", &[]);
        for n in 0..20 {
            store.item(template, &format!("k{n}"));
        }
        store.trigger("t", "last(/T/k1)>1");
        let hosts = store.edit(|e| {
            let mut hosts = Vec::new();
            for n in 0..50 {
                let request = host_fields(&format!("h{n}"), &[]);
                hosts.push(HostId(e.create(ObjectKind::Host, fields(request))?));
            }
            e.link(&hosts, &[template])?;
            Ok(hosts)
        });
        assert_eq!(store.db.snapshot().linked_to[&template].len(), 50);
        for host in &hosts {
            assert_eq!(
                (store.holder(*host).items.len(), store.holder(*host).triggers.len()),
                (20, 1)
            );
        }
        store.reopen();
        store.edit(|e| e.unlink(&hosts, &[template], true));
        assert!(hosts.iter().all(|it| store.holder(*it).items.is_empty()));
        assert!(!store.db.snapshot().linked_to.contains_key(&template));
    });
}

#[test]
fn trigger_dependencies_follow_the_template_and_forget_what_is_deleted() {
    on_both(|store| {
        let template = store.template("T", &[]);
        store.item(template, "a");
        let up = store.trigger("up", "last(/T/a)>1");
        let down = store.trigger("down", "last(/T/a)>2");
        let depends = json!({"dependencies": [{"triggerid": up.to_string()}]});
        store.update(ObjectKind::Trigger, down.0, depends);
        let host = store.host("h", &[template]);
        assert_eq!(store.by_name(host, "down").content.dependencies, [up]);
        let text = store.refused(|e| {
            let request = json!({"dependencies": [{"triggerid": down.to_string()}]});
            e.update(ObjectKind::Trigger, up.0, fields(request))
        });
        assert!(text.contains("circular linkage"), "{text}");
        // A host adds one of its own to the inherited trigger.
        store.item(host, "own");
        let own = store.trigger("own", "last(/h/own)>1");
        let up_of_host = store.by_name(host, "up").id;
        let of_host = store.by_name(host, "down").id;
        let same = json!({"dependencies": [{"triggerid": up_of_host.to_string()}]});
        store.update(ObjectKind::Trigger, of_host.0, same);
        assert!(store.by_name(host, "down").extra.is_none(), "the same triggers are no change");
        let request = json!({"dependencies": [
            {"triggerid": up_of_host.to_string()}, {"triggerid": own.to_string()}
        ]});
        store.update(ObjectKind::Trigger, of_host.0, request);
        assert_eq!(store.by_name(host, "down").content.dependencies, [up_of_host, own]);
        store.reopen();
        store.delete(ObjectKind::Trigger, own.0);
        assert_eq!(store.by_name(host, "down").content.dependencies, [up_of_host]);
        store.delete(ObjectKind::Trigger, up.0);
        assert_eq!(store.by_name(host, "down").content.dependencies, [] as [TriggerId; 0]);
        assert_eq!(store.by_name(template, "down").content.dependencies, [] as [TriggerId; 0]);
    });
}

#[test]
fn templates_and_hosts_do_not_share_names() {
    on_both(|store| {
        store.host("same", &[]);
        assert_eq!(
            store.refused(|e| e.create(ObjectKind::Host, fields(host_fields("same", &[])))),
            "Host with the same name \"same\" already exists."
        );
        let text =
            store.refused(|e| e.create(ObjectKind::Template, fields(template_fields("same", &[]))));
        assert_eq!(text, "Host with host name \"same\" already exists.");
        let mut request = host_fields("other", &[]);
        request["name"] = json!("same");
        assert_eq!(
            store.refused(|e| e.create(ObjectKind::Host, fields(request))),
            "Host with the same visible name \"same\" already exists."
        );
    });
}
