//! SSH and Telnet items: the command and its machine, and its output.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Server, error, text};
use collect::ports::{ShellCommand, ShellWay};
use model::content::{InterfaceType, ItemContent, ItemType};
use model::snapshot::Host;

fn checked(contents: Vec<ItemContent>) -> Host {
    let mut it = host(1, "web");
    it.interfaces.push(interface(1, InterfaceType::Agent, "192.0.2.7", 10050));
    for (id, content) in (100..).zip(contents) {
        let mut row = item(id, content.kind, &content.key_, "1h");
        row.content = Arc::new(ItemContent { delay: "1h".to_owned(), ..content });
        it.items.push(row);
    }
    it
}

fn content(kind: ItemType, key: &str) -> ItemContent {
    ItemContent {
        kind,
        key_: key.to_owned(),
        username: "me@{HOST.HOST}".to_owned(),
        password: "secret".to_owned(),
        params: "uptime\r\nid {HOST.CONN}".to_owned(),
        timeout: "7s".to_owned(),
        ..ItemContent::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_run_at_the_address_of_key_or_interface() {
    let by_key = ItemContent {
        authtype: 1,
        publickey: "a.pub".to_owned(),
        privatekey: "a".to_owned(),
        ..content(ItemType::Ssh, "ssh.run[all,127.0.0.2,2222,,KexAlgorithms=x;Ciphers=y,netconf]")
    };
    let server = Server::start(snapshot(
        1,
        [checked(vec![
            content(ItemType::Ssh, "ssh.run[short]"),
            by_key,
            content(ItemType::Telnet, "telnet.run[t,localhost,,ISO-8859-1]"),
        ])],
    ))
    .await;
    let shells = &server.owner.shells;
    let mut commands = Vec::new();
    for (id, printed, expected) in [
        (100, b" up 3 days\r\n\n".as_slice(), " up 3 days"),
        (101, b"<rpc/>", "<rpc/>"),
        (102, b"gr\xfc\xdfe\n", "grüße"),
    ] {
        shells.answer(Ok(printed));
        server.execute([id]);
        assert_eq!(text(&server.value_of(id).await), expected);
        commands.extend(shells.commands());
    }
    let home = commands[2].address;
    assert!(home.is_loopback(), "{home}");
    let ssh = |key, options: &str, subsystem: &str| ShellWay::Ssh {
        key,
        options: options.to_owned(),
        subsystem: subsystem.to_owned(),
    };
    let command = |way, address: IpAddr, port| ShellCommand {
        way,
        address,
        port,
        username: "me@web".to_owned(),
        password: "secret".to_owned(),
        command: "uptime\nid 192.0.2.7".to_owned(),
        time: Duration::from_secs(7),
    };
    let key = Some(("a.pub".to_owned(), "a".to_owned()));
    let options = "KexAlgorithms=x;Ciphers=y";
    let expected = [
        command(ssh(None, "", ""), [192, 0, 2, 7].into(), 22),
        command(ssh(key, options, "netconf"), [127, 0, 0, 2].into(), 2222),
        command(ShellWay::Telnet, home, 23),
    ];
    assert_eq!(commands, expected);
    assert!(!format!("{commands:?}").contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_reported() {
    let mut silent = content(ItemType::Ssh, "ssh.run[silent]");
    silent.timeout = "1s".to_owned();
    let mut host = checked(vec![
        content(ItemType::Ssh, "ssh.run[a,,x]"),
        content(ItemType::Ssh, "ssh.run[a,,,,,,]"),
        content(ItemType::Telnet, "telnet.run[a,,,,]"),
        content(ItemType::Telnet, "ssh.run[a]"),
        content(ItemType::Ssh, "ssh.run[a,no-such-name.invalid]"),
        content(ItemType::Ssh, "ssh.run[a,,,no-such-encoding]"),
        content(ItemType::Ssh, "ssh.run[refused]"),
        silent,
    ]);
    host.items.sort_by_key(|it| it.id);
    let server = Server::start(snapshot(1, [host])).await;
    let shells = &server.owner.shells;
    server.execute(100..105);
    for (id, reason) in [
        (100, "Invalid third parameter."),
        (101, "Too many parameters."),
        (102, "Too many parameters."),
        (103, "Unsupported item key for this item type."),
        (104, "Cannot resolve \"no-such-name.invalid\"."),
    ] {
        assert_eq!(error(&server.value_of(id).await), reason);
    }
    shells.answer(Ok(b"x"));
    server.execute([105]);
    let reason =
        "Failed to convert from encoding no-such-encoding to utf8. Error: [22] Invalid argument.";
    assert_eq!(error(&server.value_of(105).await), reason);
    shells.answer(Err("Password authentication failed: no"));
    server.execute([106]);
    assert_eq!(error(&server.value_of(106).await), "Password authentication failed: no");
    server.execute([107]);
    let reason = "Timeout while executing a command.";
    assert_eq!(error(&server.value_of(107).await), reason);
}
