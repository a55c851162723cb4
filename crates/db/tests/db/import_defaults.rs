//! Rules of the format for fields that a file leaves out, and of fields that an object of its type
//! does not have: one line per property of the format of 7.0.

use db::{Actor, ImportFormat, ImportReport, ImportRules};
use serde_json::{Value as Json, json};

use crate::common::{Store, on_both};

fn uuid(n: u32) -> String {
    format!("d00000000000400080000000000000{n:02}")
}

/// One of everything, with nothing but what has to be there.
fn least(version: &str) -> Json {
    let item = |n: u32, kind: &str| json!({"uuid": uuid(n), "name": kind, "key": kind.to_lowercase(), "type": kind});
    let with = |mut item: Json, more: Json| {
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        item
    };
    let trigger = |n: u32, name: &str, key: &str| json!({"uuid": uuid(n), "name": name, "expression": format!("last(/T/{key})=0")});
    let graph = |n: u32, name: &str, key: &str| json!({"uuid": uuid(n), "name": name, "graph_items": [{"item": {"host": "T", "key": key}}]});
    let items = json!([
        with(
            item(11, "ZABBIX_PASSIVE"),
            json!({
                "triggers": [trigger(31, "t", "zabbix_passive")], "tags": [{"tag": "a"}],
                "preprocessing": [
                    {"type": "MULTIPLIER", "parameters": ["8"]}, {"type": "TRIM", "parameters": [" "]},
                    {"type": "XML_TO_JSON"}],
            })
        ),
        item(12, "TRAP"),
        item(13, "ZABBIX_ACTIVE"),
        with(
            item(14, "HTTP_AGENT"),
            json!({"url": "http://localhost", "preprocessing": [
            {"type": "CHECK_NOT_SUPPORTED", "parameters": ["-1"]}]})
        ),
        with(item(15, "SNMP_AGENT"), json!({"snmp_oid": "1.3.6.1"})),
        with(item(16, "JMX"), json!({"key": "jmx[a,b]"})),
        with(item(17, "SSH"), json!({"key": "ssh.run[a]", "username": "u", "params": "id"})),
        with(item(18, "SCRIPT"), json!({"params": "return 1", "parameters": [{"name": "p"}]})),
        with(item(19, "CALCULATED"), json!({"params": "last(//trap)"})),
        with(item(20, "DEPENDENT"), json!({"master_item": {"key": "trap"}})),
        with(item(21, "INTERNAL"), json!({"key": "zabbix[host,,items]", "value_type": "TEXT"})),
        with(item(22, "SIMPLE"), json!({"key": "icmpping", "value_type": "LOG"})),
    ]);
    let rule = json!({
        "uuid": uuid(40), "name": "Rule", "key": "rule",
        "filter": {"conditions": [{"macro": "{#A}"}]},
        "overrides": [{"name": "o", "step": "1", "filter": {"conditions": [{"macro": "{#A}"}]},
            "operations": [{"operationobject": "ITEM_PROTOTYPE", "discover": "NO_DISCOVER"}]}],
        "item_prototypes": [
            {"uuid": uuid(41), "name": "p", "key": "p[{#A}]",
             "trigger_prototypes": [trigger(42, "tp", "p[{#A}]")]}],
        "graph_prototypes": [graph(43, "gp", "p[{#A}]")],
        "host_prototypes": [{"uuid": uuid(44), "host": "{#H}", "custom_interfaces": "YES",
            "group_links": [{"group": {"name": "Hosts"}}], "macros": [{"macro": "{$M}"}],
            "interfaces": [{}, {"type": "SNMP", "details": {"community": "c"}}]}],
    });
    let scenario = json!({"uuid": uuid(50), "name": "w",
        "steps": [{"name": "s", "url": "http://localhost", "query_fields": [{"name": "q"}]}]});
    let dashboard = json!({"uuid": uuid(60), "name": "d", "pages": [{"widgets": [
        {"type": "clock", "width": "12"}]}]});
    let template = json!({
        "uuid": uuid(2), "template": "T", "groups": [{"name": "Templates/Own"}],
        "items": items, "discovery_rules": [rule], "httptests": [scenario], "dashboards": [dashboard],
        "macros": [{"macro": "{$M}"}], "tags": [{"tag": "a"}],
        "valuemaps": [{"uuid": uuid(70), "name": "v", "mappings": [{"newvalue": "x"}]}],
    });
    let host = json!({
        "host": "h", "groups": [{"name": "Hosts"}],
        "interfaces": [
            {"interface_ref": "if1"},
            {"type": "SNMP", "details": {"community": "c"}, "interface_ref": "if2"}],
        "discovery_rules": [{"name": "r", "key": "r", "interface_ref": "if1", "host_prototypes": [
            {"host": "{#H}", "group_links": [{"group": {"name": "Hosts"}}]}]}],
    });
    json!({"zabbix_export": {
        "version": version,
        "host_groups": [{"uuid": uuid(4), "name": "Hosts"}],
        "template_groups": [{"uuid": uuid(1), "name": "Templates/Own"}],
        "templates": [template], "hosts": [host],
        "triggers": [{"uuid": uuid(80), "name": "two", "expression": "last(/T/trap)=last(/T/zabbix_active)"}],
        "graphs": [graph(81, "g", "trap")],
        "media_types": [
            {"name": "mail", "type": "EMAIL", "smtp_server": "m", "smtp_email": "a@b.example"},
            {"name": "hook", "type": "WEBHOOK", "script": "return 1", "parameters": [{"name": "p"}],
             "message_templates": [{"event_source": "TRIGGERS", "operation_mode": "PROBLEM"}]}],
    }})
}

const TEMPLATE: &str = "/templates/0";
const AGENT: &str = "/templates/0/items/0";
const TRAP: &str = "/templates/0/items/1";
const ACTIVE: &str = "/templates/0/items/2";
const HTTP: &str = "/templates/0/items/3";
const SNMP: &str = "/templates/0/items/4";
const JMX: &str = "/templates/0/items/5";
const SSH: &str = "/templates/0/items/6";
const SCRIPT: &str = "/templates/0/items/7";
const CALCULATED: &str = "/templates/0/items/8";
const DEPENDENT: &str = "/templates/0/items/9";
const TEXT: &str = "/templates/0/items/10";
const LOG: &str = "/templates/0/items/11";
const TRIGGER: &str = "/templates/0/items/0/triggers/0";
const RULE: &str = "/templates/0/discovery_rules/0";
const PROTOTYPE: &str = "/templates/0/discovery_rules/0/item_prototypes/0";
const TRIGGER_PROTOTYPE: &str =
    "/templates/0/discovery_rules/0/item_prototypes/0/trigger_prototypes/0";
const GRAPH_PROTOTYPE: &str = "/templates/0/discovery_rules/0/graph_prototypes/0";
const HOST_PROTOTYPE: &str = "/templates/0/discovery_rules/0/host_prototypes/0";
const OVERRIDE: &str = "/templates/0/discovery_rules/0/overrides/0";
const WEB: &str = "/templates/0/httptests/0";
const DASHBOARD: &str = "/templates/0/dashboards/0";
const HOST: &str = "/hosts/0";
const MAIL: &str = "/media_types/0";
const HOOK: &str = "/media_types/1";

/// Where, the field, its default, and a value that is another one; no such value where none is right
/// by itself.
const DEFAULTS: &[(&str, &str, &str, &str, &str)] = &[
    (TEMPLATE, "", "name", "T", "Other"),
    (TEMPLATE, "", "description", "", "text"),
    (TEMPLATE, "/tags/0", "value", "", "v"),
    (TEMPLATE, "/macros/0", "value", "", "v"),
    (TEMPLATE, "/macros/0", "description", "", "v"),
    (TEMPLATE, "/macros/0", "type", "TEXT", "SECRET_TEXT"),
    (TEMPLATE, "/valuemaps/0/mappings/0", "type", "EQUAL", "DEFAULT"),
    (TEMPLATE, "/valuemaps/0/mappings/0", "value", "", "1"),
    (AGENT, "", "type", "ZABBIX_PASSIVE", "ZABBIX_ACTIVE"),
    (AGENT, "", "delay", "1m", "2m"),
    (AGENT, "", "history", "31d", "90d"),
    (AGENT, "", "trends", "365d", "1d"),
    (AGENT, "", "value_type", "UNSIGNED", "FLOAT"),
    (AGENT, "", "status", "ENABLED", "DISABLED"),
    (AGENT, "", "units", "", "B"),
    (AGENT, "", "description", "", "text"),
    (AGENT, "", "inventory_link", "NONE", "OS"),
    (AGENT, "", "timeout", "", "5s"),
    (AGENT, "/tags/0", "value", "", "v"),
    (AGENT, "/preprocessing/0", "error_handler", "ORIGINAL_ERROR", "DISCARD_VALUE"),
    (AGENT, "/preprocessing/0", "error_handler_params", "", ""),
    (TRAP, "", "allowed_hosts", "", "localhost"),
    (ACTIVE, "", "delay", "1m", "2m"),
    (HTTP, "", "allow_traps", "NO", "YES"),
    (HTTP, "", "authtype", "NONE", ""),
    (HTTP, "", "status_codes", "200", "404"),
    (HTTP, "", "follow_redirects", "YES", "NO"),
    (HTTP, "", "post_type", "RAW", ""),
    (HTTP, "", "posts", "", "x"),
    (HTTP, "", "http_proxy", "", "p"),
    (HTTP, "", "retrieve_mode", "BODY", "HEADERS"),
    (HTTP, "", "request_method", "GET", "POST"),
    (HTTP, "", "output_format", "RAW", "JSON"),
    (HTTP, "", "ssl_cert_file", "", "f"),
    (HTTP, "", "ssl_key_file", "", "f"),
    (HTTP, "", "ssl_key_password", "", "p"),
    (HTTP, "", "verify_peer", "NO", "YES"),
    (HTTP, "", "verify_host", "NO", "YES"),
    (HTTP, "", "timeout", "", "5s"),
    (HTTP, "", "delay", "1m", "2m"),
    (HTTP, "/preprocessing/0", "error_handler", "DISCARD_VALUE", "CUSTOM_VALUE"),
    (SNMP, "", "delay", "1m", "2m"),
    (JMX, "", "username", "", ""),
    (JMX, "", "password", "", ""),
    (SSH, "", "authtype", "PASSWORD", ""),
    (SSH, "", "password", "", "p"),
    (SCRIPT, "", "timeout", "", "5s"),
    (SCRIPT, "/parameters/0", "value", "", "v"),
    (CALCULATED, "", "delay", "1m", "2m"),
    (LOG, "", "logtimefmt", "", "yyyy"),
    (TRIGGER, "", "recovery_mode", "EXPRESSION", "NONE"),
    (TRIGGER, "", "recovery_expression", "", ""),
    (TRIGGER, "", "correlation_mode", "DISABLED", ""),
    (TRIGGER, "", "correlation_tag", "", ""),
    (TRIGGER, "", "event_name", "", "e"),
    (TRIGGER, "", "opdata", "", "o"),
    (TRIGGER, "", "url_name", "", "u"),
    (TRIGGER, "", "url", "", "http://localhost"),
    (TRIGGER, "", "status", "ENABLED", "DISABLED"),
    (TRIGGER, "", "priority", "NOT_CLASSIFIED", "HIGH"),
    (TRIGGER, "", "description", "", "text"),
    (TRIGGER, "", "type", "SINGLE", "MULTIPLE"),
    (TRIGGER, "", "manual_close", "NO", "YES"),
    (TRIGGER_PROTOTYPE, "", "discover", "DISCOVER", "NO_DISCOVER"),
    (TRIGGER_PROTOTYPE, "", "priority", "NOT_CLASSIFIED", "HIGH"),
    (RULE, "", "type", "ZABBIX_PASSIVE", "ZABBIX_ACTIVE"),
    (RULE, "", "delay", "1m", "2m"),
    (RULE, "", "status", "ENABLED", "DISABLED"),
    (RULE, "", "description", "", "text"),
    (RULE, "", "lifetime_type", "DELETE_AFTER", "DELETE_NEVER"),
    (RULE, "", "lifetime", "7d", "8d"),
    (RULE, "", "enabled_lifetime_type", "DISABLE_IMMEDIATELY", "DISABLE_NEVER"),
    (RULE, "/filter", "evaltype", "AND_OR", "OR"),
    (RULE, "/filter/conditions/0", "operator", "MATCHES_REGEX", "NOT_MATCHES_REGEX"),
    (RULE, "/filter/conditions/0", "value", "", "v"),
    (OVERRIDE, "", "stop", "NO_STOP", "STOP"),
    (OVERRIDE, "/filter", "evaltype", "AND_OR", "OR"),
    (OVERRIDE, "/filter/conditions/0", "operator", "MATCHES_REGEX", "NOT_MATCHES_REGEX"),
    (OVERRIDE, "/operations/0", "operator", "EQUAL", "LIKE"),
    (OVERRIDE, "/operations/0", "value", "", "v"),
    (PROTOTYPE, "", "discover", "DISCOVER", "NO_DISCOVER"),
    (PROTOTYPE, "", "history", "31d", "90d"),
    (PROTOTYPE, "", "trends", "365d", "1d"),
    (PROTOTYPE, "", "value_type", "UNSIGNED", "FLOAT"),
    (GRAPH_PROTOTYPE, "", "width", "900", "800"),
    (GRAPH_PROTOTYPE, "", "height", "200", "300"),
    (GRAPH_PROTOTYPE, "", "yaxismin", "0", "1"),
    (GRAPH_PROTOTYPE, "", "yaxismax", "100", "99"),
    (GRAPH_PROTOTYPE, "", "show_work_period", "YES", "NO"),
    (GRAPH_PROTOTYPE, "", "show_triggers", "YES", "NO"),
    (GRAPH_PROTOTYPE, "", "type", "NORMAL", "STACKED"),
    (GRAPH_PROTOTYPE, "", "show_legend", "YES", "NO"),
    (GRAPH_PROTOTYPE, "", "show_3d", "NO", ""),
    (GRAPH_PROTOTYPE, "", "percent_left", "0", "1"),
    (GRAPH_PROTOTYPE, "", "percent_right", "0", "1"),
    (GRAPH_PROTOTYPE, "", "ymin_type_1", "CALCULATED", "FIXED"),
    (GRAPH_PROTOTYPE, "", "ymax_type_1", "CALCULATED", "FIXED"),
    (GRAPH_PROTOTYPE, "", "ymin_item_1", "0", ""),
    (GRAPH_PROTOTYPE, "", "ymax_item_1", "0", ""),
    (GRAPH_PROTOTYPE, "", "discover", "DISCOVER", "NO_DISCOVER"),
    (GRAPH_PROTOTYPE, "/graph_items/0", "sortorder", "0", "1"),
    (GRAPH_PROTOTYPE, "/graph_items/0", "drawtype", "SINGLE_LINE", "BOLD_LINE"),
    (GRAPH_PROTOTYPE, "/graph_items/0", "color", "009600", "FF0000"),
    (GRAPH_PROTOTYPE, "/graph_items/0", "yaxisside", "LEFT", "RIGHT"),
    (GRAPH_PROTOTYPE, "/graph_items/0", "calc_fnc", "AVG", "MAX"),
    (GRAPH_PROTOTYPE, "/graph_items/0", "type", "SIMPLE", ""),
    (HOST_PROTOTYPE, "", "name", "{#H}", "{#H} x"),
    (HOST_PROTOTYPE, "", "status", "ENABLED", "DISABLED"),
    (HOST_PROTOTYPE, "", "discover", "DISCOVER", "NO_DISCOVER"),
    (HOST_PROTOTYPE, "", "inventory_mode", "DISABLED", "MANUAL"),
    (HOST_PROTOTYPE, "/macros/0", "value", "", "v"),
    (HOST_PROTOTYPE, "/macros/0", "type", "TEXT", "SECRET_TEXT"),
    (HOST_PROTOTYPE, "/interfaces/0", "default", "YES", ""),
    (HOST_PROTOTYPE, "/interfaces/0", "type", "ZABBIX", "IPMI"),
    (HOST_PROTOTYPE, "/interfaces/0", "useip", "YES", ""),
    (HOST_PROTOTYPE, "/interfaces/0", "ip", "127.0.0.1", "127.0.0.2"),
    (HOST_PROTOTYPE, "/interfaces/0", "dns", "", "d"),
    (HOST_PROTOTYPE, "/interfaces/0", "port", "10050", "1"),
    (HOST_PROTOTYPE, "/interfaces/1/details", "version", "SNMPV2", "SNMPV1"),
    (HOST_PROTOTYPE, "/interfaces/1/details", "bulk", "YES", "NO"),
    (HOST_PROTOTYPE, "/interfaces/1/details", "max_repetitions", "10", "11"),
    (WEB, "", "delay", "1m", "2m"),
    (WEB, "", "attempts", "1", "2"),
    (WEB, "", "agent", "Zabbix", "a"),
    (WEB, "", "http_proxy", "", "p"),
    (WEB, "", "status", "ENABLED", "DISABLED"),
    (WEB, "", "authentication", "NONE", ""),
    (WEB, "", "http_user", "", ""),
    (WEB, "", "http_password", "", ""),
    (WEB, "", "verify_peer", "NO", "YES"),
    (WEB, "", "verify_host", "NO", "YES"),
    (WEB, "", "ssl_cert_file", "", "f"),
    (WEB, "", "ssl_key_file", "", "f"),
    (WEB, "", "ssl_key_password", "", "p"),
    (WEB, "/steps/0", "posts", "", "x"),
    (WEB, "/steps/0", "follow_redirects", "YES", "NO"),
    (WEB, "/steps/0", "retrieve_mode", "BODY", "BOTH"),
    (WEB, "/steps/0", "timeout", "15s", "5s"),
    (WEB, "/steps/0", "required", "", "x"),
    (WEB, "/steps/0", "status_codes", "", "200"),
    (WEB, "/steps/0/query_fields/0", "value", "", "v"),
    (DASHBOARD, "", "display_period", "30", "10"),
    (DASHBOARD, "", "auto_start", "YES", "NO"),
    (DASHBOARD, "/pages/0", "name", "", "n"),
    (DASHBOARD, "/pages/0", "display_period", "0", "10"),
    (DASHBOARD, "/pages/0/widgets/0", "name", "", "n"),
    (DASHBOARD, "/pages/0/widgets/0", "x", "0", "1"),
    (DASHBOARD, "/pages/0/widgets/0", "y", "0", "1"),
    (DASHBOARD, "/pages/0/widgets/0", "height", "2", "3"),
    (DASHBOARD, "/pages/0/widgets/0", "hide_header", "NO", "YES"),
    (HOST, "", "name", "h", "other"),
    (HOST, "", "description", "", "text"),
    (HOST, "", "status", "ENABLED", "DISABLED"),
    (HOST, "", "ipmi_authtype", "DEFAULT", "MD5"),
    (HOST, "", "ipmi_privilege", "USER", "ADMIN"),
    (HOST, "", "ipmi_username", "", "u"),
    (HOST, "", "ipmi_password", "", "p"),
    (HOST, "", "inventory_mode", "MANUAL", "DISABLED"),
    (HOST, "", "monitored_by", "SERVER", ""),
    (HOST, "/interfaces/0", "default", "YES", ""),
    (HOST, "/interfaces/0", "type", "ZABBIX", ""),
    (HOST, "/interfaces/0", "useip", "YES", ""),
    (HOST, "/interfaces/0", "ip", "127.0.0.1", "127.0.0.2"),
    (HOST, "/interfaces/0", "dns", "", "d"),
    (HOST, "/interfaces/0", "port", "10050", "1"),
    (HOST, "/interfaces/1/details", "version", "SNMPV2", "SNMPV1"),
    (HOST, "/interfaces/1/details", "bulk", "YES", "NO"),
    (HOST, "/interfaces/1/details", "max_repetitions", "10", "11"),
    (HOST, "/interfaces/1/details", "contextname", "", ""),
    (HOST, "/interfaces/1/details", "securityname", "", ""),
    (HOST, "/interfaces/1/details", "securitylevel", "NOAUTHNOPRIV", ""),
    (HOST, "/interfaces/1/details", "authprotocol", "MD5", ""),
    (HOST, "/interfaces/1/details", "authpassphrase", "", ""),
    (HOST, "/interfaces/1/details", "privprotocol", "DES", ""),
    (HOST, "/interfaces/1/details", "privpassphrase", "", ""),
    (HOST, "/discovery_rules/0/host_prototypes/0", "inventory_mode", "MANUAL", "DISABLED"),
    (MAIL, "", "provider", "SMTP", ""),
    (MAIL, "", "smtp_port", "25", "26"),
    (MAIL, "", "smtp_helo", "", "h"),
    (MAIL, "", "smtp_security", "NONE", "STARTTLS"),
    (MAIL, "", "smtp_verify_host", "NO", ""),
    (MAIL, "", "smtp_verify_peer", "NO", ""),
    (MAIL, "", "smtp_authentication", "NONE", ""),
    (MAIL, "", "username", "", ""),
    (MAIL, "", "password", "", ""),
    (MAIL, "", "message_format", "HTML", "TEXT"),
    (MAIL, "", "status", "ENABLED", "DISABLED"),
    (MAIL, "", "max_sessions", "1", "2"),
    (MAIL, "", "attempts", "3", "4"),
    (MAIL, "", "attempt_interval", "10s", "11s"),
    (MAIL, "", "description", "", "text"),
    (HOOK, "", "timeout", "30s", "5s"),
    (HOOK, "", "process_tags", "NO", "YES"),
    (HOOK, "", "show_event_menu", "NO", ""),
    (HOOK, "", "event_menu_url", "", ""),
    (HOOK, "", "event_menu_name", "", ""),
    (HOOK, "/parameters/0", "value", "", "v"),
    (HOOK, "/message_templates/0", "subject", "", "s"),
    (HOOK, "/message_templates/0", "message", "", "m"),
    ("/triggers/0", "", "priority", "NOT_CLASSIFIED", "HIGH"),
    ("/triggers/0", "", "recovery_expression", "", ""),
    ("/graphs/0", "", "width", "900", "800"),
    ("/graphs/0", "", "show_triggers", "YES", "NO"),
    ("/graphs/0", "/graph_items/0", "color", "009600", "FF0000"),
];

/// Fields that objects of the type do not have: they mean nothing there, whatever they say.
const IGNORED: &[(&str, &str, &str, &str)] = &[
    (AGENT, "", "snmp_oid", "1.2.3"),
    (AGENT, "", "params", "x"),
    (AGENT, "", "ipmi_sensor", "x"),
    (AGENT, "", "authtype", "BASIC"),
    (AGENT, "", "username", "u"),
    (AGENT, "", "password", "p"),
    (AGENT, "", "publickey", "k"),
    (AGENT, "", "privatekey", "k"),
    (AGENT, "", "logtimefmt", "yyyy"),
    (AGENT, "", "jmx_endpoint", "x"),
    (AGENT, "", "url", "http://localhost"),
    (AGENT, "", "posts", "x"),
    (AGENT, "", "status_codes", "404"),
    (AGENT, "", "follow_redirects", "NO"),
    (AGENT, "", "post_type", "JSON"),
    (AGENT, "", "http_proxy", "x"),
    (AGENT, "", "retrieve_mode", "BOTH"),
    (AGENT, "", "request_method", "POST"),
    (AGENT, "", "output_format", "JSON"),
    (AGENT, "", "allow_traps", "YES"),
    (AGENT, "", "allowed_hosts", "localhost"),
    (AGENT, "", "ssl_cert_file", "x"),
    (AGENT, "", "ssl_key_file", "x"),
    (AGENT, "", "ssl_key_password", "x"),
    (AGENT, "", "verify_peer", "YES"),
    (AGENT, "", "verify_host", "YES"),
    (AGENT, "/preprocessing/1", "error_handler", "DISCARD_VALUE"),
    (AGENT, "/preprocessing/0", "error_handler_params", "x"),
    (TRAP, "", "delay", "5m"),
    (TRAP, "", "timeout", "5s"),
    (HTTP, "", "allowed_hosts", "localhost"),
    (HTTP, "", "username", "u"),
    (HTTP, "", "password", "p"),
    (JMX, "", "timeout", "5s"),
    (SSH, "", "publickey", "k"),
    (SSH, "", "privatekey", "k"),
    (CALCULATED, "", "timeout", "5s"),
    (DEPENDENT, "", "delay", "5m"),
    (TEXT, "", "trends", "5d"),
    (TEXT, "", "units", "B"),
    (TEXT, "", "timeout", "5s"),
    (LOG, "", "trends", "5d"),
    (LOG, "", "units", "B"),
    (LOG, "", "inventory_link", "OS"),
    (RULE, "", "url", "http://localhost"),
    (RULE, "", "enabled_lifetime", "5d"),
    (RULE, "/filter", "formula", "A"),
    (OVERRIDE, "/filter", "formula", "A"),
    (OVERRIDE, "/operations/0", "severity", "HIGH"),
    (OVERRIDE, "/operations/0", "inventory_mode", "MANUAL"),
    (PROTOTYPE, "", "url", "http://localhost"),
];

fn import(store: &Store, file: &Json) -> Result<ImportReport, String> {
    let text = file.to_string();
    let rules = ImportRules::ALL;
    store.db.import(Actor::System, &text, ImportFormat::Json, &rules).map_err(|it| it.text())
}

/// The file with one more field.
fn with(file: &Json, (at, below, name, value): (&str, &str, &str, Json)) -> Json {
    let mut file = file.clone();
    let path = format!("/zabbix_export{at}{below}");
    file.pointer_mut(&path).unwrap_or_else(|| panic!("{path}"))[name] = value;
    file
}

#[test]
fn fields_missing_in_a_file_have_the_format_default() {
    on_both(|store| {
        let file = least("7.0");
        import(store, &file).unwrap();
        let mut wrong = Vec::new();
        for (at, below, name, default, other) in DEFAULTS {
            let same = with(&file, (at, below, name, (*default).into()));
            match import(store, &same) {
                Ok(report) if report.changes.is_empty() => {}
                Ok(report) => {
                    wrong.push(format!("{at}{below}/{name} = {default}: {:?}", report.changes));
                    import(store, &file).unwrap();
                }
                Err(error) => wrong.push(format!("{at}{below}/{name} = {default}: {error}")),
            }
            if other.is_empty() {
                continue;
            }
            match import(store, &with(&file, (at, below, name, (*other).into()))) {
                Ok(report) if !report.changes.is_empty() => {}
                Ok(_) => wrong.push(format!("{at}{below}/{name} = {other}: says nothing")),
                Err(error) => wrong.push(format!("{at}{below}/{name} = {other}: {error}")),
            }
            // And back to what it was.
            import(store, &file).unwrap();
        }
        assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), DEFAULTS.len());
    });
}

#[test]
fn fields_that_a_type_does_not_have_mean_nothing() {
    on_both(|store| {
        let file = least("7.0");
        import(store, &file).unwrap();
        let mut wrong = Vec::new();
        for (at, below, name, value) in IGNORED {
            match import(store, &with(&file, (at, below, name, (*value).into()))) {
                Ok(report) if report.changes.is_empty() => {}
                Ok(report) => {
                    wrong.push(format!("{at}{below}/{name}: {:?}", report.changes));
                    import(store, &file).unwrap();
                }
                Err(error) => wrong.push(format!("{at}{below}/{name}: {error}")),
            }
        }
        assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), IGNORED.len());
    });
}
