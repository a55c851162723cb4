//! The configuration of the server: devices behind parents, their items and triggers, and
//! recipients.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::client::Client;
use super::super::oracle::number;
use super::super::polling::protocol::address;
use super::super::receivers::{Receivers, Texts};
use super::super::responders::Responders;
use super::super::sinks::Sink;
use crate::common::BenchError;

/// Devices behind one parent, which is the first of them.
pub(super) const BEHIND_ONE: usize = 50;

const TEXTS: Texts = &[("0", "begin={EVENT.ID}"), ("1", "end={EVENT.ID}")];

/// The check of a trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Kind {
    Ping,
    Agent,
    Snmp,
}

/// A trigger of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Configured {
    pub(in super::super) device: usize,
    pub(in super::super) kind: Kind,
}

/// Objects to create.
pub(in super::super) struct Plan {
    pub(in super::super) devices: usize,
    pub(in super::super) delay: u64,
    /// The step that sends webhooks.
    pub(in super::super) webhook_step: u64,
    /// More templates of each device.
    pub(in super::super) templates: Vec<String>,
}

/// Creates the devices, and says which trigger is whose.
pub(in super::super) fn configure(
    client: &Client,
    args: &Plan,
    devices: &Responders,
) -> Result<BTreeMap<u64, Configured>, BenchError> {
    let template = create_template(client, args.delay)?;
    let group = client.ids("hostgroup.create", &json!({"name": "Bench"}))?.remove(0);
    let templates = std::iter::once(&template).chain(&args.templates);
    let templates: Vec<Value> = templates.map(|it| json!({"templateid": it})).collect();
    let host = |number: usize| {
        let ip = address(number);
        let interface = |kind: u8, port: u16| json!({"type": kind, "main": 1, "useip": 1, "ip": ip, "dns": "", "port": port.to_string()});
        let mut snmp = interface(2, devices.snmp_port);
        snmp["details"] = json!({"version": 2, "bulk": 1, "community": "public"});
        json!({
            "host": format!("bench-{number}"), "groups": [{"groupid": group}],
            "templates": templates,
            "interfaces": [interface(1, devices.agent_port), snmp],
        })
    };
    // Parents first.
    let (mut numbers, mut ids) = ((0..args.devices).collect::<Vec<_>>(), BTreeMap::new());
    numbers.sort_by_key(|it| it % BEHIND_ONE != 0);
    let n_parents = args.devices.div_ceil(BEHIND_ONE);
    let (parents, children) = numbers.split_at(n_parents);
    for part in parents.chunks(1_000).chain(children.chunks(1_000)) {
        let hosts: Vec<Value> = part
            .iter()
            .map(|number| {
                let mut host = host(*number);
                if let Some(parent) = ids.get(&(number - number % BEHIND_ONE)) {
                    host["parents"] = json!([{"hostid": parent}]);
                }
                host
            })
            .collect();
        let created = client.ids("host.create", &json!(hosts))?;
        ids.extend(part.iter().copied().zip(created));
    }
    triggers(client, &group)
}

fn create_template(client: &Client, delay: u64) -> Result<String, BenchError> {
    let group = client.ids("templategroup.create", &json!({"name": "Bench"}))?.remove(0);
    let template = json!({"host": "Bench device", "groups": [{"groupid": group}]});
    let template = client.ids("template.create", &template)?.remove(0);
    let items: Vec<Value> = [
        json!({"type": 3, "key_": "icmpping[,1,,,3000]", "value_type": 3}),
        json!({"type": 0, "key_": "agent.value", "value_type": 0}),
        json!({"type": 20, "key_": "snmp.value", "value_type": 0,
            "snmp_oid": "get[1.3.6.1.4.1.8072.9999.9999.1.0]"}),
        json!({"type": 5, "key_": "zabbix[host,agent,available]", "value_type": 3}),
        json!({"type": 5, "key_": "zabbix[host,snmp,available]", "value_type": 3}),
    ]
    .into_iter()
    .map(|mut item| {
        item["hostid"] = json!(template);
        item["name"] = item["key_"].clone();
        item["delay"] = json!(format!("{delay}s"));
        item
    })
    .collect();
    client.ids("item.create", &json!(items))?;
    let triggers = [
        ("Ping", "max(/Bench device/icmpping[,1,,,3000],#3)=0"),
        // 2 is not known yet.
        ("Agent", "last(/Bench device/zabbix[host,agent,available])=0"),
        ("Snmp", "last(/Bench device/zabbix[host,snmp,available])=0"),
    ];
    client.create_triggers(triggers.into_iter().map(
        |(name, expression)| json!({"description": name, "priority": 4, "expression": expression}),
    ))?;
    Ok(template)
}

/// A mail about each problem at once, symptom or not; a webhook about agents that are away, unless they are symptoms by then.
pub(in super::super) fn create_actions(
    client: &Client,
    webhook_step: u64,
    (mails, hooks): (&Sink, &Sink),
) -> Result<(), BenchError> {
    let Receivers { user, mail, hook } = Receivers::create(client, mails, hooks, TEXTS)?;
    let action = |name: &str, step: u64, pauses: &str, media: &str| {
        json!({"name": name, "eventsource": "0", "esc_period": "1m", "status": "0",
            "pause_symptoms": pauses,
            "operations": [{"operationtype": "0", "esc_step_from": step, "esc_step_to": step,
                "opmessage_usr": [{"userid": user}],
                "opmessage": {"default_msg": "1", "mediatypeid": media}}],
            "recovery_operations": [{"operationtype": "11", "opmessage": {"default_msg": "1"}}]})
    };
    client.ids("action.create", &action("Bench mails", 1, "0", &mail))?;
    let mut hooks = action("Bench webhooks", webhook_step, "1", &hook);
    hooks["filter"] = json!({"evaltype": "0", "conditions": [
        {"conditiontype": "3", "operator": "2", "value": "Agent"}]});
    client.ids("action.create", &hooks)?;
    Ok(())
}

fn triggers(client: &Client, group: &str) -> Result<BTreeMap<u64, Configured>, BenchError> {
    let get = json!({"output": ["triggerid", "description"], "selectHosts": ["host"],
        "groupids": [group]});
    let rows = client.call("trigger.get", &get)?;
    let row = |it: &Value| {
        let kind = match it["description"].as_str()? {
            "Ping" => Kind::Ping,
            "Agent" => Kind::Agent,
            "Snmp" => Kind::Snmp,
            _ => return None,
        };
        let device = it["hosts"][0]["host"].as_str()?.strip_prefix("bench-")?.parse().ok()?;
        Some((number(&it["triggerid"]), Configured { device, kind }))
    };
    Ok(rows.as_array().into_iter().flatten().filter_map(row).collect())
}
