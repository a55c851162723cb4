//! The contract of host prototypes: inheritance, and the hosts that discovery makes of them.

use db::{LldReport, ObjectKind};
use model::content::HostStatus;
use model::snapshot::Host;
use model::{HostId, ItemId};
use serde_json::{Value as Json, json};
use std::sync::Arc;

use crate::common::{LINUX_SERVERS, NOW, Store, fields, on_both};

struct Scene {
    of: HostId,
    host: HostId,
    rule: ItemId,
    prototype: HostId,
    linked: HostId,
}

fn prototype_fields(rule: u64, more: &Json) -> Json {
    let mut request = json!({
        "ruleid": rule.to_string(), "host": "vm {#ID}", "name": "Machine {#NAME}",
        "groupLinks": [{"groupid": LINUX_SERVERS}], "groupPrototypes": [{"name": "At {#PLACE}"}],
        "macros": [{"macro": "{$ID}", "value": "{#ID}"}], "tags": [{"tag": "place", "value": "{#PLACE}"}],
    });
    for (name, value) in more.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

/// A rule with a host prototype on a template that a host links.
fn scene(store: &Store, rule: &Json, prototype: &Json) -> Scene {
    let linked = store.template("Machine", &[]);
    store.item(linked, "load");
    let of = store.template("T", &[]);
    let mut request = json!({
        "hostid": of.to_string(), "name": "Machines", "key_": "rule", "type": "2",
        "lifetime_type": "0", "lifetime": "7d", "enabled_lifetime_type": "0", "enabled_lifetime": "1d",
    });
    for (name, value) in rule.as_object().unwrap() {
        request[name] = value.clone();
    }
    let rule = store.create(ObjectKind::DiscoveryRule, request);
    let mut more = json!({"templates": [{"templateid": linked.to_string()}]});
    for (name, value) in prototype.as_object().unwrap() {
        more[name] = value.clone();
    }
    let request = prototype_fields(rule, &more);
    let prototype = HostId(store.create(ObjectKind::HostPrototype, request));
    let host = store.host("h", &[of]);
    let rule = store.by_key(host, "rule").id;
    Scene { of, host, rule, prototype, linked }
}

fn run(store: &Store, scene: &Scene, rows: &[(&str, &str, &str)], day: i64) -> LldReport {
    let row = |(id, name, place): &(&str, &str, &str)| json!({"{#ID}": id, "{#NAME}": name, "{#PLACE}": place});
    let rows: Vec<Json> = rows.iter().map(row).collect();
    let now = NOW.plus_secs(day * 86_400);
    store.db.apply_lld(scene.rule, &json!(rows).to_string(), now).unwrap()
}

fn named(store: &Store, host: &str) -> Option<Arc<Host>> {
    store.db.snapshot().host_named(host).cloned()
}

fn group(store: &Store, name: &str) -> Option<model::GroupId> {
    let snapshot = store.db.snapshot();
    snapshot.host_groups.iter().find(|(_, it)| it.name == name).map(|(id, _)| *id)
}

#[test]
fn rows_make_hosts_with_all_that_the_prototype_says() {
    on_both(|store| {
        let scene = scene(store, &json!({}), &json!({}));
        let report = run(store, &scene, &[("1", "one", "Riga"), ("2", "two", "Riga")], 0);
        assert_eq!((report.n_created, report.error.as_str()), (2, ""));
        let made = named(store, "vm 1").unwrap();
        assert_eq!((&*made.name, made.status), ("Machine one", HostStatus::Monitored));
        assert_eq!(made.templates, [scene.linked]);
        assert!(store.has_key(made.id, "load"));
        assert_eq!(made.macros[0].value, "1");
        assert_eq!(made.tags[0].value, "Riga");
        let place = group(store, "At Riga").unwrap();
        assert_eq!(made.groups, [model::GroupId(2), place]);
        // Without interfaces of its own it has those of the rule's host.
        assert_eq!(made.interfaces[0].ip, "127.0.0.1");
        store.reopen();
        let epoch = store.db.snapshot().epoch;
        run(store, &scene, &[("1", "one", "Riga"), ("2", "two", "Riga")], 1);
        assert_eq!(store.db.snapshot().epoch, epoch, "nothing new, nothing written");
        // Additions by users stay, fields of the row follow.
        let tags =
            json!({"tags": [{"tag": "place", "value": "Riga"}, {"tag": "own", "value": "x"}]});
        store.update(ObjectKind::Host, made.id.0, tags);
        run(store, &scene, &[("1", "uno", "Oslo"), ("2", "two", "Riga")], 2);
        let moved = named(store, "vm 1").unwrap();
        assert_eq!((moved.id, &*moved.name), (made.id, "Machine uno"));
        let mut tags: Vec<&str> = moved.tags.iter().map(|it| &*it.value).collect();
        tags.sort_unstable();
        assert_eq!(tags, ["Oslo", "x"]);
        assert_eq!(moved.groups, [model::GroupId(2), group(store, "At Oslo").unwrap()]);
    });
}

#[test]
fn lost_hosts_are_disabled_and_deleted_as_the_rule_says_and_come_back() {
    on_both(|store| {
        let scene = scene(store, &json!({}), &json!({}));
        let (one, two) = (("1", "one", "Riga"), ("2", "two", "Riga"));
        run(store, &scene, &[one, two], 0);
        let id = named(store, "vm 2").unwrap().id;
        let report = run(store, &scene, &[one], 1);
        assert_eq!(report.n_lost, 1);
        store.db.lld_sweep(NOW.plus_secs(3 * 86_400)).unwrap();
        assert_eq!(named(store, "vm 2").unwrap().status, HostStatus::NotMonitored);
        store.reopen();
        run(store, &scene, &[one, two], 4);
        let back = named(store, "vm 2").unwrap();
        assert_eq!((back.id, back.status), (id, HostStatus::Monitored));
        run(store, &scene, &[one], 5);
        store.db.lld_sweep(NOW.plus_secs(13 * 86_400)).unwrap();
        assert!(named(store, "vm 2").is_none() && named(store, "vm 1").is_some());
    });
}

#[test]
fn failed_host_is_reported_and_hinders_no_other() {
    on_both(|store| {
        let scene = scene(store, &json!({}), &json!({}));
        store.host("vm 1", &[]);
        let rows = [
            ("1", "one", "Riga"),
            ("/", "slash", "Riga"),
            ("3", "three", "Riga"),
            ("4", "three", "Riga"),
        ];
        let report = run(store, &scene, &rows, 0);
        let expected = "Cannot create host: host with the same name \"vm 1\" (\"Machine one\") already exists.\n\
            Cannot create host \"vm /\": name contains invalid character '/'.\n\
            Cannot create host \"vm 4\": host with the same visible name \"Machine three\" already exists.\n";
        assert_eq!((report.n_created, report.error.as_str()), (1, expected));
        assert!(named(store, "vm 3").is_some() && named(store, "vm 4").is_none());
        store.reopen();
    });
}

#[test]
fn overrides_say_which_hosts_are_made_and_how() {
    on_both(|store| {
        let more = store.template("More", &[]);
        let operation = |operator: &str, value: &str, what: Json| {
            let mut it = json!({"operationobject": "3", "operator": operator, "value": value});
            it.as_object_mut().unwrap().extend(fields(what));
            it
        };
        let overrides = json!({"overrides": [{"name": "o", "step": "1", "filter": {"conditions": []},
            "operations": [
                operation("0", "vm 1", json!({"opdiscover": {"discover": "1"}})),
                operation("0", "vm 2", json!({"opstatus": {"status": "1"},
                    "optemplate": [{"templateid": more.to_string()}],
                    "optag": [{"tag": "by", "value": "{#NAME}"}],
                    "opinventory": {"inventory_mode": "1"}}))]}]});
        let scene = scene(store, &overrides, &json!({}));
        run(store, &scene, &[("1", "one", "Riga"), ("2", "two", "Riga")], 0);
        assert!(named(store, "vm 1").is_none());
        let made = named(store, "vm 2").unwrap();
        assert_eq!((made.status, made.inventory_mode.code()), (HostStatus::NotMonitored, 1));
        assert_eq!(made.templates, [scene.linked, more]);
        assert!(made.tags.iter().any(|it| it.tag == "by" && it.value == "two"));
    });
}

#[test]
fn prototypes_are_inherited_and_take_their_hosts_along() {
    on_both(|store| {
        let interface = json!([{"type": "1", "main": "1", "useip": "1", "ip": "10.0.0.{#ID}", "dns": "",
            "port": "10050"}]);
        let scene =
            scene(store, &json!({}), &json!({"custom_interfaces": "1", "interfaces": interface}));
        let own = store.holder(scene.host).host_prototypes[0].clone();
        assert_eq!(own.source, scene.prototype);
        let update = |request: Json| store.update(ObjectKind::HostPrototype, own.id.0, request);
        update(json!({"status": "1"}));
        let refused = |e: &mut db::Editor| {
            e.update(ObjectKind::HostPrototype, own.id.0, fields(json!({"host": "x {#ID}"})))
        };
        let expected = "Invalid parameter \"/1\": cannot update readonly parameter \"host\" of inherited object.";
        assert_eq!(store.refused(refused), expected);
        run(store, &scene, &[("1", "one", "Riga")], 0);
        let made = named(store, "vm 1").unwrap();
        assert_eq!((made.status, &*made.interfaces[0].ip), (HostStatus::NotMonitored, "10.0.0.1"));
        // A template writes through, and another name is another host.
        store.update(ObjectKind::HostPrototype, scene.prototype.0, json!({"host": "new {#ID}"}));
        assert_eq!(store.holder(scene.host).host_prototypes[0].content.host, "new {#ID}");
        store.unlink(scene.host, &[scene.of], false);
        let own = store.holder(scene.host).host_prototypes[0].clone();
        assert_eq!((own.source, own.content.ruleid), (HostId::NONE, scene.rule));
        assert!(named(store, "vm 1").is_some());
        store.delete(ObjectKind::DiscoveryRule, scene.rule.0);
        assert!(
            named(store, "vm 1").is_none() && store.holder(scene.host).host_prototypes.is_empty()
        );
        assert_eq!(store.holder(scene.of).host_prototypes.len(), 1);
    });
}

#[test]
fn prototypes_that_make_no_sense_are_refused() {
    on_both(|store| {
        let scene = scene(store, &json!({}), &json!({}));
        let rule = store.by_key(scene.of, "rule").id.0;
        for (more, expected) in [
            (
                json!({"host": "same"}),
                "Invalid parameter \"/1/host\": must contain at least one low-level discovery macro.",
            ),
            (json!({"groupLinks": []}), "Invalid parameter \"/1/groupLinks\": cannot be empty."),
            (
                json!({}),
                "Host prototype with host name \"vm {#ID}\" already exists in discovery rule \"Machines\".",
            ),
            (
                json!({"host": "x {#ID}"}),
                "Host prototype with visible name \"Machine {#NAME}\" already exists in discovery rule \
                 \"Machines\".",
            ),
        ] {
            let request = fields(prototype_fields(rule, &more));
            let found = store.refused(|e| e.create(ObjectKind::HostPrototype, request));
            assert_eq!(found, expected);
        }
    });
}

/// A template with a rule whose host prototype links another template of the file.
const EXPORT: &str = r"
zabbix_export:
  version: '7.0'
  template_groups: [{uuid: 7df96b18c230490a9a0a9e2307226338, name: Templates}]
  host_groups: [{uuid: 137f19e6e2dc4219b33553b812627bc2, name: Machines}]
  templates:
    - uuid: 1f86ca6c9a5a4e3c8e4ec1a7d5c1aa01
      template: Cluster
      name: Cluster
      groups: [{name: Templates}]
      discovery_rules:
        - uuid: 1f86ca6c9a5a4e3c8e4ec1a7d5c1aa02
          name: Machines
          type: TRAP
          key: machines
          overrides:
            - name: big ones
              step: '1'
              operations:
                - operationobject: HOST_PROTOTYPE
                  operator: LIKE
                  value: big
                  status: DISABLED
                  templates: [{name: More}]
          host_prototypes:
            - uuid: 1f86ca6c9a5a4e3c8e4ec1a7d5c1aa03
              host: 'm-{#ID}'
              name: 'Machine {#ID}'
              discover: NO_DISCOVER
              group_links: [{group: {name: Machines}}]
              group_prototypes: [{name: 'Cluster/{#C}'}]
              templates: [{name: More}]
              macros: [{macro: '{$ID}', value: '{#ID}'}]
              tags: [{tag: cluster, value: '{#C}'}]
              custom_interfaces: 'YES'
              interfaces: [{type: SNMP, useip: 'NO', dns: '{#ID}', port: '161', details: {community: '{$C}'}}]
    - uuid: 1f86ca6c9a5a4e3c8e4ec1a7d5c1aa04
      template: More
      name: More
      groups: [{name: Templates}]
";

#[test]
fn files_bring_prototypes_and_what_overrides_say_of_them() {
    on_both(|store| {
        let import = |text: &str| {
            let rules = db::ImportRules::ALL;
            store.db.import(db::Actor::System, text, db::ImportFormat::Yaml, &rules).unwrap()
        };
        for _ in 0..2 {
            let report = import(EXPORT);
            assert!(report.kept_for_later.is_empty(), "{:?}", report.kept_for_later);
        }
        let snapshot = store.db.snapshot();
        let template = snapshot.template_named("Cluster").unwrap();
        let more = snapshot.template_named("More").unwrap().id;
        assert_eq!(template.host_prototypes.len(), 1, "known again by its identity");
        let it = &template.host_prototypes[0].content;
        assert_eq!(
            (it.host.as_str(), it.name.as_str(), it.discover),
            ("m-{#ID}", "Machine {#ID}", false)
        );
        assert_eq!((it.inventory_mode, &*it.templates), (-1, &[more][..]));
        assert_eq!(it.groups, [group(store, "Machines").unwrap()]);
        assert_eq!(it.group_names, ["Cluster/{#C}"]);
        assert_eq!((it.macros.len(), it.tags.len()), (1, 1));
        assert_eq!(it.interfaces[0].details.as_ref().unwrap().community, "{$C}");
        let rule = template.items.iter().find(|it| it.key() == "machines").unwrap();
        assert_eq!(rule.content.overrides[0].operations[0].templates, [more]);
        // Objects missing in a newer file go.
        let (head, rest) = EXPORT.split_once("          host_prototypes:").unwrap();
        let next = "    - uuid: 1f86ca6c9a5a4e3c8e4ec1a7d5c1aa04";
        let (_, tail) = rest.split_once(next).unwrap();
        import(&[head, next, tail].concat());
        assert!(store.db.snapshot().template_named("Cluster").unwrap().host_prototypes.is_empty());
    });
}

fn n_discoveries(store: &Store, group: model::GroupId) -> Option<usize> {
    store.db.snapshot().group_discoveries.get(&group).map(|it| it.len())
}

#[test]
fn groups_that_rows_make_go_with_them_and_those_of_people_stay() {
    on_both(|store| {
        let own = store.create(ObjectKind::HostGroup, json!({"name": "At Oslo"}));
        let scene = scene(store, &json!({}), &json!({}));
        run(store, &scene, &[("1", "one", "Riga"), ("2", "two", "Oslo")], 0);
        let riga = group(store, "At Riga").unwrap();
        assert_eq!(
            (n_discoveries(store, riga), n_discoveries(store, model::GroupId(own))),
            (Some(1), None)
        );
        store.reopen();
        assert_eq!(n_discoveries(store, riga), Some(1));
        // A group of a prototype is not deleted, nor is a template that it links kept in it.
        let group_of_prototype = store.refused(|e| e.delete(ObjectKind::HostGroup, &[2]));
        let expected =
            "Group \"Linux servers\" cannot be deleted, because it is used by a host prototype.";
        assert_eq!(group_of_prototype, expected);
        run(store, &scene, &[("1", "one", "Oslo"), ("2", "two", "Oslo")], 1);
        let lost = store.db.snapshot().group_discoveries[&riga][0].clone();
        assert_eq!(lost.delete_at - lost.lost_since, 7 * 86_400);
        run(store, &scene, &[("1", "one", "Riga"), ("2", "two", "Oslo")], 2);
        assert_eq!(store.db.snapshot().group_discoveries[&riga][0].lost_since, 0, "it is back");
        run(store, &scene, &[("2", "two", "Oslo")], 3);
        store.db.lld_sweep(NOW.plus_secs(11 * 86_400)).unwrap();
        assert_eq!(
            (group(store, "At Riga"), group(store, "At Oslo")),
            (None, Some(model::GroupId(own)))
        );
        assert!(named(store, "vm 1").is_none() && named(store, "vm 2").is_some());
        store.reopen();
        store.delete(ObjectKind::Template, scene.linked.0);
        assert!(store.holder(scene.of).host_prototypes[0].content.templates.is_empty());
        run(store, &scene, &[("2", "two", "Riga")], 12);
        assert!(group(store, "At Riga").is_some());
        store.delete(ObjectKind::HostPrototype, scene.prototype.0);
        assert_eq!((named(store, "vm 2").is_none(), group(store, "At Riga")), (true, None));
    });
}

#[test]
fn discovered_host_fields_changed_by_users_stay_theirs() {
    on_both(|store| {
        let scene = scene(store, &json!({}), &json!({}));
        let one = [("1", "one", "Riga")];
        run(store, &scene, &one, 0);
        let made = named(store, "vm 1").unwrap();
        assert!(made.was_given_macro("{$ID}"));
        let id = made.macros[0].hostmacroid.0;
        let change = |fields_: Json| {
            let request = fields(fields_);
            store.db.edit(db::Actor::User(model::UserId(1)), |e| {
                e.update(ObjectKind::HostMacro, id, request)
            })
        };
        let error = change(json!({"value": "9"})).unwrap_err().text();
        assert_eq!(error, "Not allowed to modify automatic user macro \"{$ID}\".");
        change(json!({"value": "9", "automatic": "0"})).unwrap();
        run(store, &scene, &one, 1);
        let made = named(store, "vm 1").unwrap();
        assert_eq!((made.macros[0].value.as_str(), made.was_given_macro("{$ID}")), ("9", false));
        // Whom discovery disabled is enabled by it, whom a user disabled is not.
        store.update(ObjectKind::Host, made.id.0, json!({"status": "1"}));
        run(store, &scene, &[], 2);
        run(store, &scene, &one, 3);
        assert_eq!(named(store, "vm 1").unwrap().status, HostStatus::NotMonitored);
    });
}
