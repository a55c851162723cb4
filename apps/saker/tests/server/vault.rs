//! Macros whose values are secrets of a vault. The vault here is a small receiver that answers as
//! HashiCorp's KV engine does, in both its versions: the program itself is not in Debian.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::support::{Server, wait_until};
use serde_json::{Value, json};

const WAIT_MAX: Duration = Duration::from_secs(120);
const TOKEN: &str = "hvs.a-token-for-tests";

/// Responses of the vault by path, and its requests.
#[derive(Default)]
struct Vault {
    answers: BTreeMap<String, (u16, Value)>,
    asked: Vec<String>,
}

type Shared = Arc<Mutex<Vault>>;

fn start(vault: &Shared) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let vault = Arc::clone(vault);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, vault) = (stream.unwrap(), Arc::clone(&vault));
            thread::spawn(move || answer(stream, &vault));
        }
    });
    port
}

/// Answers the requests of one connection.
fn answer(mut stream: TcpStream, vault: &Shared) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let mut token = String::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("x-vault-token")
            {
                token = value.trim().to_owned();
            }
        }
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let (status, body) = {
            let mut vault = vault.lock().unwrap();
            vault.asked.push(path.clone());
            match vault.answers.get(&path) {
                _ if token != TOKEN => (403, json!({"errors": ["permission denied"]})),
                Some(it) => it.clone(),
                None => (404, json!({"errors": []})),
            }
        };
        let body = body.to_string();
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
        if stream.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

fn put(vault: &Shared, path: &str, status: u16, body: Value) {
    vault.lock().unwrap().answers.insert(path.to_owned(), (status, body));
}

/// Version 2 of the engine.
fn version_2(keys: Value) -> Value {
    json!({"data": {"data": keys, "metadata": {"version": 1}}})
}

/// An HTTP agent item that sends a macro to `target` in a header; its value is the header.
fn item(server: &Server, host: &str, key: &str, (target, name): (u16, &str)) -> String {
    let url = format!("http://127.0.0.1:{target}/echo");
    let params = json!({"hostid": host, "name": key, "key_": key, "type": 19, "value_type": 4,
        "delay": "1s", "url": url, "headers": [{"name": "X-Secret", "value": name}]});
    server.call("item.create", &params)["itemids"][0].as_str().unwrap().to_owned()
}

/// A web server that answers with the header that it got.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            thread::spawn(move || answer_all(stream));
        }
    });
    port
}

/// Until the client closes the connection.
fn answer_all(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut secret, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).unwrap_or(0) != 0 {
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("x-secret") => {
                secret = format!("got {}", value.trim());
            }
            _ => {}
        }
        if line.trim().is_empty() {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", secret.len());
            if stream.write_all((head + &secret).as_bytes()).is_err() {
                return;
            }
        }
        line.clear();
    }
}

fn error_of(server: &Server, item: &str) -> String {
    server.item(item)["error"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn macros_of_vaults_have_the_values_that_the_vault_has() {
    let vault = Shared::default();
    put(&vault, "/v1/secret/data/web", 200, version_2(json!({"password": "first-secret"})));
    put(&vault, "/v1/old/web", 200, json!({"data": {"password": "old-secret"}}));
    let port = start(&vault);
    let folder = tempfile::tempdir().unwrap();
    let token_file = folder.path().join("token");
    fs::write(&token_file, format!("{TOKEN}\n")).unwrap();
    let url = format!("http://127.0.0.1:{port}");
    let mut server = Server::start_with(&[
        ("SAKER_VAULT_URL", url.as_str()),
        ("SAKER_VAULT_TOKEN_FILE", token_file.to_str().unwrap()),
        ("SAKER_VAULT_REFRESH_S", "1"),
    ]);
    let host = server.host("h");
    for (name, value) in [
        ("{$NEW}", "secret/web:password"),
        ("{$OLD}", "old/web:password"),
        ("{$NO.KEY}", "secret/web:user"),
        ("{$NOTHING}", "secret/none:password"),
    ] {
        let params = json!({"hostid": host, "macro": name, "value": value, "type": 2});
        server.call("usermacro.create", &params);
    }
    let target = echo();
    let new = item(&server, &host, "new", (target, "{$NEW}"));
    let old = item(&server, &host, "old", (target, "{$OLD}"));
    let no_key = item(&server, &host, "no.key", (target, "{$NO.KEY}"));
    let nothing = item(&server, &host, "nothing", (target, "{$NOTHING}"));
    wait_until("version 2 is read", WAIT_MAX, || {
        server.last(&new).as_deref() == Some("got first-secret")
    });
    wait_until("version 1 is read", WAIT_MAX, || {
        server.last(&old).as_deref() == Some("got old-secret")
    });
    scripts_have_secrets_and_people_do_not(&server, &host);
    steps_have_secrets_in_scripts_alone(&server, &host);
    expressions_say_that_they_have_none(&server, &host);
    webhooks_have_secrets(&server, port, &vault);
    // A missing secret is the item's reason.
    wait_until("a missing key is reported", WAIT_MAX, || {
        error_of(&server, &no_key)
            == "Cannot get the secret \"secret/web:user\" of the vault: there is no key \"user\" at this path."
    });
    wait_until("a missing path is reported", WAIT_MAX, || {
        error_of(&server, &nothing)
            == "Cannot get the secret \"secret/none:password\" of the vault: there is nothing at this path."
    });
    // A new value of the vault counts by itself.
    put(&vault, "/v1/secret/data/web", 200, version_2(json!({"password": "second-secret"})));
    wait_until("the secret is read again", WAIT_MAX, || {
        server.last(&new).as_deref() == Some("got second-secret")
    });
    // While the vault is unavailable, earlier values stay.
    put(&vault, "/v1/secret/data/web", 503, json!({"errors": ["sealed"]}));
    let asked = || vault.lock().unwrap().asked.iter().filter(|it| it.ends_with("data/web")).count();
    let before = asked();
    wait_until("the vault is asked while it is sealed", WAIT_MAX, || before + 2 < asked());
    assert_eq!(error_of(&server, &new), "");
    // A refused value is removed.
    put(&vault, "/v1/secret/data/web", 403, json!({"errors": ["permission denied"]}));
    wait_until("a refusal is reported", WAIT_MAX, || {
        error_of(&server, &new)
            == "Cannot get the secret \"secret/web:password\" of the vault: permission denied."
    });
    // Neither the macro nor the log nor an export contains a secret.
    let macros = server.call("usermacro.get", &json!({"hostids": host, "output": "extend"}));
    assert_eq!(macros[0]["value"], "secret/web:password", "the path is no secret");
    let exported = server
        .call("configuration.export", &json!({"format": "json", "options": {"hosts": [host]}}));
    let audit = server.call("auditlog.get", &json!({}));
    for text in [macros.to_string(), exported.to_string(), audit.to_string(), server.log()] {
        for secret in ["first-secret", "second-secret", "old-secret", TOKEN] {
            assert!(!text.contains(secret), "{secret} is shown");
        }
    }
    server.stop();
}

/// Commands that users start get the value; the scripts that they read do not have it.
fn scripts_have_secrets_and_people_do_not(server: &Server, host: &str) {
    let script = json!({"name": "Knock", "type": 5, "scope": 2, "timeout": "5s",
        "command": "var p = JSON.parse(value).secret; return p.length + ' ' + p.substr(0, 2);",
        "confirmation": "With {$NEW}?", "parameters": [{"name": "secret", "value": "{$NEW}"}]});
    let script = server.call("script.create", &script)["scriptids"][0].clone();
    let answer = server.call("script.execute", &json!({"scriptid": script, "hostid": host}));
    assert_eq!(answer["value"], "12 fi", "the length of it, and how it begins");
    let shown = server.call("script.getscriptsbyhosts", &json!([{"hostid": host}]));
    let shown = shown[host].as_array().unwrap().iter().find(|it| it["name"] == "Knock");
    let shown = shown.expect("it can be started");
    assert_eq!(shown["confirmation"], "With ******?");
    assert!(!shown.to_string().contains("first-secret"), "{shown}");
    let kept = server.call("script.get", &json!({"scriptids": script, "selectActions": "extend"}));
    assert!(!kept.to_string().contains("first-secret"), "{kept}");
}

/// Of preprocessing a script gets the value, with a function of a macro too; another step says that it does not.
fn steps_have_secrets_in_scripts_alone(server: &Server, host: &str) {
    let hidden = "return value + ' ' + '{$NEW}'.length + ' ' + '{{$NEW}.btoa()}'.substr(0, 4)";
    let scripted = server.scripted(host, "scripted", hidden);
    let missing = server.scripted(host, "scripted.missing", "return '{$NOTHING}'");
    let step =
        json!({"type": 5, "params": "{$NEW}\n\\0", "error_handler": 0, "error_handler_params": ""});
    let other = json!({"hostid": host, "name": "other", "key_": "other", "type": 2, "value_type": 4,
        "preprocessing": [step]});
    let other = server.create("item.create", &other).remove(0);
    wait_until("the script has the secret", WAIT_MAX, || {
        server.send("h", "scripted", "x", crate::support::now());
        server.last(&scripted).as_deref() == Some("x 12 Zmly")
    });
    wait_until("the script lacks a secret", WAIT_MAX, || {
        server.send("h", "scripted.missing", "x", crate::support::now());
        error_of(server, &missing).ends_with(
            "Cannot get the secret \"secret/none:password\" of the vault: there is nothing at this path.",
        )
    });
    wait_until("the other step has none", WAIT_MAX, || {
        server.send("h", "other", "x", crate::support::now());
        error_of(server, &other).ends_with(
            "macro \"{$NEW}\" is a secret of a vault: of preprocessing steps only scripts have such",
        )
    });
}

fn expressions_say_that_they_have_none(server: &Server, host: &str) {
    let why = "Cannot evaluate expression: macro \"{$NEW}\" is a secret of a vault, which expressions do not have";
    server.trapper_item(host, "number", 3);
    let calculated = json!({"hostid": host, "name": "calculated", "key_": "calculated", "type": 15,
        "value_type": 0, "delay": "1s", "params": "last(//number)+{$NEW}"});
    let calculated = server.create("item.create", &calculated).remove(0);
    let trigger = server.trigger("Of a secret", "last(/h/number)>{$NEW}");
    wait_until("the trigger says it", WAIT_MAX, || {
        server.send("h", "number", "1", crate::support::now());
        let asked = json!({"triggerids": trigger, "output": ["error"]});
        server.call("trigger.get", &asked)[0]["error"].as_str().unwrap_or_default().contains(why)
    });
    wait_until("the formula says it", WAIT_MAX, || error_of(server, &calculated).contains(why));
}

/// The receiver of the vault takes their requests as well.
fn webhooks_have_secrets(server: &Server, port: u16, vault: &Shared) {
    let global = json!({"macro": "{$HOOK}", "value": "secret/web:password", "type": 2});
    server.call("usermacro.createglobal", &global);
    let hook = json!({"name": "hook", "type": 4, "maxattempts": 1,
        "script": "var p = JSON.parse(value); new HttpRequest().get(p.url + p.event + '/' + p.secret.length); \
                   throw 'not taken: ' + p.secret;",
        "parameters": [{"name": "url", "value": format!("http://127.0.0.1:{port}/hook/")},
            {"name": "secret", "value": "{$HOOK}"}, {"name": "event", "value": "{EVENT.SEVERITY}"}]});
    let hook = server.create("mediatype.create", &hook).remove(0);
    let media = json!([{"mediatypeid": hook, "sendto": "x"}]);
    server.call("user.update", &json!({"userid": "1", "medias": media}));
    let operation = json!({"operationtype": 0, "opmessage_usr": [{"userid": "1"}],
        "opmessage": {"default_msg": 0, "subject": "s", "message": "m {$HOOK}", "mediatypeid": hook}});
    let action = json!({"name": "hook", "eventsource": 0, "operations": [operation]});
    server.create("action.create", &action);
    let host = server.host("hooked");
    server.trapper_item(&host, "k", 3);
    server.trigger("hooked", "last(/hooked/k)>0");
    wait_until("the item takes values", WAIT_MAX, || {
        server.send("hooked", "k", "1", crate::support::now()).0 == 1
    });
    wait_until("the webhook has the secret", WAIT_MAX, || {
        vault.lock().unwrap().asked.iter().any(|it| it == "/hook/Average/12")
    });
    let failed = || server.call("alert.get", &json!({"mediatypeids": hook, "output": "extend"}));
    wait_until("its outcome is there", WAIT_MAX, || failed()[0]["status"] == "2");
    let failure = failed()[0].clone();
    assert_eq!(failure["message"], "m ******");
    assert!(failure["error"].as_str().unwrap().contains("not taken: ******"), "{failure}");
}

#[test]
fn without_a_vault_the_item_says_so() {
    let server = Server::start();
    let host = server.host("h");
    let params =
        json!({"hostid": host, "macro": "{$S}", "value": "secret/web:password", "type": 2});
    server.call("usermacro.create", &params);
    let it = item(&server, &host, "k", (echo(), "{$S}"));
    wait_until("the reason is reported", WAIT_MAX, || {
        error_of(&server, &it)
            == "Cannot get the secret \"secret/web:password\" of the vault: this server has none \
                (setting vault.url)."
    });
}
