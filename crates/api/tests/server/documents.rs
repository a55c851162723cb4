//! Each object with a description has methods that follow it.

use db::objects::{self, StoragePlace, Stored};
use model::content::RoleType;
use model::describe::{Field, FieldType};
use serde_json::{Map, Value, json};

use crate::fake::{Server, Session};

type Fields = Map<String, Value>;

/// The example of the reference. Its referred objects are created before.
fn sample(admin: &Session<'_>, stored: &Stored) -> Fields {
    let mut fields: Fields = serde_json::from_str(stored.sample).expect("an example is JSON");
    fill_in(admin, stored.object.fields, &mut fields);
    if fields.contains_key("templateid") {
        fields["templateid"] = json!(admin.template("for an example"));
    }
    fields
}

fn fill_in(admin: &Session<'_>, fields: &[Field], given: &mut Fields) {
    for field in fields {
        let Some(value) = given.get_mut(field.name) else { continue };
        match (field.kind, field.refers, value) {
            (FieldType::Id, Some(refers), value) => {
                let mut of = sample(admin, objects::named(refers.to).expect("it is described"));
                // Each time another one.
                of["name"] = json!(format!("for {} {}", field.name, n_made()));
                *value = json!(admin.create(&format!("{}.create", refers.to), Value::Object(of)));
            }
            (FieldType::List(inner), _, Value::Array(list)) => {
                for it in list.iter_mut().filter_map(Value::as_object_mut) {
                    fill_in(admin, inner, it);
                }
            }
            (FieldType::Object(inner), _, Value::Object(it)) => fill_in(admin, inner, it),
            _ => {}
        }
    }
}

fn n_made() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static N: AtomicUsize = AtomicUsize::new(0);
    N.fetch_add(1, Ordering::Relaxed)
}

fn documents() -> impl Iterator<Item = &'static Stored> {
    objects::ALL.iter().copied().filter(|it| it.place == StoragePlace::Documents)
}

fn call(stored: &Stored, verb: &str) -> String {
    format!("{}.{verb}", stored.object.name)
}

#[test]
fn each_example_is_created_found_updated_audited_and_deleted() {
    let server = Server::start();
    let admin = server.login();
    for stored in documents() {
        let object = &stored.object;
        println!("{}", object.name);
        let fields = sample(&admin, stored);
        let id = admin.create(&call(stored, "create"), Value::Object(fields.clone()));
        let read = |params: Value| admin.call(&call(stored, "get"), params);
        let found = read(json!({object.ids: [id]}));
        for field in object.output_fields().filter(|it| fields.contains_key(it.name)) {
            assert_eq!(found[0][field.name], fields[field.name], "{}.{}", object.name, field.name);
        }
        let answered = found[0].as_object().expect("a row").len();
        assert_eq!(answered, object.output_fields().count(), "{}", object.name);
        assert_eq!(read(json!({object.ids: ["999999"]})), json!([]));
        let by_name = json!({"filter": {"name": fields["name"]}, "countOutput": true});
        assert_eq!(read(by_name), "1");
        for field in object.sort {
            read(json!({"sortfield": field}));
        }

        let reported = admin.error(&call(stored, "create"), Value::Object(fields.clone()));
        let name = fields["name"].as_str().expect("a name");
        let unique = stored.unique.iter().find(|it| **it == "name").or(stored.unique.last());
        let unique = unique.expect("a field that is unique");
        let shown = fields[*unique].as_str().expect("a text");
        assert_eq!(reported, stored.error_taken.replace("{}", shown));
        let changed = json!({object.id: id, "name": "another name"});
        assert_eq!(admin.call(&call(stored, "update"), changed), json!({object.ids: [id]}));
        assert_eq!(read(json!({object.ids: id}))[0]["name"], "another name");
        let missing = json!({object.id: "999999", "name": "nobody"});
        let gone = "No permissions to referred object or it does not exist!";
        let reported = admin.error(&call(stored, "update"), missing);
        assert_eq!(reported, gone);

        let audit =
            json!({"filter": {"resourceid": id}, "sortfield": "auditid", "selectAllDetails": true});
        let records = admin.call("auditlog.get", audit);
        let code = object.resource.expect("it has a code in the audit log");
        assert_eq!(records[0]["resourcetype"], json!(code.to_string()));
        assert_ne!(code, 0, "{} has a code", object.name);
        let details = records[0]["all_details"].as_str().expect("a text");
        assert!(details.contains(name), "{details}");
        assert_eq!(records.as_array().map(Vec::len), Some(2));

        assert_eq!(admin.call(&call(stored, "delete"), json!([id])), json!({object.ids: [id]}));
        let reported = admin.error(&call(stored, "delete"), json!([id]));
        assert_eq!(reported, gone);
    }
}

#[test]
fn only_user_types_of_the_description_may_write() {
    let server = Server::start();
    let admin = server.login();
    let user = json!({"username": "op", "passwd": "secret-1", "roleid": "2",
        "usrgrps": [{"usrgrpid": "7"}]});
    admin.create("user.create", user);
    let user = server.login_as("op", "secret-1");
    for stored in documents().filter(|it| it.write == RoleType::SuperAdmin) {
        for verb in ["create", "update", "delete"] {
            let method = call(stored, verb);
            let reported = user.error(&method, json!([]));
            assert_eq!(reported, format!("No permissions to call \"{method}\"."));
        }
        if stored.read <= RoleType::Admin {
            user.call(&call(stored, "get"), json!({}));
            let editable = json!({"editable": true, "countOutput": true});
            assert_eq!(user.call(&call(stored, "get"), editable), "0");
        }
    }
}

#[test]
fn an_image_is_returned_on_request_and_keeps_its_type() {
    let server = Server::start();
    let admin = server.login();
    let image = objects::named("image").expect("it is described");
    let fields = sample(&admin, image);
    let id = admin.create("image.create", Value::Object(fields.clone()));
    let found = admin.call("image.get", json!({"output": ["name"], "select_image": 1}));
    assert_eq!(found, json!([{"imageid": id, "name": "Dot", "image": fields["image"]}]));
    assert_eq!(admin.call("image.get", json!({"sysmapids": ["1"]})), json!([]));
    let reported = admin.error("image.update", json!({"imageid": id, "imagetype": "2"}));
    assert_eq!(reported, "Invalid parameter \"/1\": unexpected parameter \"imagetype\".");
    let reported = admin.error("image.create", json!({"name": "x", "image": ""}));
    assert_eq!(reported, "Invalid parameter \"/1\": the parameter \"imagetype\" is missing.");
    let second = json!({"name": "x", "imagetype": 3, "image": fields["image"]});
    let reported = admin.error("image.create", json!([fields, second]));
    assert_eq!(reported, "Invalid parameter \"/2/imagetype\": value must be one of 1, 2.");
    let mut other = fields;
    other["name"] = json!("other");
    let broken = json!({"name": "x", "imagetype": "1", "image": "AAAA"});
    let reported = admin.error("image.create", json!([other, broken]));
    assert_eq!(reported, "Invalid parameter \"/2/image\": file format is unsupported.");
}
