//! Errors of items: they quote parameters of an item, but no value of a secret macro.

use std::sync::Arc;

use crate::support::config::{host, interface, item, secret_macro, snapshot};
use crate::support::{Owner, Server, error, settings};
use collect::transcript::LineKind;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;

fn checked(id: u64, port: &str, items: &[(ItemType, &str)]) -> Host {
    let mut it = host(id, &format!("host-{id}"));
    let mut at = interface(id, InterfaceType::Agent, "127.0.0.1", 10050);
    port.clone_into(&mut at.port);
    it.interfaces.push(at);
    it.macros.push(secret_macro("{$SECRET}", "hush-now.invalid"));
    it.macros.push(secret_macro("{$VAULT}", "path:key"));
    it.macros[1].kind = model::content::MacroType::Vault;
    let items = (id * 100..).zip(items);
    it.items = items.map(|(id, (kind, key))| item(id, *kind, key, "1h")).collect();
    it
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_quote_no_value_of_a_secret_macro() {
    let keys = [
        // Errors of preparing a check, of a check itself, and of a function of a secret.
        (ItemType::Simple, "icmpping[,{$SECRET}]"),
        (ItemType::Ssh, "ssh.run[a,{$SECRET}]"),
        (ItemType::Simple, "icmpping[,{{$SECRET}.uppercase()}]"),
        (ItemType::Simple, "icmpping[,{$VAULT}]"),
        (ItemType::Simple, "icmpping"),
        (ItemType::Script, "script"),
    ];
    let mut first = checked(1, "10050", &keys);
    let script = Arc::make_mut(&mut first.items[5].content);
    "return 1".clone_into(&mut script.params);
    script
        .parameters
        .push(model::content::NamedValue { name: "p".to_owned(), value: "{$SECRET}".to_owned() });
    let late = Arc::make_mut(&mut first.items[4].content);
    "{$SECRET}".clone_into(&mut late.timeout);
    let ports = checked(2, "{$SECRET}", &[(ItemType::Simple, "icmpping")]);
    let owner = Arc::new(Owner::default());
    owner.secrets.lock().unwrap().insert("path:key".to_owned(), "of the vault".to_owned());
    owner
        .scripts
        .result(Err(collect::ports::ScriptError::Execute("no hush-now.invalid".to_owned())));
    let config = snapshot(1, [first, ports]);
    let server = Server::start_as(config, settings(), owner).await;
    server.execute((100..106).chain([200]));
    let packets = |it: &str| format!("Number of packets \"{it}\" is not between 1 and 10000.");
    for (id, reason) in [
        (100, packets("******")),
        (101, "Cannot resolve \"******\".".to_owned()),
        (102, packets("******")),
        (103, packets("******")),
        (104, "Unsupported timeout value \"******\".".to_owned()),
        (105, "Cannot execute script: no ******".to_owned()),
        (200, "Invalid port number [******]".to_owned()),
    ] {
        assert_eq!(error(&server.value_of(id).await), reason, "{id}");
    }
    // A trial shows no more than that.
    let (tried, said) = server.try_item(1, 101).await;
    let shown = format!("{tried:?} {said:?}");
    assert!(shown.contains("******") && !shown.contains("hush"), "{shown}");
    assert!(said.iter().all(|it| it.0 != LineKind::Received), "{shown}");
}
