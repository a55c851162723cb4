//! Notes of items: their readers, and their way through templates and files.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

const SECRET: &str = "long-enough-9";
const NOTES: &str = "Asks the appliance of the old building; see the cabling plan";

fn notes(session: &Session<'_>, host: &str) -> Value {
    let params = json!({"hostids": host, "output": ["notes"]});
    session.call("item.get", params)[0]["notes"].clone()
}

#[test]
fn notes_are_inherited_and_shown_to_users_who_may_write() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let item = json!({"hostid": template, "name": "a", "key_": "a", "type": 2, "value_type": 3,
        "notes": NOTES});
    let source = admin.create("item.create", item);
    let host = admin.host("h");
    admin.call("host.update", json!({"hostid": host, "templates": [{"templateid": template}]}));
    assert_eq!(notes(&admin, &host), NOTES);
    let params = json!({"hostids": host, "output": ["itemid"]});
    let inherited = admin.call("item.get", params)[0]["itemid"].clone();
    admin.call("item.update", json!({"itemid": inherited, "notes": "own"}));
    assert_eq!((notes(&admin, &host), notes(&admin, &template)), (json!("own"), json!(NOTES)));
    // A change of the template writes through.
    admin.call("item.update", json!({"itemid": source, "notes": "new"}));
    assert_eq!(notes(&admin, &host), "new");

    let rights = json!({"name": "Readers", "hostgroup_rights": [{"id": "2", "permission": 2}]});
    let group = admin.create("usergroup.create", rights);
    let user = json!({"username": "reader", "passwd": SECRET, "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let reader = server.login_as("reader", SECRET);
    assert_eq!(notes(&reader, &host), "");
}

#[test]
fn notes_have_no_place_in_files_and_stay_when_one_is_imported() {
    let server = Server::start();
    let admin = server.login();
    let template = admin.template("T");
    let rule = json!({"hostid": template, "name": "r", "key_": "r", "type": 2, "notes": "of r"});
    let rule = admin.create("discoveryrule.create", rule);
    let prototype = json!({"hostid": template, "ruleid": rule, "name": "p", "key_": "p[{#A}]",
        "type": 2, "value_type": 3, "notes": "of p"});
    let prototype = admin.create("itemprototype.create", prototype);
    let export = json!({"format": "json", "options": {"templates": [template]}});
    let file = admin.call("configuration.export", export);
    assert!(!file.as_str().unwrap().contains("notes"), "{file}");
    for (method, id) in [("discoveryrule.update", &rule), ("itemprototype.update", &prototype)] {
        admin.call(method, json!({"itemid": id, "name": "other"}));
    }
    let all = json!({"createMissing": true, "updateExisting": true});
    let rules = json!({"templates": all, "template_groups": all, "items": all,
        "discoveryRules": all});
    let import = json!({"format": "json", "rules": rules, "source": file});
    assert_eq!(admin.call("configuration.import", import), json!(true));
    for (method, name, notes) in
        [("discoveryrule.get", "r", "of r"), ("itemprototype.get", "p", "of p")]
    {
        let found = admin.call(method, json!({"output": ["name", "notes"]}));
        assert_eq!((&found[0]["name"], &found[0]["notes"]), (&json!(name), &json!(notes)));
    }
}
