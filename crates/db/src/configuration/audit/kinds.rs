//! Audit details of each kind of object, as rows: which of its parts have ids, details of only some
//! kinds, and which values are left out or masked. Paths are those of Zabbix 7.0 without the ids in
//! them.

use std::borrow::Cow;
use std::sync::LazyLock;

use model::map::Map;
use serde_json::{Map as JsonMap, Value as Json};

/// How much Zabbix says of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AuditScope {
    /// All that is added, and of updates each field and part that changes.
    Whole,
    /// Of updates the fields that stand for themselves; nothing of parts, and nothing of what is added.
    Fields,
    /// Nothing: Zabbix has no record of it.
    Nothing,
}

impl AuditScope {
    pub(crate) const fn code(self) -> i64 {
        match self {
            Self::Whole => 1,
            Self::Fields => 2,
            Self::Nothing => 3,
        }
    }

    pub(crate) const fn of_code(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Whole),
            2 => Some(Self::Fields),
            3 => Some(Self::Nothing),
            _ => None,
        }
    }
}

/// How much Zabbix says of what users do to a kind, by its name in methods. Of what the server does by itself all is
/// said.
pub(crate) fn audit_scope(kind: &str) -> AuditScope {
    match kind {
        "drule" | "graph" | "graphprototype" | "host" | "httptest" | "map" | "role" | "trigger"
        | "triggerprototype" | "valuemap" => AuditScope::Fields,
        "hostinterface" | "oncall" => AuditScope::Nothing,
        _ => AuditScope::Whole,
    }
}

/// The field of an object's id.
pub(crate) fn id_field(kind: &str) -> &'static str {
    match kind {
        "action" => "actionid",
        "connector" => "connectorid",
        "correlation" => "correlationid",
        "dashboard" | "templatedashboard" => "dashboardid",
        "discoveryrule" | "discoveryruleprototype" | "item" | "itemprototype" => "itemid",
        "drule" => "druleid",
        "graph" | "graphprototype" => "graphid",
        "host" | "hostprototype" => "hostid",
        "hostgroup" | "templategroup" => "groupid",
        "hostinterface" => "interfaceid",
        "httptest" => "httptestid",
        "iconmap" => "iconmapid",
        "image" => "imageid",
        "maintenance" => "maintenanceid",
        "map" => "sysmapid",
        "mediatype" => "mediatypeid",
        "oncall" => "oncallid",
        "regexp" => "regexpid",
        "role" => "roleid",
        "script" => "scriptid",
        "service" => "serviceid",
        "sla" => "slaid",
        "template" => "templateid",
        "token" => "tokenid",
        "trigger" | "triggerprototype" => "triggerid",
        "user" => "userid",
        "usergroup" => "usrgrpid",
        "usermacro" => "globalmacroid",
        "valuemap" => "valuemapid",
        _ => "",
    }
}

/// A list of parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) path: &'static str,
    /// The field of a part's id in Zabbix.
    pub(crate) id: &'static str,
    /// The fields that identify a part for which the store has no id. None: its place.
    pub(crate) by: &'static [&'static str],
    /// No field of a part is left out for its value.
    pub(crate) is_full: bool,
}

const fn list(path: &'static str, id: &'static str, by: &'static [&'static str]) -> List {
    List { path, id, by, is_full: false }
}

const fn lines(path: &'static str) -> List {
    List { path, id: "sortorder", by: &[], is_full: true }
}

const TAG: &[&str] = &["tag", "value"];
const TAG_CONDITION: &[&str] = &["tag", "operator", "value"];

const LISTS: &[List] = &[
    list(
        "action.filter.conditions",
        "conditionid",
        &["conditiontype", "operator", "value", "value2"],
    ),
    list("action.operations", "operationid", &[]),
    list(
        "action.operations.opconditions",
        "opconditionid",
        &["conditiontype", "operator", "value"],
    ),
    list("action.operations.opmessage_grp", "opmessage_grpid", &["usrgrpid"]),
    list("action.operations.opmessage_usr", "opmessage_usrid", &["userid"]),
    list("action.operations.opmessage_oncall", "oncallid", &["oncallid"]),
    list("action.operations.opcommand_grp", "opcommand_grpid", &["groupid"]),
    list("action.operations.opcommand_hst", "opcommand_hstid", &["hostid"]),
    list("action.operations.opgroup", "opgroupid", &["groupid"]),
    list("action.operations.optemplate", "optemplateid", &["templateid"]),
    list("action.operations.optag", "optagid", TAG),
    list("action.recovery_operations", "operationid", &[]),
    list("action.recovery_operations.opmessage_grp", "opmessage_grpid", &["usrgrpid"]),
    list("action.recovery_operations.opmessage_usr", "opmessage_usrid", &["userid"]),
    list("action.recovery_operations.opmessage_oncall", "oncallid", &["oncallid"]),
    list("action.recovery_operations.opcommand_grp", "opcommand_grpid", &["groupid"]),
    list("action.recovery_operations.opcommand_hst", "opcommand_hstid", &["hostid"]),
    list("action.update_operations", "operationid", &[]),
    list("action.update_operations.opmessage_grp", "opmessage_grpid", &["usrgrpid"]),
    list("action.update_operations.opmessage_usr", "opmessage_usrid", &["userid"]),
    list("action.update_operations.opmessage_oncall", "oncallid", &["oncallid"]),
    list("action.update_operations.opcommand_grp", "opcommand_grpid", &["groupid"]),
    list("action.update_operations.opcommand_hst", "opcommand_hstid", &["hostid"]),
    list("connector.tags", "connector_tagid", TAG_CONDITION),
    list(
        "correlation.filter.conditions",
        "corr_conditionid",
        &["type", "tag", "oldtag", "newtag", "operator", "value", "groupid"],
    ),
    list("correlation.operations", "corr_operationid", &["type"]),
    list("dashboard.users", "dashboard_userid", &["userid"]),
    list("dashboard.userGroups", "dashboard_usrgrpid", &["usrgrpid"]),
    list("dashboard.pages", "dashboard_pageid", &[]),
    list("dashboard.pages.widgets", "widgetid", &[]),
    list("dashboard.pages.widgets.fields", "widget_fieldid", &["type", "name"]),
    list("discoveryrule.filter.conditions", "item_conditionid", &["macro", "operator", "value"]),
    lines("discoveryrule.headers"),
    list("discoveryrule.lld_macro_paths", "lld_macro_pathid", &["lld_macro"]),
    list("discoveryrule.overrides", "lld_overrideid", &["step"]),
    list(
        "discoveryrule.overrides.filter.conditions",
        "lld_override_conditionid",
        &["macro", "operator", "value"],
    ),
    list("discoveryrule.overrides.operations", "lld_override_operationid", &[]),
    list("discoveryrule.overrides.operations.optag", "lld_override_optagid", TAG),
    list(
        "discoveryrule.overrides.operations.optemplate",
        "lld_override_optemplateid",
        &["templateid"],
    ),
    list("discoveryrule.parameters", "item_parameterid", &["name"]),
    list("discoveryrule.preprocessing", "item_preprocid", &[]),
    lines("discoveryrule.query_fields"),
    list("drule.dchecks", "dcheckid", &[]),
    list("graph.gitems", "gitemid", &[]),
    list("graphprototype.gitems", "gitemid", &[]),
    list("host.groups", "hostgroupid", &["groupid"]),
    list("host.interfaces", "interfaceid", &[]),
    list("host.macros", "hostmacroid", &["macro"]),
    list("host.parents", "hostid", &["hostid"]),
    list("host.tags", "hosttagid", TAG),
    list("host.templates", "hosttemplateid", &["templateid"]),
    list("hostgroup.hosts", "hostgroupid", &["hostid"]),
    list("hostprototype.groupLinks", "group_prototypeid", &["groupid"]),
    list("hostprototype.groupPrototypes", "group_prototypeid", &["name"]),
    list("hostprototype.interfaces", "interfaceid", &[]),
    list("hostprototype.macros", "hostmacroid", &["macro"]),
    list("hostprototype.tags", "hosttagid", TAG),
    list("hostprototype.templates", "hosttemplateid", &["templateid"]),
    list("httptest.headers", "httptest_fieldid", &[]),
    list("httptest.steps", "httpstepid", &[]),
    list("httptest.steps.headers", "httpstep_fieldid", &[]),
    list("httptest.steps.posts", "httpstep_fieldid", &[]),
    list("httptest.steps.query_fields", "httpstep_fieldid", &[]),
    list("httptest.steps.variables", "httpstep_fieldid", &["name"]),
    list("httptest.tags", "httptesttagid", TAG),
    list("httptest.variables", "httptest_fieldid", &["name"]),
    list("iconmap.mappings", "iconmappingid", &[]),
    lines("item.headers"),
    list("item.parameters", "item_parameterid", &["name"]),
    list("item.preprocessing", "item_preprocid", &[]),
    list("item.tags", "itemtagid", TAG),
    lines("item.query_fields"),
    lines("itemprototype.headers"),
    list("itemprototype.parameters", "item_parameterid", &["name"]),
    list("itemprototype.preprocessing", "item_preprocid", &[]),
    list("itemprototype.tags", "itemtagid", TAG),
    lines("itemprototype.query_fields"),
    list("maintenance.groups", "maintenance_groupid", &["groupid"]),
    list("maintenance.hosts", "maintenance_hostid", &["hostid"]),
    list("maintenance.tags", "maintenancetagid", TAG_CONDITION),
    list(
        "maintenance.timeperiods",
        "timeperiodid",
        &[
            "timeperiod_type",
            "every",
            "month",
            "dayofweek",
            "day",
            "start_time",
            "period",
            "start_date",
        ],
    ),
    list("map.selements", "selementid", &[]),
    list("map.links", "linkid", &[]),
    list("map.users", "sysmapuserid", &["userid"]),
    list("map.userGroups", "sysmapusrgrpid", &["usrgrpid"]),
    list("map.urls", "sysmapurlid", &["name"]),
    list("mediatype.message_templates", "mediatype_messageid", &["eventsource", "recovery"]),
    list("mediatype.parameters", "mediatype_paramid", &["name", "sortorder"]),
    list(
        "regexp.expressions",
        "expressionid",
        &["expression", "expression_type", "exp_delimiter", "case_sensitive"],
    ),
    list("script.parameters", "script_paramid", &["name"]),
    list("service.children", "linkid", &["serviceid"]),
    list("service.parents", "linkid", &["serviceid"]),
    list("service.problem_tags", "service_problem_tagid", TAG_CONDITION),
    list("service.status_rules", "service_status_ruleid", &["type", "limit_value", "limit_status"]),
    list("service.tags", "servicetagid", TAG),
    list("sla.service_tags", "sla_service_tagid", TAG_CONDITION),
    list("sla.schedule", "sla_scheduleid", &["period_from", "period_to"]),
    list("sla.excluded_downtimes", "sla_excluded_downtimeid", &["period_from", "period_to"]),
    list("template.groups", "hostgroupid", &["groupid"]),
    list("template.macros", "hostmacroid", &["macro"]),
    list("template.tags", "hosttagid", TAG),
    list("template.templates", "hosttemplateid", &["templateid"]),
    list("template.templates_clear", "hosttemplateid", &["templateid"]),
    list("templatedashboard.pages", "dashboard_pageid", &[]),
    list("templatedashboard.pages.widgets", "widgetid", &[]),
    list("templatedashboard.pages.widgets.fields", "widget_fieldid", &["type", "name"]),
    list("templategroup.templates", "hostgroupid", &["templateid"]),
    list("trigger.dependencies", "triggerdepid", &["triggerid"]),
    list("trigger.tags", "triggertagid", TAG),
    list("triggerprototype.dependencies", "triggerdepid", &["triggerid"]),
    list("triggerprototype.tags", "triggertagid", TAG),
    list("user.medias", "mediaid", &[]),
    list("user.usrgrps", "id", &["usrgrpid"]),
    list("usergroup.hostgroup_rights", "rightid", &["id"]),
    list("usergroup.templategroup_rights", "rightid", &["id"]),
    list("usergroup.tag_filters", "tag_filterid", TAG_FILTER),
    list("usergroup.users", "id", &["userid"]),
    list("valuemap.mappings", "valuemap_mappingid", &[]),
];

const TAG_FILTER: &[&str] = &["groupid", "tag", "value"];

/// Prototypes of rules, which Zabbix 7.0 does not have, go by the rows of rules.
fn row_of(path: &str) -> Cow<'_, str> {
    match path.strip_prefix("discoveryruleprototype.") {
        Some(rest) => Cow::Owned(format!("discoveryrule.{rest}")),
        None => Cow::Borrowed(path),
    }
}

/// The list at a path. Lists that no row names go by the places of their parts.
pub(crate) fn list_at(path: &str) -> List {
    static AT: LazyLock<Map<&str, List>> =
        LazyLock::new(|| LISTS.iter().map(|it| (it.path, *it)).collect());
    let found = AT.get(&*row_of(path));
    found.copied().unwrap_or(List { path: "", id: "", by: &[], is_full: false })
}

/// Values that Zabbix's tables have by themselves, where those are neither empty nor 0 nor what the description
/// says.
const USUAL: &[(&str, &str)] = &[
    ("action.esc_period", "1h"),
    ("action.operations.esc_step_from", "1"),
    ("action.operations.esc_step_to", "1"),
    ("action.operations.opmessage.default_msg", "1"),
    ("action.notify_if_canceled", "1"),
    ("action.pause_suppressed", "1"),
    ("action.pause_symptoms", "1"),
    ("action.recovery_operations.esc_step_from", "1"),
    ("action.recovery_operations.esc_step_to", "1"),
    ("action.recovery_operations.opmessage.default_msg", "1"),
    ("action.update_operations.esc_step_from", "1"),
    ("action.update_operations.esc_step_to", "1"),
    ("action.update_operations.opmessage.default_msg", "1"),
    ("dashboard.users.permission", "2"),
    ("dashboard.userGroups.permission", "2"),
    ("dashboard.pages.widgets.height", "2"),
    ("dashboard.pages.widgets.width", "1"),
    ("discoveryrule.enabled_lifetime_type", "2"),
    ("discoveryrule.follow_redirects", "1"),
    ("discoveryrule.lifetime", "7d"),
    ("discoveryrule.status_codes", "200"),
    ("host.inventory_mode", "-1"),
    ("host.ipmi_authtype", "-1"),
    ("host.ipmi_privilege", "2"),
    ("host.tls_accept", "1"),
    ("host.tls_connect", "1"),
    ("hostprototype.interfaces.details.bulk", "1"),
    ("hostprototype.interfaces.details.max_repetitions", "10"),
    ("hostprototype.interfaces.details.version", "2"),
    ("hostprototype.interfaces.ip", "127.0.0.1"),
    ("hostprototype.interfaces.port", "10050"),
    ("hostprototype.interfaces.type", "1"),
    ("hostprototype.interfaces.useip", "1"),
    ("hostprototype.inventory_mode", "-1"),
    ("item.follow_redirects", "1"),
    ("item.history", "31d"),
    ("item.status_codes", "200"),
    ("item.trends", "365d"),
    ("itemprototype.follow_redirects", "1"),
    ("itemprototype.history", "31d"),
    ("itemprototype.status_codes", "200"),
    ("itemprototype.trends", "365d"),
    ("mediatype.content_type", "1"),
    ("mediatype.message_format", "1"),
    ("maintenance.timeperiods.period", "0"),
    ("regexp.expressions.exp_delimiter", ","),
    ("script.execute_on", "2"),
    ("script.host_access", "2"),
    ("script.scope", "1"),
    ("script.type", "5"),
    ("service.status", "-1"),
    ("sla.slo", "99.9"),
    ("sla.timezone", "UTC"),
    ("templatedashboard.pages.widgets.height", "2"),
    ("templatedashboard.pages.widgets.width", "1"),
    ("user.autologout", "15m"),
    ("user.lang", "default"),
    ("user.medias.period", "1-7,00:00-24:00"),
    ("user.medias.quiet_severity", "4"),
    ("user.medias.severity", "63"),
    ("user.refresh", "30s"),
    ("user.rows_per_page", "50"),
    ("user.theme", "default"),
    ("user.timezone", "default"),
];

/// The value that Zabbix's table has by itself, where the description does not say it.
pub(crate) fn usual_at(path: &str) -> Option<&'static str> {
    static AT: LazyLock<Map<&str, &str>> = LazyLock::new(|| USUAL.iter().copied().collect());
    AT.get(&*row_of(path)).copied()
}

/// Fields that are recorded with any value: Zabbix's tables have no default for them.
const ALWAYS: &[&str] = &[
    "mediatype.message_templates.eventsource",
    "mediatype.message_templates.recovery",
    "dashboard.pages.widgets.fields.value",
    "templatedashboard.pages.widgets.fields.value",
];

pub(crate) fn is_always_recorded(path: &str) -> bool {
    ALWAYS.contains(&path)
}

/// Fields that are not recorded: those that only the store has, and those that Zabbix leaves out.
const LEFT_OUT: &[&str] = &["token.creator_userid", "token.created_at", "service.created_at"];

pub(crate) fn is_left_out(path: &str) -> bool {
    LEFT_OUT.contains(&path)
}

/// Fields whose value may never be read later, in any object. Zabbix shows some of them.
const SECRET: &[&str] = &[
    "passwd",
    "current_passwd",
    "password",
    "http_password",
    "privatekey",
    "ssl_key_password",
    "authpassphrase",
    "privpassphrase",
    "snmpv3_authpassphrase",
    "snmpv3_privpassphrase",
    "ipmi_password",
    "community",
    "snmp_community",
    "securityname",
    "token",
    "access_token",
    "refresh_token",
    "client_secret",
    "tls_psk",
    "tls_psk_identity",
];

/// Whether an update has what was given alone. Media types are completed before.
pub(crate) fn is_given_in_part(kind: &str) -> bool {
    kind != "mediatype"
}

const SECRET_MACRO: &str = "1";

/// Whether a field is masked; `part` is what it stands in. The value of a macro is if the macro is secret.
pub(crate) fn is_secret(name: &str, part: &JsonMap<String, Json>) -> bool {
    let is_macro_value = name == "value" && part.contains_key("macro") && part.contains_key("type");
    let is_secret_macro = || match part.get("type") {
        Some(Json::String(it)) => it == SECRET_MACRO,
        Some(Json::Number(it)) => it.as_i64() == Some(1),
        _ => false,
    };
    SECRET.contains(&name) || is_macro_value && is_secret_macro()
}

#[cfg(test)]
mod tests {
    use model::describe::{Field, FieldType};
    use model::map::Set;

    use super::*;
    use crate::configuration::objects;

    #[test]
    fn each_list_stands_in_one_row() {
        let mut paths = Set::default();
        for it in LISTS {
            assert!(paths.insert(it.path), "{} is there twice", it.path);
        }
    }

    fn lists_of(path: &str, fields: &[Field], found: &mut Vec<String>) {
        for it in fields {
            let path = format!("{path}.{}", it.name);
            match it.kind {
                FieldType::List(inner) => {
                    found.push(path.clone());
                    lists_of(&path, inner, found);
                }
                FieldType::Object(inner) => lists_of(&path, inner, found),
                _ => {}
            }
        }
    }

    #[test]
    fn each_fully_recorded_list_of_parts_has_a_row() {
        let mut lists = Vec::new();
        for it in objects::ALL.iter().filter(|it| audit_scope(it.object.name) == AuditScope::Whole)
        {
            lists_of(it.object.name, it.object.fields, &mut lists);
        }
        // Recovery and update operations have fewer parts, and alarms are no part of what is changed.
        let is_known = |it: &str| {
            LISTS.iter().any(|row| row.path == it)
                || it.starts_with("action.recovery_operations.")
                || it.starts_with("action.update_operations.")
                || it.starts_with("service.") && it.contains("alarm")
        };
        let missing: Vec<&String> = lists.iter().filter(|it| !is_known(it)).collect();
        assert!(missing.is_empty(), "no row says what makes a part of these: {missing:?}");
    }

    #[test]
    fn each_object_names_the_field_of_its_id() {
        let singles = ["authentication", "autoregistration", "housekeeping", "settings"];
        for it in objects::ALL.iter().map(|it| &it.object) {
            let expected = if singles.contains(&it.name) { "" } else { it.id };
            assert_eq!(id_field(it.name), expected, "{}", it.name);
        }
    }

    #[test]
    fn audit_scope_codes_are_read_back() {
        for it in [AuditScope::Whole, AuditScope::Fields, AuditScope::Nothing] {
            assert_eq!(AuditScope::of_code(it.code()), Some(it));
        }
        assert_eq!(AuditScope::of_code(0), None, "records of before have no code");
    }
}
