//! Script items: the script that is run, and its result.

use std::sync::Arc;
use std::time::Duration;

use crate::support::config::{discovered, host, interface, item, snapshot};
use crate::support::scripts::Play;
use crate::support::{Owner, Server, error, settings, text};
use collect::Transcript;
use collect::ports::{ScriptError, ScriptRequest};
use collect::transcript::{Line, LineKind};
use model::content::{HostMacro, InterfaceType, ItemContent, ItemType, MacroType, NamedValue};
use model::snapshot::Host;
use model::{HostId, HostMacroId, ItemId};

fn pair(name: &str, value: &str) -> NamedValue {
    NamedValue { name: name.to_owned(), value: value.to_owned() }
}

fn host_with(content: ItemContent) -> Host {
    let mut it = host(7, "web");
    it.interfaces.push(interface(1, InterfaceType::Agent, "192.0.2.7", 10050));
    it.macros = vec![HostMacro {
        hostmacroid: HostMacroId(1),
        name: "{$TOKEN}".to_owned(),
        value: "say \"a\"".to_owned(),
        description: String::new(),
        kind: MacroType::Secret,
    }];
    let mut row = item(100, ItemType::Script, "script[a]", "1h");
    row.content = Arc::new(ItemContent {
        kind: ItemType::Script,
        key_: "script[a]".to_owned(),
        delay: "1h".to_owned(),
        ..content
    });
    it.items.push(row);
    it
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_gets_its_parameters_and_its_time() {
    let server = Server::start(snapshot(
        1,
        [host_with(ItemContent {
            params: "return '{$TOKEN}' + '{HOST.HOST} {ITEM.ID} {$NOBODY}'".to_owned(),
            parameters: vec![
                pair("url", "http://{HOST.CONN}/{ITEM.KEY}"),
                pair("token", "{$TOKEN}"),
                pair("\"a\nb", "{$NOBODY}"),
            ],
            timeout: "7s".to_owned(),
            ..ItemContent::default()
        })],
    ))
    .await;
    let scripts = &server.owner.scripts;
    scripts.result(Ok(Some("fine".to_owned())));
    server.execute([100]);
    assert_eq!(text(&server.value_of(100).await), "fine");
    let expected = ScriptRequest {
        // Only user macros are replaced in code.
        source: "return 'say \"a\"' + '{HOST.HOST} {ITEM.ID} {$NOBODY}'".to_owned(),
        value: r#"{"url":"http://192.0.2.7/script[a]","token":"say \"a\"","\"a\nb":"{$NOBODY}"}"#
            .to_owned(),
        time: Duration::from_secs(7),
    };
    assert_eq!(scripts.requests(), [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn null_is_an_empty_text_and_errors_are_reported() {
    let content = ItemContent { params: "return null".to_owned(), ..ItemContent::default() };
    let mut host = host_with(content);
    let again = |id: u64| item(id, ItemType::Script, &format!("script[{id}]"), "1h");
    host.items.extend([101, 102, 103].map(again));
    let server = Server::start(snapshot(1, [host])).await;
    let scripts = &server.owner.scripts;
    scripts.result(Ok(None));
    server.execute([100]);
    assert_eq!(text(&server.value_of(100).await), "");
    for (id, failure, reason) in [
        (101, ScriptError::Environment("a".to_owned()), "initialize scripting environment: a"),
        (102, ScriptError::Compile("SyntaxError: x".to_owned()), "compile script: SyntaxError: x"),
        (103, ScriptError::Execute("Error: x".to_owned()), "execute script: Error: x"),
    ] {
        scripts.result(Err(failure));
        server.execute([id]);
        assert_eq!(error(&server.value_of(id).await), format!("Cannot {reason}"));
    }
    assert_eq!(scripts.requests().first().map(|it| it.value.as_str()), Some("{}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn discovered_items_run_with_the_values_of_their_row() {
    let mut it = host_with(ItemContent {
        params: "return '{#ID}'".to_owned(),
        parameters: vec![pair("{#ID}", "{#ID}{{#ID}.regsub(\"(.)\", \\1)}")],
        ..ItemContent::default()
    });
    let prototype = it.items.remove(0);
    it.items.push(discovered(prototype, "script[x]", &[("{#ID}", "42")]));
    let server = Server::start(snapshot(1, [it])).await;
    let scripts = &server.owner.scripts;
    scripts.result(Ok(Some("1".to_owned())));
    server.execute([100]);
    assert_eq!(text(&server.value_of(100).await), "1");
    let [request] = scripts.requests().try_into().expect("one script");
    assert_eq!((&*request.source, &*request.value), ("return '42'", r#"{"42":"424"}"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_items_without_a_driver_have_a_reason() {
    let of = |id: u64| {
        let mut it = host(7, "web");
        let mut row = item(id, ItemType::Browser, "page", "1h");
        row.content = Arc::new(ItemContent {
            kind: ItemType::Browser,
            key_: "page".to_owned(),
            delay: "1h".to_owned(),
            params: "const a = 1; a = 2; return a".to_owned(),
            parameters: vec![pair("host", "{HOST.HOST}")],
            timeout: "9s".to_owned(),
            ..ItemContent::default()
        });
        it.items.push(row);
        snapshot(1, [it])
    };
    let server = Server::start(of(100)).await;
    server.execute([100]);
    assert_eq!(
        error(&server.value_of(100).await),
        "Browser items need a WebDriver: the setting collectors.browser.webdriver_url names none."
    );
    let owner = Owner::default();
    let browsers = Arc::new(Play::default());
    *owner.browsers.lock().expect("nobody panicked") = Some(Arc::clone(&browsers));
    let server = Server::start_as(of(101), settings(), Arc::new(owner)).await;
    browsers.result(Ok(Some("2".to_owned())));
    server.execute([101]);
    assert_eq!(text(&server.value_of(101).await), "2");
    let expected = ScriptRequest {
        source: "let   a = 1; a = 2; return a".to_owned(),
        value: r#"{"host":"web"}"#.to_owned(),
        time: Duration::from_secs(9),
    };
    assert_eq!(browsers.requests(), [expected]);
    assert!(server.owner.scripts.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn trial_shows_parameters_without_secrets() {
    let mut host = host_with(ItemContent {
        parameters: vec![
            pair("token", "{$TOKEN}"),
            pair("made", "{{$TOKEN}.regsub(\"(.*)\", \"<\\1>\")}"),
            pair("vault", "{$VAULT}"),
            pair("host", "{HOST.HOST}"),
        ],
        ..ItemContent::default()
    });
    host.macros.push(HostMacro {
        hostmacroid: HostMacroId(2),
        name: "{$VAULT}".to_owned(),
        value: "path:key".to_owned(),
        description: String::new(),
        kind: MacroType::Vault,
    });
    let owner = Arc::new(Owner::default());
    owner.secrets.lock().unwrap().insert("path:key".to_owned(), "of the vault".to_owned());
    let config = snapshot(1, [host]);
    let server = Server::start_as(Arc::clone(&config), settings(), Arc::clone(&owner)).await;
    owner.scripts.result(Ok(Some("fine".to_owned())));
    let transcript = Transcript::default();
    let tried = server.collectors.try_item(&config, HostId(7), ItemId(100), &transcript).await;
    assert_eq!(text(&tried.expect("a value")), "fine");
    // The script itself gets the secrets.
    let [request] = owner.scripts.requests().try_into().expect("one request");
    let value = r#"{"token":"say \"a\"","made":"<say \"a\">","vault":"of the vault","host":"web"}"#;
    assert_eq!(request.value, value);
    let lines = transcript.take();
    let shown = r#"value = {"token":"******","made":"******","vault":"******","host":"web"}"#;
    let note = |text: &str| Line { kind: LineKind::Note, text: text.to_owned(), left_out: 0 };
    assert_eq!(lines, [note(shown), note("log: played")]);
}
