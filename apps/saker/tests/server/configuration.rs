//! `saker import` and `saker export` against a running server.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Server;

fn run(server: &Server, token: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(arguments)
        .env("SAKER_URL", format!("http://{}", server.http()))
        .env("SAKER_TOKEN", token)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn template(name: &str, number: u8, linked: &[&str]) -> Value {
    let linked: Vec<Value> = linked.iter().map(|it| json!({"name": it})).collect();
    let uuid = |part: u8| format!("d00000000000000000000000000{part:02}{number:03}");
    json!({"zabbix_export": {
        "version": "7.0",
        "template_groups": [{"uuid": "d0000000000000000000000000000001", "name": "Templates/Own"}],
        "templates": [{
            "uuid": uuid(1), "template": name, "name": name, "groups": [{"name": "Templates/Own"}],
            "templates": linked,
            "items": [{"uuid": uuid(2), "name": "Item", "type": "TRAP", "key": format!("item[{name}]")}],
        }],
    }})
}

#[test]
fn a_directory_goes_into_a_server_and_comes_back() {
    let server = Server::start();
    let token = server.call("token.create", &json!({"name": "files"}));
    let token = server.call("token.generate", &json!([token["tokenids"][0]]));
    let token = token[0]["token"].as_str().unwrap();
    let dir = server.dir().join("files");
    fs::create_dir(&dir).unwrap();
    let path = dir.to_str().unwrap();
    // The first one needs the second.
    fs::write(dir.join("a.json"), template("Above", 2, &["Below"]).to_string()).unwrap();
    fs::write(dir.join("b.json"), template("Below", 3, &[]).to_string()).unwrap();

    let (code, out, err) = run(&server, token, &["import", "--dry-run", path]);
    // Alone, the first one has nothing to link.
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.starts_with("files: 2; would be imported: 1; refused: 1\n"), "{out}");
    let (code, out, err) = run(&server, token, &["import", path]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let expected = "files: 2; imported: 2; refused: 0\n  items: 2 created, 0 updated, 0 deleted\n  \
                    template_groups: 1 created, 0 updated, 0 deleted\n  \
                    templates: 2 created, 0 updated, 0 deleted\n";
    assert_eq!(out, expected);

    fs::write(dir.join("c.yaml"), "zabbix_export: {version: '5.0'}").unwrap();
    let (code, out, _) = run(&server, token, &["import", path]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("files: 3; imported: 2; refused: 1\nrefused: "), "{out}");
    assert!(
        out.contains(
            "c.yaml: Invalid tag \"/zabbix_export/version\": files of version 5.0 are not read"
        ),
        "{out}"
    );

    let file = dir.join("out.xml");
    let arguments =
        ["export", "--template", "Above", "--format", "xml", "-o", file.to_str().unwrap()];
    let (code, out, err) = run(&server, token, &arguments);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", ""));
    let (code, out, _) = run(&server, token, &["import", file.to_str().unwrap()]);
    assert_eq!((code, out.as_str()), (Some(0), "files: 1; imported: 1; refused: 0\n"));
    let (code, out, _) = run(&server, token, &["export", "--all"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("item[Above]") && out.contains("item[Below]"), "{out}");

    for (token, arguments, expected) in [
        (
            token,
            &["export", "--host", "nobody"][..],
            "there is no host \"nobody\", or you may not see it",
        ),
        (token, &["export"][..], "nothing to export"),
        ("0", &["import", path][..], "refused: 4"),
    ] {
        let (code, out, err) = run(&server, token, arguments);
        assert!(code == Some(1) && format!("{out}{err}").contains(expected), "{code:?} {out}{err}");
    }
}

/// Each kind by its own option: an export is imported into a server without these objects, and
/// exports the same.
#[test]
fn each_kind_of_object_goes_out_by_name_and_comes_back() {
    const DOT: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    let (one, other) = (Server::start(), Server::start());
    let token = |server: &Server| {
        let token = server.call("token.create", &json!({"name": "files"}));
        let token = server.call("token.generate", &json!([token["tokenids"][0]]));
        token[0]["token"].as_str().unwrap().to_owned()
    };
    let (from, to) = (token(&one), token(&other));
    let created = |method: &str, params: Value| {
        let answer = one.call(method, &params);
        answer.as_object().unwrap().values().next().unwrap()[0].as_str().unwrap().to_owned()
    };
    let group = created("hostgroup.create", json!({"name": "Sites/Riga"}));
    let templates = created("templategroup.create", json!({"name": "Templates/Riga"}));
    let image = created("image.create", json!({"name": "Dot", "imagetype": 1, "image": DOT}));
    created("image.create", json!({"name": "Alone", "imagetype": 2, "image": DOT}));
    created("template.create", json!({"host": "Own template", "groups": [{"groupid": templates}]}));
    let host = created("host.create", json!({"host": "own-host", "groups": [{"groupid": group}]}));
    let item = json!({"hostid": host, "name": "Load", "key_": "load", "type": 2, "value_type": 0});
    let item = created("item.create", item);
    created(
        "mediatype.create",
        json!({"name": "Own mail", "type": 0, "smtp_server": "mail.example", "smtp_email": "a@b.example"}),
    );
    let element = |id: &str, of: Value| json!({"selementid": id, "elementtype": 0, "elements": [of], "iconid_off": image});
    let link = json!({"selementid1": "1", "selementid2": "2", "indicator_type": 2, "itemid": item,
        "thresholds": [{"threshold": 5, "color": "FF0000"}]});
    created(
        "map.create",
        json!({"name": "Own map", "width": 100, "height": 100, "links": [link],
            "selements": [element("1", json!({"hostid": host})), element("2", json!({"hostid": host}))]}),
    );
    let kinds = [
        ("--host-group", "Sites/Riga"),
        ("--template-group", "Templates/Riga"),
        ("--image", "Alone"),
        ("--template", "Own template"),
        ("--host", "own-host"),
        ("--media-type", "Own mail"),
        // Its image comes with it, its host is there already.
        ("--map", "Own map"),
    ];
    for format in ["yaml", "json", "xml"] {
        for (option, name) in kinds {
            let arguments = ["export", option, name, "--format", format];
            let (code, text, err) = run(&one, &from, &arguments);
            assert_eq!((code, err.as_str()), (Some(0), ""), "{option}");
            assert!(text.contains(name), "{option}: {text}");
            let file = one.dir().join(format!("out.{format}"));
            fs::write(&file, &text).unwrap();
            let (code, out, err) = run(&other, &to, &["import", file.to_str().unwrap()]);
            assert_eq!((code, err.as_str()), (Some(0), ""), "{option} as {format}: {out}");
            let (_, again, _) = run(&other, &to, &arguments);
            assert_eq!(again, text, "{option} as {format}");
        }
        let (code, _, err) = run(&one, &from, &["export", "--image", "None", "--format", format]);
        assert_eq!(code, Some(1));
        assert!(err.contains("there is no image \"None\""), "{err}");
    }
}
