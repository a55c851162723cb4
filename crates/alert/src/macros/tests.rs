//! Values of macros of messages, by table. A server room: host `web` with two items and a trigger
//! over both.

use std::sync::Arc;

use jiff::tz::TimeZone;
use model::content::{
    ApiMethods, Granted, Group, HostMacro, Interface, InterfaceType, Inventory, ItemContent,
    ItemFlags, MacroType, Role, RoleType, ServiceAccess, Severity, Tag, TriggerContent, User,
    ValueMap, ValueMapping,
};
use model::content::{FunctionRef, inventory_link};
use model::snapshot::{Access, Globals, HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::value::{LogEntry, Sample};
use model::{
    EventId, GroupId, HostId, InterfaceId, ItemId, RoleId, Time, TriggerId, UserGroupId, UserId,
    Value, ValueMapId, ValueType,
};

use super::*;
use crate::{AlertKind, AlertStatus, EventObject, EventSource, MessageEvent};

/// 2024-02-29 12:00:00.
const NOW: i64 = 1_709_208_000;
const STARTED: i64 = NOW - 3_725;

struct Facts {
    context: MessageContext,
    snapshot: Snapshot,
    values: Vec<(ItemId, Sample)>,
}

impl MessageFacts for Facts {
    fn context(&self) -> &MessageContext {
        &self.context
    }

    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn now(&self) -> Time {
        Time::from_clock(NOW, 0)
    }

    fn zone(&self) -> &TimeZone {
        static UTC: TimeZone = TimeZone::UTC;
        &UTC
    }

    fn value(&self, item: ItemId, until: Option<Time>) -> Option<Sample> {
        let fits =
            |it: &&(ItemId, Sample)| it.0 == item && until.is_none_or(|until| it.1.time <= until);
        self.values.iter().rfind(fits).map(|it| it.1.clone())
    }

    fn object_state(&self, of: StateOwner) -> Option<ObjectState> {
        let error = match of {
            StateOwner::Item(_) => "no route",
            StateOwner::Trigger(_) => "no data",
        };
        Some(ObjectState { is_faulty: true, error: error.to_owned() })
    }

    fn function_value(&self, _of: TriggerId, position: usize, _at: Time) -> Option<String> {
        [Some("0.95"), Some("up")].get(position).copied().flatten().map(str::to_owned)
    }

    fn expression_value(&self, written: &str, _at: Time) -> Option<String> {
        written.strip_prefix("last(/web/load").map(|_| "0.7".to_owned())
    }

    fn updates(&self, _of: EventId) -> Vec<Update> {
        vec![update()]
    }

    fn event_counts(&self, _of: TriggerId) -> Option<EventCounts> {
        Some(EventCounts {
            acknowledged: 1,
            unacknowledged: 2,
            problems_acknowledged: 3,
            problems_unacknowledged: 4,
        })
    }

    fn cause(&self, of: EventId) -> Option<(MessageEvent, Option<MessageEvent>)> {
        (of == EventId(70)).then(|| {
            let cause =
                MessageEvent { id: EventId(60), name: "Rack is dark".to_owned(), ..problem() };
            let end =
                MessageEvent { value: 0, time: Time::from_clock(STARTED + 60, 0), ..cause.clone() };
            (cause, Some(end))
        })
    }

    fn symptoms(&self, of: EventId) -> Vec<MessageEvent> {
        let low = MessageEvent { severity: Severity::Warning, name: "low".to_owned(), ..problem() };
        let high = MessageEvent { severity: Severity::High, name: "high".to_owned(), ..problem() };
        if of == EventId(70) { vec![low, high] } else { Vec::new() }
    }

    fn escalation(&self) -> Vec<EscalationEntry> {
        let sent = EscalationEntry {
            step: 1,
            clock: STARTED + 5,
            kind: AlertKind::Message,
            status: AlertStatus::Sent,
            media_type: "Email".to_owned(),
            sendto: "ops@example.com".to_owned(),
            user: UserId(2),
            command: String::new(),
            error: String::new(),
        };
        let failed = EscalationEntry {
            step: 2,
            status: AlertStatus::Failed,
            error: "refused".to_owned(),
            user: UserId(3),
            ..sent.clone()
        };
        let command = EscalationEntry {
            step: 0,
            kind: AlertKind::Command,
            command: "web:reboot".to_owned(),
            ..sent.clone()
        };
        vec![sent, failed, command]
    }

    fn discovered(&self) -> Option<DiscoveryMacros> {
        Some(DiscoveryMacros {
            rule: "Office".to_owned(),
            ip: "192.0.2.9".to_owned(),
            dns: "printer".to_owned(),
            is_up: true,
            since_s: 5_341,
            service: Some(DiscoveredService {
                name: "HTTP".to_owned(),
                port: 80,
                is_up: false,
                since_s: 1,
            }),
            ..DiscoveryMacros::default()
        })
    }

    fn registered(&self) -> Option<Registered> {
        Some(Registered {
            host: "new".to_owned(),
            ip: "192.0.2.7".to_owned(),
            port: "10050".to_owned(),
            metadata: "linux".to_owned(),
            proxy: "p1".to_owned(),
            proxy_description: "far away".to_owned(),
        })
    }

    fn service(&self) -> Option<ServiceFacts> {
        Some(ServiceFacts {
            name: "Shop".to_owned(),
            description: "sells".to_owned(),
            root_cause: vec![problem()],
        })
    }

    fn vault(&self, path: &str) -> Option<String> {
        Some(format!("kept at {path}"))
    }
}

fn tag(tag: &str, value: &str) -> Tag {
    Tag { tag: tag.to_owned(), value: value.to_owned() }
}

fn problem() -> MessageEvent {
    MessageEvent {
        id: EventId(70),
        source: EventSource::Trigger,
        object: EventObject::Trigger,
        object_id: 30,
        time: Time::from_clock(STARTED, 5),
        value: 1,
        severity: Severity::High,
        is_acknowledged: true,
        name: "Load is high".to_owned(),
        tags: vec![tag("b", "2"), tag("a", ""), tag("b", "10"), tag("odd \"one\"", "x")],
        hosts: vec![HostId(10)],
    }
}

fn update() -> Update {
    Update {
        id: 5,
        user: UserId(2),
        clock: STARTED + 60,
        message: "on it".to_owned(),
        action: 2 | 4 | 8 | 32,
        old_severity: 3,
        new_severity: 4,
        suppress_until: NOW + 60,
    }
}

fn user(id: u64, username: &str, names: (&str, &str), role: u64, group: u64) -> Arc<User> {
    Arc::new(User {
        userid: UserId(id),
        username: username.to_owned(),
        name: names.0.to_owned(),
        surname: names.1.to_owned(),
        roleid: RoleId(role),
        groups: vec![UserGroupId(group)],
        lang: String::new(),
        theme: String::new(),
        timezone: String::new(),
        url: String::new(),
        autologin: String::new(),
        autologout: String::new(),
        refresh: String::new(),
        rows_per_page: String::new(),
        medias: Vec::new(),
    })
}

fn macros(list: &[(&str, &str, MacroType)]) -> Vec<HostMacro> {
    let one = |(name, value, kind): &(&str, &str, MacroType)| HostMacro {
        hostmacroid: Default::default(),
        name: (*name).to_owned(),
        value: (*value).to_owned(),
        description: String::new(),
        kind: *kind,
    };
    list.iter().map(one).collect()
}

fn item(id: u64, content: ItemContent) -> ItemRow {
    ItemRow {
        id: ItemId(id),
        source: ItemId::NONE,
        content: Arc::new(content),
        extra: None,
        flags: ItemFlags::Plain,
    }
}

#[expect(clippy::too_many_lines, reason = "a host with one of everything")]
fn web() -> Host {
    let mut host = Host::new(HostId(10), HolderKind::Host, "web".into(), "Web server".into());
    host.description = "the shop".to_owned();
    host.groups = vec![GroupId(2), GroupId(1)];
    host.interfaces = vec![Interface {
        interfaceid: InterfaceId(1),
        kind: InterfaceType::Agent,
        main: true,
        useip: true,
        ip: "192.0.2.1".to_owned(),
        dns: "web.example".to_owned(),
        port: "{$PORT}".to_owned(),
        details: None,
    }];
    host.macros = macros(&[
        ("{$PORT}", "10050", MacroType::Text),
        ("{$LIMIT:\"/\"}", "0.9", MacroType::Text),
        ("{$TOKEN}", "s3cret", MacroType::Secret),
        ("{$VAULT}", "secret/web:password", MacroType::Vault),
    ]);
    host.valuemaps = vec![ValueMap {
        valuemapid: ValueMapId(4),
        uuid: String::new(),
        name: "States".to_owned(),
        mappings: vec![ValueMapping { kind: 0, value: "up".into(), newvalue: "Working".into() }],
    }];
    host.items = vec![
        item(
            20,
            ItemContent {
                key_: "load[{$LIMIT:\"/\"}]".to_owned(),
                name: "Load of {$PORT}".to_owned(),
                description: "about {$PORT}".to_owned(),
                units: "%".to_owned(),
                value_type: ValueType::Float,
                ..ItemContent::default()
            },
        ),
        item(
            21,
            ItemContent {
                key_: "state".to_owned(),
                name: "State".to_owned(),
                value_type: ValueType::Char,
                valuemapid: ValueMapId(4),
                ..ItemContent::default()
            },
        ),
        item(
            22,
            ItemContent {
                key_: "log".to_owned(),
                name: "Log".to_owned(),
                value_type: ValueType::Log,
                ..ItemContent::default()
            },
        ),
    ];
    let function = |item: u64, name: &str, parameter: &str| FunctionRef {
        item: ItemId(item),
        function: name.to_owned(),
        parameter: parameter.to_owned(),
    };
    host.triggers = vec![TriggerRow {
        id: TriggerId(30),
        source: TriggerId::NONE,
        content: Arc::new(TriggerContent {
            description: "Load over $1 on {HOST.NAME}".to_owned(),
            expression: "{0}>{$LIMIT:\"/\"} and {1}<>\"down\"".to_owned(),
            functions: vec![
                function(20, "avg", "$,5m"),
                function(21, "last", "$"),
                function(22, "last", "$"),
            ],
            opdata: "now {ITEM.LASTVALUE1}, then {ITEM.VALUE1}; {EVENT.ID}".to_owned(),
            comments: "look at {HOST.NAME} by {$TOKEN}".to_owned(),
            url: "https://{HOST.CONN}/?e={EVENT.ID}".to_owned(),
            url_name: "Page".to_owned(),
            priority: Severity::Warning,
            ..TriggerContent::default()
        }),
        extra: None,
        flags: ItemFlags::Plain,
    }];
    host
}

fn snapshot() -> Snapshot {
    let mut it = Snapshot::default();
    it.hosts.insert(HostId(10), Arc::new(web()));
    it.item_runs.insert(ItemId(20), (ItemId(22), HostId(10)));
    it.trigger_runs.insert(TriggerId(30), (TriggerId(30), HostId(10)));
    for (id, name) in [(1, "Racks"), (2, "Linux")] {
        let group = Group { name: name.to_owned(), uuid: String::new() };
        it.host_groups.insert(GroupId(id), Arc::new(group));
    }
    let mut inventory = Inventory::default();
    inventory.set(inventory_link("poc_1_phone_a").unwrap(), "555");
    it.inventories.insert(HostId(10), Arc::new(inventory));
    let globals = macros(&[("{$GLOBAL}", "everywhere", MacroType::Text)]);
    it.globals = Arc::new(Globals { macros: globals, ..Globals::default() });
    let mut access = Access::default();
    for (id, kind) in [(1, RoleType::SuperAdmin), (2, RoleType::User)] {
        let role = Role {
            roleid: RoleId(id),
            name: String::new(),
            kind,
            readonly: false,
            api_access: true,
            api_methods: ApiMethods::default(),
            ui: Granted::default(),
            actions: Granted::default(),
            services_read: ServiceAccess::default(),
            services_write: ServiceAccess::default(),
        };
        access.roles.insert(RoleId(id), Arc::new(role));
    }
    for it in [
        user(1, "Admin", ("Zabbix", "Administrator"), 1, 1),
        user(2, "ann", ("Ann", ""), 2, 2),
        user(3, "bob", ("", ""), 2, 3),
    ] {
        access.users.insert(it.userid, it);
    }
    it.access = Arc::new(access);
    it
}

fn facts(context: MessageContext) -> Facts {
    let sample = |at: i64, value: Value| Sample { time: Time::from_clock(at, 0), value };
    let entry = LogEntry {
        value: "oops".to_owned(),
        source: "app".to_owned(),
        timestamp: STARTED - 60,
        severity: 9,
        logeventid: 77,
    };
    let values = vec![
        (ItemId(20), sample(STARTED, Value::Float(95.126))),
        (ItemId(20), sample(NOW - 5, Value::Float(7.0))),
        (ItemId(21), sample(STARTED - 10, Value::Text("up".into()))),
        (ItemId(22), sample(STARTED - 10, Value::Log(Arc::new(entry)))),
    ];
    Facts { context, snapshot: snapshot(), values }
}

fn of_problem() -> MessageContext {
    MessageContext { action: (3, "Notify".to_owned()), ..MessageContext::of_event(problem()) }
}

#[track_caller]
fn check(context: &MessageContext, cases: &[(&str, &str)]) {
    let facts = facts(context.clone());
    for (text, expected) in cases {
        assert_eq!(expand(text, &facts), *expected, "{text}");
    }
}

#[test]
fn macros_of_a_problem_are_resolved() {
    check(
        &of_problem(),
        &[
            ("{EVENT.ID} {EVENT.NAME}: {EVENT.STATUS}", "70 Load is high: PROBLEM"),
            ("{EVENT.DATE} {EVENT.TIME} {EVENT.TIMESTAMP}", "2024.02.29 10:57:55 1709204275"),
            ("{EVENT.AGE} {EVENT.DURATION}", "1h 2m 5s 1h 2m 5s"),
            ("{EVENT.SEVERITY} {EVENT.NSEVERITY} {EVENT.VALUE}", "High 4 1"),
            ("{EVENT.ACK.STATUS} {EVENT.SOURCE} {EVENT.OBJECT}", "Yes 0 0"),
            ("{EVENT.TAGS}", "a, b:2, b:10, odd \"one\":x"),
            (
                "{EVENT.TAGSJSON}",
                r#"[{"tag":"b","value":"2"},{"tag":"a","value":""},{"tag":"b","value":"10"},{"tag":"odd \"one\"","value":"x"}]"#,
            ),
            ("{EVENT.TAGS.b} {EVENT.TAGS.\"odd \\\"one\\\"\"} {EVENT.TAGS.c}", "2 x *UNKNOWN*"),
            ("{EVENT.OPDATA}", "now 7 %, then 95.13 %; 70"),
            (
                "{EVENT.CAUSE.NAME} {EVENT.CAUSE.ID} {EVENT.CAUSE.STATUS}",
                "Rack is dark 60 RESOLVED",
            ),
            ("{EVENT.CAUSE.DURATION} {EVENT.CAUSE.TAGS.b}", "1m 0s 2"),
            (
                "{EVENT.SYMPTOMS}",
                "Host: \"web\" Problem name: \"high\" Severity: \"High\" Age: 1h 2m 5s Problem tags: \
                 \"a, b:2, b:10, odd \"one\":x\"\n\
                 Host: \"web\" Problem name: \"low\" Severity: \"Warning\" Age: 1h 2m 5s Problem tags: \
                 \"a, b:2, b:10, odd \"one\":x\"",
            ),
            ("{EVENT.UPDATE.STATUS}", "0"),
            (
                "{EVENT.UPDATE.HISTORY}",
                "2024.02.29 10:58:55 \"Ann (ann)\"\nActions: acknowledged, changed severity from \
                 Average to High and suppressed until 2024.02.29 12:01:00.\non it",
            ),
            ("{ACTION.ID} {ACTION.NAME}", "3 Notify"),
            ("{DATE} {TIME} {TIMESTAMP}", "2024.02.29 12:00:00 1709208000"),
            ("{{TIME}.fmttime(%H)} {{EVENT.NAME}.uppercase()}", "12 LOAD IS HIGH"),
        ],
    );
}

#[test]
fn macros_of_triggers_items_and_hosts_are_resolved() {
    check(
        &of_problem(),
        &[
            ("{TRIGGER.ID} {TRIGGER.NAME}", "30 Load over 0.9 on Web server"),
            ("{TRIGGER.NAME.ORIG}", "Load over $1 on {HOST.NAME}"),
            ("{TRIGGER.DESCRIPTION}", "look at Web server by ******"),
            ("{TRIGGER.URL} {TRIGGER.URL.NAME}", "https://192.0.2.1/?e=70 Page"),
            (
                "{TRIGGER.EXPRESSION}",
                "avg(/web/load[{$LIMIT:\"/\"}],5m)>{$LIMIT:\"/\"} and last(/web/state)<>\"down\"",
            ),
            ("{TRIGGER.EXPRESSION.EXPLAIN}", "0.95>0.9 and \"up\"<>\"down\""),
            ("{TRIGGER.EXPRESSION.RECOVERY}|{TRIGGER.EXPRESSION.RECOVERY.EXPLAIN}", "|"),
            ("{FUNCTION.VALUE} {FUNCTION.VALUE2} {FUNCTION.VALUE3}", "0.95 up *UNKNOWN*"),
            ("{TRIGGER.STATUS} {TRIGGER.VALUE} {STATUS}", "PROBLEM 1 PROBLEM"),
            ("{TRIGGER.SEVERITY} {TRIGGER.NSEVERITY}", "Warning 2"),
            ("{TRIGGER.HOSTGROUP.NAME} {TRIGGER.TEMPLATE.NAME}", "Linux, Racks *UNKNOWN*"),
            (
                "{TRIGGER.EVENTS.ACK} {TRIGGER.EVENTS.UNACK} {TRIGGER.EVENTS.PROBLEM.ACK} \
                 {TRIGGER.EVENTS.PROBLEM.UNACK}",
                "1 2 3 4",
            ),
            ("{HOST.HOST} {HOST.NAME} {HOST.ID} {HOST.DESCRIPTION}", "web Web server 10 the shop"),
            (
                "{HOST.IP} {HOST.DNS} {HOST.CONN} {HOST.PORT} {HOSTNAME}",
                "192.0.2.1 web.example 192.0.2.1 10050 web",
            ),
            ("{HOST.NAME2} {HOST.NAME9}", "Web server *UNKNOWN*"),
            (
                "{INVENTORY.POC.PRIMARY.PHONE.A} {INVENTORY.OS1}|{INVENTORY.NONE}",
                "555 |{INVENTORY.NONE}",
            ),
            ("{ITEM.ID} {ITEM.ID2} {ITEM.VALUETYPE} {ITEM.VALUETYPE2}", "20 21 0 1"),
            ("{ITEM.NAME} {ITEM.NAME.ORIG}", "Load of 10050 Load of {$PORT}"),
            ("{ITEM.KEY} {ITEM.KEY.ORIG}", "load[0.9] load[{$LIMIT:\"/\"}]"),
            ("{ITEM.DESCRIPTION}/{ITEM.DESCRIPTION.ORIG}", "about 10050/about {$PORT}"),
            ("{ITEM.VALUE} {ITEM.LASTVALUE} {ITEM.VALUE2}", "95.13 % 7 % Working (up)"),
            ("{{ITEM.VALUE}.fmtnum(1)} {{ITEM.VALUE2}.regsub(\"^(.)\", \\1)}", "95.1 u"),
            ("{ITEM.LOG.SOURCE3} {ITEM.LOG.SEVERITY3} {ITEM.LOG.NSEVERITY3}", "app Critical 9"),
            ("{ITEM.LOG.DATE3} {ITEM.LOG.TIME3} {ITEM.LOG.AGE3}", "2024.02.29 10:56:55 1h 3m 5s"),
            (
                "{ITEM.LOG.EVENTID3} {ITEM.LOG.TIMESTAMP3} {ITEM.LOG.SOURCE}",
                "77 1709204215 *UNKNOWN*",
            ),
            ("{PROXY.NAME}{PROXY.DESCRIPTION2}", ""),
            ("{?last(/{HOST.HOST}/load)} {?last(/other/x)}", "0.7 *UNKNOWN*"),
            (
                "{$GLOBAL} {$LIMIT:\"/\"} {$TOKEN} {$VAULT} {$NONE}",
                "everywhere 0.9 ****** ****** {$NONE}",
            ),
        ],
    );
}

#[test]
fn unknown_macros_stay() {
    check(
        &of_problem(),
        &[
            (
                "{EVENT.RECOVERY.ID} {ACK.MESSAGE} {USER.NAME}",
                "{EVENT.RECOVERY.ID} {ACK.MESSAGE} {USER.NAME}",
            ),
            (
                "{ALERT.SUBJECT} {HOST.TARGET.IP} {SERVICE.NAME}",
                "{ALERT.SUBJECT} {HOST.TARGET.IP} {SERVICE.NAME}",
            ),
            ("{ITEM.STATE} {EVENT.ID2} {NONE} {", "{ITEM.STATE} {EVENT.ID2} {NONE} {"),
            ("$1 {#LLD}", "$1 {#LLD}"),
            // Macro functions of them as well, whatever stands in their parameters.
            (
                "{VALUE} {{VALUE}.btoa()} {{NONE}.nothing(}",
                "{VALUE} {{VALUE}.btoa()} {{NONE}.nothing(}",
            ),
            (
                "{{ACK.MESSAGE}.regsub(\"{HOST.NAME}\", \\1)} {{ITEM.STATE}.fmtnum(x)}",
                "{{ACK.MESSAGE}.regsub(\"{HOST.NAME}\", \\1)} {{ITEM.STATE}.fmtnum(x)}",
            ),
            (
                "{ITEM.LOG.OTHER3} {{ITEM.LOG.OTHER}.btoa()}",
                "{ITEM.LOG.OTHER3} {{ITEM.LOG.OTHER}.btoa()}",
            ),
        ],
    );
}

#[test]
fn macros_of_a_recovery_are_resolved() {
    let end = MessageEvent {
        id: EventId(71),
        value: 0,
        time: Time::from_clock(STARTED + 90, 0),
        tags: vec![tag("end", "")],
        name: "over".to_owned(),
        ..problem()
    };
    check(
        &MessageContext { recovery: Some(end), ..of_problem() },
        &[
            ("{EVENT.ID} {EVENT.NAME} {EVENT.STATUS} {EVENT.VALUE}", "70 Load is high RESOLVED 0"),
            ("{EVENT.DURATION} {EVENT.AGE}", "1m 30s 1h 2m 5s"),
            (
                "{EVENT.RECOVERY.ID} {EVENT.RECOVERY.NAME} {EVENT.RECOVERY.STATUS}",
                "71 over RESOLVED",
            ),
            ("{EVENT.RECOVERY.DATE} {EVENT.RECOVERY.TIME}", "2024.02.29 10:59:25"),
            ("{EVENT.RECOVERY.VALUE} {EVENT.RECOVERY.TIMESTAMP}", "0 1709204365"),
            (
                "{EVENT.RECOVERY.TAGS} {EVENT.RECOVERY.TAGSJSON}",
                r#"end [{"tag":"end","value":""}]"#,
            ),
            ("{TRIGGER.STATUS} {TRIGGER.VALUE} {EVENT.TAGS.b}", "OK 0 2"),
        ],
    );
}

#[test]
fn macros_of_an_update_are_resolved() {
    check(
        &MessageContext { update: Some(update()), user: UserId(2), ..of_problem() },
        &[
            (
                "{EVENT.UPDATE.ACTION}",
                "acknowledged, commented, changed severity from Average to High and suppressed until \
                 2024.02.29 12:01:00",
            ),
            (
                "{EVENT.UPDATE.ACTIONJSON}",
                r#"{"acknowledge":true,"message":"on it","severity":{"new":4,"old":3},"suppress_until":1709208060,"timestamp":1709204335}"#,
            ),
            ("{EVENT.UPDATE.MESSAGE} {ACK.MESSAGE} {EVENT.UPDATE.STATUS}", "on it on it 1"),
            (
                "{EVENT.UPDATE.DATE} {ACK.TIME} {EVENT.UPDATE.TIMESTAMP}",
                "2024.02.29 10:58:55 1709204335",
            ),
            ("{USER.FULLNAME} {USER.NAME}", "Ann (ann) {USER.NAME}"),
            ("{EVENT.UPDATE.SEVERITY}", "{EVENT.UPDATE.SEVERITY}"),
        ],
    );
    // A user whom the recipient shares no group with.
    let strange = Update { user: UserId(3), action: 1, ..update() };
    check(
        &MessageContext { update: Some(strange), user: UserId(2), ..of_problem() },
        &[("{USER.FULLNAME} {EVENT.UPDATE.ACTION}", "Inaccessible user closed")],
    );
}

#[test]
fn escalation_history_hides_invisible_users() {
    let to = |user: u64| MessageContext { user: UserId(user), ..of_problem() };
    let first = "Problem started: 2024.02.29 10:57:55 Age: 1h 2m 5s\n\
        1. 2024.02.29 10:58:00 message sent        Email ops@example.com \"Ann (ann)\"\n";
    let command = "2024.02.29 10:58:00 command executed    \"web\"";
    let known =
        "2. 2024.02.29 10:58:00 message failed      Email ops@example.com \"bob\" refused\n";
    let hidden = "2. 2024.02.29 10:58:00 message failed      Email \"Inaccessible recipient details\" \
        \"Inaccessible user\" \"Inaccessible error message\"\n";
    check(&to(1), &[("{ESC.HISTORY}", &format!("{first}{known}{command}"))]);
    check(&to(2), &[("{ESC.HISTORY}", &format!("{first}{hidden}{command}"))]);
}

#[test]
fn other_sources_have_own_macros() {
    let event = |source, object, value| MessageEvent { source, object, value, ..problem() };
    let discovery = event(EventSource::Discovery, EventObject::DiscoveredService, 0);
    check(
        &MessageContext::of_event(discovery),
        &[
            ("{DISCOVERY.RULE.NAME} {DISCOVERY.DEVICE.IPADDRESS}", "Office 192.0.2.9"),
            ("{DISCOVERY.DEVICE.DNS} {DISCOVERY.DEVICE.STATUS}", "printer UP"),
            ("{DISCOVERY.DEVICE.UPTIME}", "1h 29m 1s"),
            ("{DISCOVERY.SERVICE.NAME}:{DISCOVERY.SERVICE.PORT}", "HTTP:80"),
            ("{DISCOVERY.SERVICE.STATUS} {DISCOVERY.SERVICE.UPTIME}", "DOWN 1s"),
            ("{EVENT.AGE} {EVENT.SOURCE} {PROXY.NAME}", "1h 2m 5s 1 "),
            (
                "{EVENT.DURATION} {HOST.NAME} {TRIGGER.NAME}",
                "{EVENT.DURATION} {HOST.NAME} {TRIGGER.NAME}",
            ),
        ],
    );
    let agent = event(EventSource::Autoregistration, EventObject::Autoregistration, 0);
    check(
        &MessageContext::of_event(agent),
        &[
            ("{HOST.HOST} {HOST.IP}:{HOST.PORT} {HOST.METADATA}", "new 192.0.2.7:10050 linux"),
            ("{PROXY.NAME} {PROXY.DESCRIPTION} {HOST.NAME}", "p1 far away {HOST.NAME}"),
        ],
    );
    let service =
        MessageEvent { object_id: 9, ..event(EventSource::Service, EventObject::Service, 1) };
    check(
        &MessageContext { update: Some(update()), ..MessageContext::of_event(service) },
        &[
            ("{SERVICE.NAME} {SERVICE.DESCRIPTION} {SERVICE.ID}", "Shop sells 9"),
            ("{SERVICE.TAGS} {SERVICE.TAGS.b}", "a, b:2, b:10, odd \"one\":x 2"),
            (
                "{SERVICE.ROOTCAUSE}",
                "Host: \"web\" Problem name: \"Load is high\" Severity: \"High\" Age: 1h 2m 5s Problem tags: \
                 \"a, b:2, b:10, odd \"one\":x\"",
            ),
            ("{EVENT.UPDATE.SEVERITY} {EVENT.UPDATE.NSEVERITY} {EVENT.STATUS}", "High 4 PROBLEM"),
            ("{EVENT.UPDATE.MESSAGE}", "{EVENT.UPDATE.MESSAGE}"),
        ],
    );
}

#[test]
fn macros_of_states_are_resolved() {
    let internal = |object, object_id, value| {
        let event =
            MessageEvent { source: EventSource::Internal, object, object_id, value, ..problem() };
        MessageContext::of_event(event)
    };
    check(
        &internal(EventObject::Trigger, 30, 1),
        &[
            ("{TRIGGER.STATE} {TRIGGER.STATE.ERROR} {EVENT.STATUS}", "Unknown no data Unknown"),
            ("{TRIGGER.NAME} {HOST.NAME2}", "Load over 0.9 on Web server Web server"),
            ("{TRIGGER.VALUE} {ITEM.VALUE}", "{TRIGGER.VALUE} {ITEM.VALUE}"),
        ],
    );
    check(
        &internal(EventObject::Item, 21, 1),
        &[
            ("{ITEM.NAME} {ITEM.KEY} {HOST.NAME}", "State state Web server"),
            (
                "{ITEM.STATE} {ITEM.STATE.ERROR} {EVENT.STATUS}",
                "Not supported no route Not supported",
            ),
            ("{HOST.NAME2} {LLDRULE.NAME} {$PORT}", "{HOST.NAME2} {LLDRULE.NAME} 10050"),
        ],
    );
    check(
        &internal(EventObject::DiscoveryRule, 20, 0),
        &[
            ("{LLDRULE.NAME} {LLDRULE.KEY} {LLDRULE.ID}", "Load of 10050 load[0.9] 20"),
            ("{LLDRULE.STATE} {LLDRULE.NAME.ORIG} {EVENT.STATUS}", "Normal Load of {$PORT} Normal"),
            ("{ITEM.NAME} {LLDRULE.STATE.ERROR}", "{ITEM.NAME} no route"),
        ],
    );
}

#[test]
fn commands_and_scripts_have_secrets_and_a_target() {
    let command =
        MessageContext { target: Some(HostId(10)), secrets: SecretMode::Shown, ..of_problem() };
    check(
        &command,
        &[
            ("{HOST.TARGET.HOST} {HOST.TARGET.NAME} {HOST.TARGET.IP}", "web Web server 192.0.2.1"),
            ("{HOST.TARGET.DNS} {HOST.TARGET.CONN}", "web.example 192.0.2.1"),
            ("{$TOKEN} {$VAULT} {$GLOBAL}", "s3cret kept at secret/web:password everywhere"),
        ],
    );
    let script = MessageContext {
        manual_input: Some("{HOST.NAME}".to_owned()),
        ..MessageContext::of_host(HostId(10), UserId(1))
    };
    check(
        &script,
        &[
            ("{HOST.NAME} {HOST.CONN} {HOST.PORT}", "Web server 192.0.2.1 10050"),
            ("{INVENTORY.POC.PRIMARY.PHONE.A}", "555"),
            ("{USER.USERNAME} {USER.FULLNAME}", "Admin Zabbix Administrator (Admin)"),
            ("{USER.NAME} {USER.SURNAME} {USER.ALIAS}", "Zabbix Administrator Admin"),
            // Typed input is not expanded.
            ("{MANUALINPUT} {$TOKEN}", "{HOST.NAME} s3cret"),
            ("{EVENT.ID} {HOST.NAME1} {ACTION.ID}", "{EVENT.ID} {HOST.NAME1} {ACTION.ID}"),
        ],
    );
    let alert = AlertTexts {
        sendto: "a@b".to_owned(),
        subject: "S".to_owned(),
        message: "{EVENT.ID}".to_owned(),
    };
    check(
        &MessageContext { alert: Some(alert), ..of_problem() },
        &[("{ALERT.SENDTO} {ALERT.SUBJECT} {ALERT.MESSAGE}", "a@b S {EVENT.ID}")],
    );
}

#[test]
fn deleted_objects_are_unknown() {
    let gone = MessageEvent { object_id: 999, hosts: Vec::new(), ..problem() };
    check(
        &MessageContext::of_event(gone),
        &[
            ("{TRIGGER.NAME} {HOST.NAME} {ITEM.VALUE}", "*UNKNOWN* *UNKNOWN* *UNKNOWN*"),
            ("{TRIGGER.ID} {EVENT.NAME} {$GLOBAL}", "999 Load is high everywhere"),
        ],
    );
}

#[test]
fn a_text_does_not_grow_without_end() {
    let long = MessageEvent { name: "x".repeat(600_000), ..problem() };
    let facts = facts(MessageContext::of_event(long));
    let text = expand(&"{EVENT.NAME}".repeat(50), &facts);
    assert!(text.len() < TEXT_BYTES_MAX, "{}", text.len());
    assert!(text.ends_with("*UNKNOWN*"));
    let text = expand(&"ü".repeat(TEXT_BYTES_MAX), &facts);
    assert_eq!(text.len(), TEXT_BYTES_MAX);
}

mod hostile {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of texts that people write, and of those that nobody does.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[{}$#?.\"\\\\ A-Z0-9]{0,12}",
            Just("{EVENT.TAGS.\"".to_owned()),
            Just("{{ITEM.VALUE".to_owned()),
            Just("}.fmtnum(".to_owned()),
            Just("{?last(/{HOST.HOST}/".to_owned()),
            Just("{TRIGGER.EXPRESSION.EXPLAIN}".to_owned()),
            Just("{$LIMIT:".to_owned()),
            any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|it| it.concat())
    }

    proptest! {
        #[test]
        fn no_text_panics(text in text(), source in 0_u8..5, object in 0_u8..7, value in 0_u8..4) {
            let event = MessageEvent {
                source: EventSource::from_code(source).unwrap(),
                object: EventObject::from_code(object).unwrap(),
                object_id: 30 - u64::from(object),
                value,
                ..problem()
            };
            let facts = facts(MessageContext::of_event(event));
            prop_assert!(expand(&text, &facts).len() <= TEXT_BYTES_MAX);
        }
    }
}
