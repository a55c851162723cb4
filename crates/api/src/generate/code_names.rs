//! The names of codes for programs: fields of which files have no names, or that are in no file.
//!
//! The pages use them in place of numbers: `SCRIPT.fields.type.names.WEBHOOK`. A change of a name is seen
//! where the pages do not compile.

type Names = &'static [(&'static str, i64)];

const AND_OR: Names = &[("AND_OR", 0), ("AND", 1), ("OR", 2), ("FORMULA", 3)];
const ENABLED: Names = &[("ENABLED", 0), ("DISABLED", 1)];
const RUNS: Names = &[("DISABLED", 0), ("ENABLED", 1)];
const PLAIN: Names = &[("PLAIN", 0), ("DISCOVERED", 4)];
const RIGHTS: Names = &[("READ", 2), ("READ_WRITE", 3)];
const GROUP_RIGHTS: Names = &[("DENY", 0), ("READ", 2), ("READ_WRITE", 3)];
const SERVICE_TAG: Names = &[("EQUALS", 0), ("CONTAINS", 2)];
const AXIS: Names = &[("CALCULATED", 0), ("FIXED", 1), ("ITEM", 2)];
const MACRO: Names = &[("TEXT", 0), ("SECRET", 1), ("VAULT", 2)];
const EVENT_SOURCE: Names =
    &[("TRIGGER", 0), ("DISCOVERY", 1), ("AUTOREGISTRATION", 2), ("INTERNAL", 3), ("SERVICE", 4)];

/// Object and field, with the fields that it is in.
const TABLE: &[(&str, Names)] = &[
    (
        "action.eventsource",
        &[
            ("TRIGGERS", 0),
            ("DISCOVERY", 1),
            ("AUTOREGISTRATION", 2),
            ("INTERNAL", 3),
            ("SERVICES", 4),
        ],
    ),
    ("action.status", ENABLED),
    ("action.filter.evaltype", AND_OR),
    (
        "action.operations.operationtype",
        &[
            ("MESSAGE", 0),
            ("SCRIPT", 1),
            ("ADD_HOST", 2),
            ("REMOVE_HOST", 3),
            ("ADD_TO_GROUP", 4),
            ("REMOVE_FROM_GROUP", 5),
            ("LINK_TEMPLATE", 6),
            ("UNLINK_TEMPLATE", 7),
            ("ENABLE_HOST", 8),
            ("DISABLE_HOST", 9),
            ("INVENTORY_MODE", 10),
            ("RECOVERY_MESSAGE", 11),
            ("UPDATE_MESSAGE", 12),
            ("ADD_TAGS", 13),
            ("REMOVE_TAGS", 14),
        ],
    ),
    ("alert.status", &[("NOT_SENT", 0), ("SENT", 1), ("FAILED", 2), ("NEW", 3)]),
    ("alert.alerttype", &[("MESSAGE", 0), ("COMMAND", 1)]),
    ("connector.data_type", &[("ITEM_VALUES", 0), ("EVENTS", 1)]),
    (
        "connector.authtype",
        &[("NONE", 0), ("BASIC", 1), ("NTLM", 2), ("KERBEROS", 3), ("DIGEST", 4), ("BEARER", 5)],
    ),
    ("connector.status", RUNS),
    (
        "connector.tags.operator",
        &[
            ("EQUALS", 0),
            ("NOT_EQUALS", 1),
            ("CONTAINS", 2),
            ("NOT_CONTAINS", 3),
            ("EXISTS", 12),
            ("NOT_EXISTS", 13),
        ],
    ),
    ("correlation.status", ENABLED),
    ("correlation.filter.evaltype", AND_OR),
    (
        "correlation.filter.conditions.type",
        &[
            ("OLD_TAG", 0),
            ("NEW_TAG", 1),
            ("NEW_HOST_GROUP", 2),
            ("TAG_PAIR", 3),
            ("OLD_TAG_VALUE", 4),
            ("NEW_TAG_VALUE", 5),
        ],
    ),
    ("correlation.operations.type", &[("CLOSE_OLD", 0), ("CLOSE_NEW", 1)]),
    ("dashboard.users.permission", RIGHTS),
    ("dashboard.userGroups.permission", RIGHTS),
    (
        "drule.dchecks.type",
        &[
            ("SSH", 0),
            ("LDAP", 1),
            ("SMTP", 2),
            ("FTP", 3),
            ("HTTP", 4),
            ("POP", 5),
            ("NNTP", 6),
            ("IMAP", 7),
            ("TCP", 8),
            ("AGENT", 9),
            ("SNMP_V1", 10),
            ("SNMP_V2C", 11),
            ("PING", 12),
            ("SNMP_V3", 13),
            ("HTTPS", 14),
            ("TELNET", 15),
        ],
    ),
    ("drule.dchecks.host_source", &[("DNS", 1), ("IP", 2), ("VALUE", 3)]),
    ("drule.dchecks.name_source", &[("NONE", 0), ("DNS", 1), ("IP", 2), ("VALUE", 3)]),
    ("drule.status", ENABLED),
    ("event.source", EVENT_SOURCE),
    ("graph.ymin_type", AXIS),
    ("graph.ymax_type", AXIS),
    ("graph.gitems.calc_fnc", &[("MIN", 1), ("AVG", 2), ("MAX", 4), ("ALL", 7), ("LAST", 9)]),
    ("graph.gitems.yaxisside", &[("LEFT", 0), ("RIGHT", 1)]),
    ("graph.gitems.type", &[("SIMPLE", 0), ("GRAPH_SUM", 2)]),
    ("host.flags", PLAIN),
    ("host.inventory_mode", &[("DISABLED", -1), ("MANUAL", 0), ("AUTOMATIC", 1)]),
    ("hostinterface.type", &[("AGENT", 1), ("SNMP", 2), ("IPMI", 3), ("JMX", 4)]),
    ("hostinterface.details.version", &[("SNMPV1", 1), ("SNMPV2", 2), ("SNMPV3", 3)]),
    (
        "hostinterface.details.securitylevel",
        &[("NO_AUTH_NO_PRIV", 0), ("AUTH_NO_PRIV", 1), ("AUTH_PRIV", 2)],
    ),
    ("item.flags", PLAIN),
    ("item.state", &[("NORMAL", 0), ("NOT_SUPPORTED", 1)]),
    ("oncall.rotations.unit", &[("HOURS", 0), ("DAYS", 1), ("WEEKS", 2)]),
    ("problem.source", EVENT_SOURCE),
    (
        "regexp.expressions.expression_type",
        &[("INCLUDED", 0), ("ANY_INCLUDED", 1), ("NOT_INCLUDED", 2), ("TRUE", 3), ("FALSE", 4)],
    ),
    (
        "script.type",
        &[("SHELL", 0), ("IPMI", 1), ("SSH", 2), ("TELNET", 3), ("WEBHOOK", 5), ("URL", 6)],
    ),
    ("script.scope", &[("ACTIONS", 1), ("HOSTS", 2), ("EVENTS", 4)]),
    ("script.host_access", &[("READ", 2), ("WRITE", 3)]),
    ("script.manualinput_validator_type", &[("REGULAR_EXPRESSION", 0), ("LIST", 1)]),
    ("service.algorithm", &[("OK", 0), ("MOST_CRITICAL_OF_ALL", 1), ("MOST_CRITICAL", 2)]),
    (
        "service.propagation_rule",
        &[("AS_IS", 0), ("INCREASE", 1), ("DECREASE", 2), ("IGNORE", 3), ("FIXED", 4)],
    ),
    ("service.problem_tags.operator", SERVICE_TAG),
    (
        "sla.period",
        &[("DAILY", 0), ("WEEKLY", 1), ("MONTHLY", 2), ("QUARTERLY", 3), ("ANNUALLY", 4)],
    ),
    ("sla.status", RUNS),
    ("sla.service_tags.operator", SERVICE_TAG),
    ("usergroup.gui_access", &[("DEFAULT", 0), ("INTERNAL", 1), ("LDAP", 2), ("DISABLED", 3)]),
    ("usergroup.hostgroup_rights.permission", GROUP_RIGHTS),
    ("usergroup.templategroup_rights.permission", GROUP_RIGHTS),
    ("usermacro.type", MACRO),
];

/// The names of the codes of a field, by its object and the fields that it is in.
pub(super) fn of(path: &str) -> Names {
    TABLE.iter().find(|(it, _)| *it == path).map_or(&[], |(_, names)| names)
}

#[cfg(test)]
mod tests {
    use model::describe::{Field, FieldType};
    use model::version::Version;

    use super::TABLE;
    use crate::generate::common::entry_of;

    /// The field at a path below fields.
    fn found(fields: &'static [Field], path: &str) -> Option<&'static Field> {
        let (name, rest) = path.split_once('.').map_or((path, None), |(it, rest)| (it, Some(rest)));
        let field = fields.iter().find(|it| it.name == name)?;
        match (rest, field.kind) {
            (None, _) => Some(field),
            (Some(rest), FieldType::List(parts) | FieldType::Object(parts)) => found(parts, rest),
            (Some(_), _) => None,
        }
    }

    #[test]
    fn names_of_codes_are_those_of_described_fields() {
        for (path, names) in TABLE {
            let (object, below) = path.split_once('.').expect("an object and a field");
            let fields = entry_of(object).object.at(Version::default()).fields;
            let field = found(fields, below).unwrap_or_else(|| panic!("no field {path}"));
            assert!(field.constants.is_empty(), "{path} has names in files");
            if let FieldType::Code(codes) = field.kind {
                let mut named: Vec<i64> = names.iter().map(|(_, code)| *code).collect();
                let mut described = codes.to_vec();
                named.sort_unstable();
                described.sort_unstable();
                assert_eq!(named, described, "{path}");
            }
        }
    }
}
