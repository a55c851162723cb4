//! The contract of objects that are stored by their description.

use db::objects::iconmap::ICONMAP;
use db::objects::image::IMAGE;
use db::objects::regexp::REGEXP;
use db::objects::role::ROLE;
use db::{Actor, Db, DbError, DbSettings, ImportFormat, ImportRules, Location, ObjectKind};
use model::content::{Role, RoleType};
use model::{HostId, RoleId, UserId};
use serde_json::json;

use crate::common::{Store, assert_same, fields, on_both};

fn old_database(folder: &tempfile::TempDir) -> (DbSettings, rusqlite::Connection) {
    let path = folder.path().join("saker.db");
    let sql = rusqlite::Connection::open(&path).unwrap();
    sql.execute_batch(include_str!("../../testdata/version-6.sql")).unwrap();
    (DbSettings::new(Location::Sqlite(path)), sql)
}

#[test]
fn a_database_from_before_there_were_documents_opens() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, sql) = old_database(&folder);
    let db = Db::open(&settings).unwrap();
    let snapshot = db.snapshot();
    let role = snapshot.access.roles.values().find(|it| it.name == "Operators").unwrap();
    assert_eq!((role.kind, role.readonly, role.api_access), (RoleType::Admin, false, false));
    let body = &snapshot.documents.get("role", role.roleid.0).unwrap().body;
    let rules = json!({"api.access": "0"});
    let kept = json!({"name": "Operators", "type": "2", "readonly": "0", "rules": rules});
    assert_eq!(json!(body), kept);
    assert!(snapshot.access.roles[&RoleId(3)].readonly);
    let [regexp] = &snapshot.globals.regexps[..] else { panic!("one of them") };
    assert_eq!((regexp.name.as_str(), regexp.expressions.len()), ("Disks", 2));
    assert!(snapshot.documents.get("regexp", regexp.regexpid.0).is_some());
    let template = snapshot.template_named("Switch").unwrap();
    let host = snapshot.host_named("sw1").unwrap();
    assert_eq!(template.valuemaps[0].mappings[1].newvalue, "down");
    assert_eq!(host.items[0].content.valuemapid, template.valuemaps[0].valuemapid);
    // All bodies are of the newest version now.
    let statement = "select count(*) from documents where version = 2";
    let n: i64 = sql.query_row(statement, [], |row| row.get(0)).unwrap();
    assert_eq!(n, 6);
    drop(db);
    assert_same(&snapshot, &Db::open(&settings).unwrap().snapshot());
}

#[test]
fn files_of_later_versions_are_left_alone_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, sql) = old_database(&folder);
    drop(Db::open(&settings).unwrap());
    sql.execute("insert into documents values ('sample', 77, 1, '{}')", []).unwrap();
    let message = Db::open(&settings).unwrap_err();
    let DbError::DamagedFile { cause, .. } = &message else { panic!("{message}") };
    assert!(matches!(&**cause, DbError::Damaged { id: 77, .. }), "{message}");
    sql.execute("delete from documents where kind = 'sample'", []).unwrap();
    sql.execute("update documents set version = 99 where documentid = 4", []).unwrap();
    let message = Db::open(&settings).unwrap_err();
    let DbError::Unusable { cause, .. } = &message else { panic!("{message}") };
    assert!(matches!(**cause, DbError::FromTheFuture { found: 99, known: 2 }), "{message}");
}

#[test]
fn roles_are_kept_and_made_of_their_documents() {
    on_both(|store| {
        let role = |store: &Store, id| Role::clone(&store.db.snapshot().access.roles[&RoleId(id)]);
        let request = json!({"name": "a", "type": 1, "rules": {"api.access": 0}});
        let id = store.create(ROLE.kind(), request);
        assert_eq!((role(store, id).kind, role(store, id).api_access), (RoleType::User, false));
        store.update(ROLE.kind(), id, json!({"name": "b"}));
        store.reopen();
        assert_eq!((role(store, id).name.as_str(), role(store, id).api_access), ("b", false));
        store.update(ROLE.kind(), id, json!({"rules": {}}));
        assert!(role(store, id).api_access, "what is left out has its default");
        let taken = store.refused(|e| e.update(ROLE.kind(), 2, fields(json!({"name": "b"}))));
        assert_eq!(taken, "User role \"b\" already exists.");
        let user = store.create(
            ObjectKind::User,
            json!({"username": "u", "passwd": "a-long-word", "roleid": id.to_string()}),
        );
        let message = store.refused(|e| e.delete(ROLE.kind(), &[id]));
        assert_eq!(message, "Cannot delete assigned user role \"b\".");
        store.delete(ObjectKind::User, user);
        store.delete(ROLE.kind(), id);
        store.reopen();
        assert!(!store.db.snapshot().access.roles.contains_key(&RoleId(id)));
    });
}

#[test]
fn subscribers_hear_which_documents_changed() {
    on_both(|store| {
        let (heard, message) = std::sync::mpsc::channel();
        store.db.subscribe(Box::new(move |_, delta| heard.send(delta.clone()).unwrap()));
        let kind = REGEXP.kind();
        let request =
            json!({"name": "a", "expressions": [{"expression": "a", "expression_type": "0"}]});
        let id = store.create(kind, request);
        let delta = message.try_recv().unwrap();
        assert_eq!(delta.documents_changed, [("regexp", id)]);
        assert!(delta.regexps_changed && !delta.access_changed);
        store.update(kind, id, json!({"name": "a"}));
        assert!(message.try_recv().is_err(), "nothing changed");
        store.delete(kind, id);
        assert_eq!(message.try_recv().unwrap().documents_changed, [("regexp", id)]);
    });
}

#[test]
fn a_value_map_is_checked_by_its_description_however_it_comes() {
    on_both(|store| {
        let template = store.template("t", &[]);
        let map = |value: &str| {
            json!({"hostid": template.to_string(), "name": "m",
            "mappings": [{"type": "4", "value": value, "newvalue": "n"}]})
        };
        let message = store.refused(|e| e.create(ObjectKind::ValueMap, fields(map("("))));
        let what = "invalid regular expression";
        assert_eq!(message, format!("Invalid parameter \"/1/mappings/1/value\": {what}."));
        store.create(ObjectKind::ValueMap, map("a"));
        let message = store.refused(|e| e.create(ObjectKind::ValueMap, fields(map("b"))));
        assert_eq!(message, "Value map \"m\" already exists.");
        let other = store.template("u", &[]);
        let request = json!({"hostid": other.to_string(), "name": "m",
            "mappings": [{"value": 1, "newvalue": "n"}]});
        store.create(ObjectKind::ValueMap, request);
        store.reopen();
        let of = |id: HostId| store.holder(id).valuemaps[0].mappings[0].value.clone();
        assert_eq!((of(template), of(other)), ("a".to_owned(), "1".to_owned()));
    });
}

#[test]
fn the_audit_log_names_documents() {
    on_both(|store| {
        let request = json!({"name": "a", "type": "1"});
        let kind = ROLE.kind();
        let id =
            store.db.edit(Actor::User(UserId(1)), |e| e.create(kind, fields(request))).unwrap();
        let records = store.db.audit().page(0..=i64::MAX, 0, 10).unwrap();
        let [record] = &records[..] else { panic!("one record: {records:?}") };
        assert_eq!(
            (record.kind.as_str(), record.resourceid, record.name.as_str()),
            ("role", id, "a")
        );
    });
}

fn image(name: &str, kind: &str) -> serde_json::Value {
    let mut fields: serde_json::Value = serde_json::from_str(IMAGE.sample).unwrap();
    fields["name"] = json!(name);
    fields["imagetype"] = json!(kind);
    fields
}

#[test]
fn referenced_objects_exist_and_cannot_be_deleted() {
    on_both(|store| {
        let one = store.create(IMAGE.kind(), image("one", "1")).to_string();
        let two = store.create(IMAGE.kind(), image("two", "1"));
        let back = store.create(IMAGE.kind(), image("back", "2")).to_string();
        let map = |name: &str, icon: &str, expression: &str| {
            json!({"name": name, "default_iconid": one, "mappings": [
                {"iconid": icon, "expression": expression, "inventory_link": 5}]})
        };
        let create = |it| store.refused(|e| e.create(ICONMAP.kind(), fields(it)));
        assert_eq!(create(map("m", "999", "a")), "Icon with ID \"999\" is not available.");
        let message = format!("Icon with ID \"{back}\" is not available.");
        assert_eq!(create(map("m", &back, "a")), message);
        let message = "Global regular expression \"Disks\" does not exist.";
        assert_eq!(create(map("m", &one, "@Disks")), message);
        let first = store.create(ICONMAP.kind(), map("m", &two.to_string(), "a"));
        let delete = |id| store.refused(|e| e.delete(IMAGE.kind(), &[id]));
        assert_eq!(delete(two), "The image is used in icon map \"m\".");
        let second = store.create(ICONMAP.kind(), map("n", &two.to_string(), "a"));
        assert_eq!(delete(two), "The image is used in icon maps \"m\", \"n\".");
        store.reopen();
        store.update(ICONMAP.kind(), first, map("m", &one, "a"));
        store.delete(ICONMAP.kind(), second);
        store.delete(IMAGE.kind(), two);
    });
}

#[test]
fn images_are_imported_and_audited_by_length() {
    on_both(|store| {
        let import = |name: &str, kind: &str, rules: &ImportRules| {
            let text = json!({"zabbix_export": {"version": "7.0", "images": [{
                "name": name, "imagetype": kind, "encodedImage": image("", "1")["image"]}]}});
            let actor = Actor::User(UserId(1));
            store.db.import(actor, &text.to_string(), ImportFormat::Json, rules)
        };
        let images = || {
            let snapshot = store.db.snapshot();
            let all = snapshot.documents.of("image");
            all.map(|it| it.text("name").to_owned()).collect::<Vec<_>>()
        };
        import("a", "1", &ImportRules::default()).unwrap();
        assert!(images().is_empty(), "the rules do not make it");
        import("a", "1", &ImportRules::ALL).unwrap();
        import("a", "2", &ImportRules::ALL).unwrap();
        assert_eq!(images(), ["a"]);
        let message = import("b", "ICON", &ImportRules::ALL).unwrap_err().text();
        let place = "/zabbix_export/images/image(1)/imagetype";
        assert_eq!(message, format!("Invalid tag \"{place}\": unexpected constant \"ICON\"."));
        let records = store.db.audit().page(0..=i64::MAX, 0, 10).unwrap();
        let details: serde_json::Value = serde_json::from_str(&records[0].details).unwrap();
        let recorded = (&details["image.name"], &details["image.image"]);
        assert_eq!(recorded, (&json!(["add", "a"]), &json!(["add"])));
    });
}
