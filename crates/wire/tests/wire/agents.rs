//! Conversations with agents: recorded ones, and both of our own sides.

use wire::Version;
use wire::active::{
    ActiveMessageError, Check, CheckList, ChecksAnswer, ChecksRequest, Command, CommandResult,
    ExpressionKind, Heartbeat, Regexp, encode_command_results, parse_command_results,
};
use wire::passive::{
    Fallback, Form, PassiveAnswer, encode_answer, encode_answers, encode_request, parse_answer,
    parse_request,
};
use wire::request_kind::{RequestKind, RequestKindError};
use wire::sender::{Parser, Redirect};

/// zabbix_agentd 6.0.14.
const CHECKS_6_0: &[u8] = br#"{"request":"active checks","host":"web 1","host_metadata":"linux","interface":"web1.lan","ip":"127.0.42.3","port":10150}"#;
const VALUES_6_0: &[u8] = b"{\"request\":\"agent data\",\"session\":\"9ee577e9a7ecd28823e6c5a69325c01a\",\"data\":[{\"host\":\"web 1\",\"key\":\"system.uptime\",\"value\":\"2478\",\"id\":1,\"clock\":1795174119,\"ns\":265294297},{\"host\":\"web 1\",\"key\":\"vfs.file.exists[/x,y,z,q]\",\"value\":\"Too many parameters.\",\"state\":1,\"id\":2,\"clock\":1795174119,\"ns\":265310151},{\"host\":\"web 1\",\"key\":\"log[/tmp/l.log,,,,,,,]\",\"value\":\"line \\\"two\\\" \xc3\xa9 \xff\",\"lastlogsize\":25,\"id\":4,\"clock\":1795174119,\"ns\":265338072}],\"clock\":1795174120,\"ns\":265762395}";

#[test]
fn agent_6_0_asks_and_sends() {
    assert_eq!(RequestKind::of(CHECKS_6_0), Ok(RequestKind::ActiveChecks));
    let request = ChecksRequest::parse(CHECKS_6_0).unwrap();
    let expected = ChecksRequest {
        variant: None,
        host_metadata: Some("linux".to_owned()),
        interface: Some("web1.lan".to_owned()),
        ip: Some("127.0.42.3".to_owned()),
        port: Some(10150),
        ..ChecksRequest::new("web 1", Version::ASSUMED)
    };
    assert_eq!(request, expected);

    assert_eq!(RequestKind::of(VALUES_6_0), Ok(RequestKind::AgentData));
    let mut parser = Parser::new(100);
    let values = parser.parse(VALUES_6_0).unwrap();
    assert_eq!(values.session(), Some("9ee577e9a7ecd28823e6c5a69325c01a"));
    assert!(!Version::parse(values.version()).is_by_itemid());
    let rows: Vec<_> = values.rows().collect();
    assert_eq!((rows[0].key, rows[0].value), (Some("system.uptime"), Some("2478")));
    assert_eq!((rows[1].unsupported, rows[1].id), (true, Some(2)));
    assert_eq!(rows[2].value, Some("line \"two\" \u{e9} ?"));
    assert_eq!(rows[2].log.unwrap().lastlogsize, Some(25));
}

#[test]
fn requests_are_read_however_they_are_typed() {
    let json = br#"{"host":5,"request":"active checks","version":7.0,"port":"10051","config_revision":"3","ip":null,"more":[1],"session":"s"}"#;
    let request = ChecksRequest::parse(json).unwrap();
    assert_eq!((request.host.as_str(), request.port), ("5", Some(10051)));
    assert_eq!(request.config_revision, Some(3));
    assert_eq!((request.ip, request.session.as_deref()), (None, Some("s")));
    for (port, expected) in
        [("0", None), ("65536", None), ("-1", None), ("\"x\"", None), ("1", Some(1))]
    {
        let json = format!(r#"{{"host":"h","port":{port}}}"#);
        assert_eq!(ChecksRequest::parse(json.as_bytes()).unwrap().port, expected, "{port}");
    }
    assert!(matches!(ChecksRequest::parse(b"{}"), Err(ActiveMessageError::NoHost)));
    assert!(matches!(ChecksRequest::parse(br#"{"host":""}"#), Err(ActiveMessageError::NoHost)));
    assert!(matches!(ChecksRequest::parse(b"[]"), Err(ActiveMessageError::Json(_))));
    assert!(matches!(ChecksRequest::parse(b""), Err(ActiveMessageError::Json(_))));
    let odd = ChecksRequest::parse(b"{\"host\":\"a\xff\"}").unwrap();
    assert_eq!(odd.host, "a?");
}

#[test]
fn requests_survive_the_way() {
    let request = ChecksRequest {
        host_metadata: Some("a \"b\"\n".to_owned()),
        config_revision: Some(9),
        session: Some("0123456789abcdef0123456789abcdef".to_owned()),
        ..ChecksRequest::new("web1", Version::new(7, 0, 4))
    };
    assert_eq!(ChecksRequest::parse(&request.encode()).unwrap(), request);

    let heartbeat = Heartbeat {
        host: "web1".to_owned(),
        heartbeat_freq_s: 60,
        version: Version::OURS,
        variant: Some(1),
    };
    assert_eq!(RequestKind::of(&heartbeat.encode()), Ok(RequestKind::ActiveHeartbeat));
    assert_eq!(Heartbeat::parse(&heartbeat.encode()).unwrap(), heartbeat);
    assert!(matches!(
        Heartbeat::parse(br#"{"heartbeat_freq":60}"#),
        Err(ActiveMessageError::NoHost)
    ));
}

fn list() -> CheckList<'static> {
    CheckList {
        config_revision: Some(2),
        checks: Some(vec![
            Check {
                key: "log[/var/log/a,@errs]".into(),
                key_orig: Some("log[{$FILE},@errs]".into()),
                itemid: 45,
                delay: "30s;wd1-5h9".into(),
                delay_s: 0,
                lastlogsize: 7,
                mtime: 8,
                timeout: Some("3s".into()),
            },
            Check {
                key: "system.uptime".into(),
                key_orig: Some("system.uptime".into()),
                itemid: 46,
                delay: "1m".into(),
                delay_s: 60,
                ..Check::default()
            },
        ]),
        regexps: vec![Regexp {
            name: "errs".into(),
            expression: "error|fail".into(),
            expression_type: ExpressionKind::Included,
            exp_delimiter: ",".into(),
            case_sensitive: 1,
        }],
        commands: vec![Command { id: 7, command: "uptime".into(), wait: 1, timeout: "30s".into() }],
        upload_disabled: false,
    }
}

fn encoded(answer: &ChecksAnswer<'_>, peer: Version) -> serde_json::Value {
    serde_json::from_slice(&answer.encode(peer)).unwrap()
}

#[test]
fn each_peer_gets_the_list_in_its_form() {
    let answer = ChecksAnswer::List(list());
    let regexp = serde_json::json!([{"name":"errs","expression":"error|fail","expression_type":0,"exp_delimiter":",","case_sensitive":1}]);
    let commands = serde_json::json!([{"id":7,"command":"uptime","wait":1,"timeout":"30s"}]);
    let new = serde_json::json!({
        "response": "success",
        "config_revision": 2,
        "data": [
            {"key":"log[/var/log/a,@errs]","itemid":45,"delay":"30s;wd1-5h9","lastlogsize":7,"mtime":8,"timeout":"3s"},
            {"key":"system.uptime","itemid":46,"delay":"1m","lastlogsize":0,"mtime":0},
        ],
        "regexp": regexp,
        "commands": commands,
    });
    assert_eq!(encoded(&answer, Version::OURS), new);
    let old = encoded(&answer, Version::ASSUMED);
    let rows = serde_json::json!([
        {"key":"log[/var/log/a,@errs]","key_orig":"log[{$FILE},@errs]","delay":0,"lastlogsize":7,"mtime":8},
        {"key":"system.uptime","delay":60,"lastlogsize":0,"mtime":0},
    ]);
    assert_eq!(old["data"], rows);
    let between = encoded(&answer, Version::new(5, 0, 12));
    assert_eq!(between["refresh_unsupported"], 600);
    assert_eq!(between["data"][0]["itemid"], 45);
    assert_eq!(between["data"][0].get("timeout"), None);
}

#[test]
fn nothing_new_and_nothing_at_all_are_different_lists() {
    let keep = ChecksAnswer::List(CheckList::default());
    assert_eq!(keep.encode(Version::OURS), br#"{"response":"success"}"#);
    let empty =
        CheckList { checks: Some(Vec::new()), upload_disabled: true, ..CheckList::default() };
    let empty = ChecksAnswer::List(empty);
    assert_eq!(
        encoded(&empty, Version::OURS),
        serde_json::json!({"response":"success","upload":"disabled","data":[]})
    );
    for answer in [keep, empty] {
        assert_eq!(ChecksAnswer::parse(&answer.encode(Version::OURS)).unwrap(), answer);
    }
}

#[test]
fn answers_survive_the_way() {
    let mut list = list();
    for check in list.checks.iter_mut().flatten() {
        // These members are for old peers.
        (check.key_orig, check.delay_s) = (None, 0);
    }
    let redirect = Redirect { revision: 3, address: Some("p2:10051".to_owned()), reset: false };
    for answer in [
        ChecksAnswer::List(list),
        ChecksAnswer::Failed { info: "host [web1] not found".into() },
        ChecksAnswer::Redirect(redirect),
        ChecksAnswer::Redirect(Redirect { reset: true, ..Redirect::default() }),
    ] {
        assert_eq!(ChecksAnswer::parse(&answer.encode(Version::OURS)).unwrap(), answer);
    }
    let old = ChecksAnswer::parse(br#"{"response":"success","data":[{"key":"k","delay":30}]}"#);
    let check = Check { key: "k".into(), delay: "30".into(), ..Check::default() };
    let expected = CheckList { checks: Some(vec![check]), ..CheckList::default() };
    assert_eq!(old.unwrap(), ChecksAnswer::List(expected));
    assert!(matches!(
        ChecksAnswer::parse(br#"{"response":"maybe"}"#),
        Err(ActiveMessageError::UnknownResponse(it)) if it == "maybe"
    ));
    assert!(ChecksAnswer::parse(br#"{"response":"success","regexp":[{"name":"x"}]}"#).is_err());
}

#[test]
fn command_results_survive_the_way() {
    let results = [
        CommandResult { id: 7, value: Some("up\n".to_owned()), error: None },
        CommandResult { id: 8, value: None, error: Some("no".to_owned()) },
    ];
    let json = String::from_utf8(encode_command_results(&results)).unwrap();
    assert_eq!(json, r#"[{"id":7,"value":"up\n"},{"id":8,"error":"no"}]"#);
    assert_eq!(parse_command_results(&json).unwrap(), results);
    assert!(parse_command_results("{}").is_err());
}

#[test]
fn requests_are_recognised_by_name() {
    for (json, kind) in [
        (r#"{"request":"sender data","data":[]}"#, Ok(RequestKind::SenderData)),
        (r#" { "data" : [] , "request" : "sender data" } "#, Ok(RequestKind::SenderData)),
        (r#"{"request":"proxy config","host":"p"}"#, Ok(RequestKind::ProxyConfig)),
        (r#"{"request":"zabbix.stats"}"#, Ok(RequestKind::Stats)),
        (
            r#"{"request":"sender data2"}"#,
            Err(RequestKindError::Unknown("sender data2".to_owned())),
        ),
        (r#"{"request":null}"#, Err(RequestKindError::Unnamed)),
        (r#"{"response":"success"}"#, Err(RequestKindError::Unnamed)),
        (r#"{"request":"#, Err(RequestKindError::NotJson)),
        ("ZBX_GET_ACTIVE_CHECKS\nhost", Err(RequestKindError::NotJson)),
        (r#"["sender data"]"#, Err(RequestKindError::NotJson)),
        ("", Err(RequestKindError::NotJson)),
    ] {
        assert_eq!(RequestKind::of(json.as_bytes()), kind, "{json}");
    }
    assert_eq!(RequestKind::PreprocessingTest.name(), "preprocessing.test");
}

#[test]
fn plain_answers_of_agents() {
    for (payload, answer) in [
        (b"1".as_slice(), PassiveAnswer::Value("1".into())),
        (b"  two words \r\n\n", PassiveAnswer::Value("two words".into())),
        (b"\n", PassiveAnswer::Value("".into())),
        (b"", PassiveAnswer::AccessDenied),
        (b"caf\xe9", PassiveAnswer::Value("caf?".into())),
        (
            b"ZBX_NOTSUPPORTED\0Unsupported item key.",
            PassiveAnswer::NotSupported("Unsupported item key.".into()),
        ),
        (b"ZBX_NOTSUPPORTED\0bad \xff key", PassiveAnswer::NotSupported("bad ? key".into())),
        (
            b"ZBX_NOTSUPPORTED\n",
            PassiveAnswer::NotSupported("Not supported by Zabbix Agent".into()),
        ),
        (b"ZBX_NOTSUPPORTED\0", PassiveAnswer::NotSupported("".into())),
        (b"ZBX_NOTSUPPORTEDx", PassiveAnswer::Value("ZBX_NOTSUPPORTEDx".into())),
        (b"ZBX_ERROR", PassiveAnswer::AgentError),
        (
            br#"{"data":[{"value":"1"}]}"#,
            PassiveAnswer::Value(r#"{"data":[{"value":"1"}]}"#.into()),
        ),
    ] {
        assert_eq!(parse_answer(Form::Plain, payload), answer);
    }
}

#[test]
fn json_answers_of_agents() {
    for (payload, answer) in [
        (
            r#"{"version":"7.0.0","variant":1,"data":[{"value":"1"}]}"#,
            PassiveAnswer::Value("1".into()),
        ),
        (r#"{"data":[{"value":12}]}"#, PassiveAnswer::Value("12".into())),
        (
            r#"{"data":[{"value":" kept "},{"value":"other"}]}"#,
            PassiveAnswer::Value(" kept ".into()),
        ),
        (r#"{"data":[{"value":null}]}"#, PassiveAnswer::NoValue),
        (
            r#"{"data":[{"error":"Unsupported item key."}]}"#,
            PassiveAnswer::NotSupported("Unsupported item key.".into()),
        ),
        (
            r#"{"version":"7.0.0","error":"bad request"}"#,
            PassiveAnswer::RequestFailed("bad request".into()),
        ),
        (r#"{"data":[]}"#, PassiveAnswer::Malformed),
        (r#"{"data":{}}"#, PassiveAnswer::Malformed),
        ("{}", PassiveAnswer::Malformed),
        ("", PassiveAnswer::AccessDenied),
        ("ZBX_NOTSUPPORTED\0Unsupported item key.", PassiveAnswer::OldProtocol),
        ("1", PassiveAnswer::OldProtocol),
        ("[]", PassiveAnswer::OldProtocol),
        (r#"{"data":[{"value":"1"#, PassiveAnswer::OldProtocol),
    ] {
        assert_eq!(parse_answer(Form::Json, payload.as_bytes()), answer, "{payload}");
    }
    let failures = [
        PassiveAnswer::AccessDenied,
        PassiveAnswer::AgentError,
        PassiveAnswer::Malformed,
        PassiveAnswer::RequestFailed("x".into()),
    ];
    assert!(failures.iter().all(PassiveAnswer::is_interface_failure));
    let others = [
        PassiveAnswer::Value("1".into()),
        PassiveAnswer::NoValue,
        PassiveAnswer::NotSupported("x".into()),
        PassiveAnswer::OldProtocol,
    ];
    assert!(!others.iter().any(PassiveAnswer::is_interface_failure));
}

#[test]
fn old_agent_gets_the_plain_form_for_an_hour() {
    let mut fallback = Fallback::default();
    assert_eq!(fallback.form(0), Form::Json);
    fallback.note_old_protocol(1_000);
    assert_eq!(fallback.form(1_000), Form::Plain);
    assert_eq!(fallback.form(3_600_999), Form::Plain);
    assert_eq!(fallback.form(3_601_000), Form::Json);
    fallback.note_old_protocol(u64::MAX);
    fallback.reset();
    assert_eq!(fallback.form(0), Form::Json);
}

#[test]
fn both_sides_of_a_passive_check_agree() {
    let key = r#"vfs.file.regexp["/a b",x\d]"#;
    for form in [Form::Plain, Form::Json] {
        let mut out = Vec::new();
        encode_request(form, key, 7, &mut out);
        let request = parse_request(&out);
        let check = &request.checks[0];
        assert_eq!((request.form, check.key.as_ref()), (form, key));
        assert_eq!(check.timeout_s, (form == Form::Json).then_some(7));
        for (result, expected) in [
            (Ok("va\"lue"), PassiveAnswer::Value("va\"lue".into())),
            (
                Err("Unsupported item key."),
                PassiveAnswer::NotSupported("Unsupported item key.".into()),
            ),
        ] {
            out.clear();
            encode_answer(form, result, &mut out);
            assert_eq!(parse_answer(form, &out), expected);
        }
    }
    let mut out = Vec::new();
    encode_request(Form::Json, "agent.ping", 3, &mut out);
    assert_eq!(out, br#"{"request":"passive checks","data":[{"key":"agent.ping","timeout":3}]}"#);
}

#[test]
fn every_payload_is_a_request_to_an_agent() {
    for (payload, form, key, timeout_s) in [
        ("agent.ping\r\n", Form::Plain, "agent.ping", None),
        ("", Form::Plain, "", None),
        (
            r#"{"request":"passive checks","data":[{"key":"k","timeout":"30s"}]}"#,
            Form::Json,
            "k",
            Some(30),
        ),
        (
            r#"{"request":"passive checks","data":[{"key":"k","timeout":"x"}]}"#,
            Form::Json,
            "k",
            None,
        ),
        (
            r#"{"request":"passive checks","data":[]}"#,
            Form::Plain,
            r#"{"request":"passive checks","data":[]}"#,
            None,
        ),
        (
            r#"{"request":"other","data":[{"key":"k"}]}"#,
            Form::Plain,
            r#"{"request":"other","data":[{"key":"k"}]}"#,
            None,
        ),
    ] {
        let request = parse_request(payload.as_bytes());
        let check = &request.checks[0];
        assert_eq!((request.form, check.key.as_ref(), check.timeout_s), (form, key, timeout_s));
    }
}

#[test]
fn a_list_of_checks_is_answered_in_its_order() {
    let list = br#"{"request":"passive checks","data":[{"key":"a","timeout":3},{"key":"b"}]}"#;
    let request = parse_request(list);
    let checks: Vec<_> = request.checks.iter().map(|it| (&*it.key, it.timeout_s)).collect();
    assert_eq!(checks, [("a", Some(3)), ("b", None)]);
    let mut out = Vec::new();
    encode_answers(request.form, &[Ok("1"), Err("no")], &mut out);
    let answer = String::from_utf8(out).unwrap();
    assert!(answer.contains(r#""data":[{"value":"1"},{"error":"no"}]"#), "{answer}");
}
