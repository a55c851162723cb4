//! Names of the API's codes in files.

/// Names of constants with the API's codes.
pub(crate) type Codes = &'static [(&'static str, i64)];

pub(crate) const ITEM_TYPES: Codes = &[
    ("ZABBIX_PASSIVE", 0),
    ("TRAP", 2),
    ("SIMPLE", 3),
    ("INTERNAL", 5),
    ("ZABBIX_ACTIVE", 7),
    ("EXTERNAL", 10),
    ("ODBC", 11),
    ("IPMI", 12),
    ("SSH", 13),
    ("TELNET", 14),
    ("CALCULATED", 15),
    ("JMX", 16),
    ("SNMP_TRAP", 17),
    ("DEPENDENT", 18),
    ("HTTP_AGENT", 19),
    ("SNMP_AGENT", 20),
    ("SCRIPT", 21),
    ("BROWSER", 22),
    ("NESTED", 23),
];

pub(crate) const VALUE_TYPES: Codes =
    &[("FLOAT", 0), ("CHAR", 1), ("LOG", 2), ("UNSIGNED", 3), ("TEXT", 4), ("BINARY", 5)];

pub(crate) const STEPS: Codes = &[
    ("MULTIPLIER", 1),
    ("RTRIM", 2),
    ("LTRIM", 3),
    ("TRIM", 4),
    ("REGEX", 5),
    ("BOOL_TO_DECIMAL", 6),
    ("OCTAL_TO_DECIMAL", 7),
    ("HEX_TO_DECIMAL", 8),
    ("SIMPLE_CHANGE", 9),
    ("CHANGE_PER_SECOND", 10),
    ("XMLPATH", 11),
    ("JSONPATH", 12),
    ("IN_RANGE", 13),
    ("MATCHES_REGEX", 14),
    ("NOT_MATCHES_REGEX", 15),
    ("CHECK_JSON_ERROR", 16),
    ("CHECK_XML_ERROR", 17),
    ("CHECK_REGEX_ERROR", 18),
    ("DISCARD_UNCHANGED", 19),
    ("DISCARD_UNCHANGED_HEARTBEAT", 20),
    ("JAVASCRIPT", 21),
    ("PROMETHEUS_PATTERN", 22),
    ("PROMETHEUS_TO_JSON", 23),
    ("CSV_TO_JSON", 24),
    ("STR_REPLACE", 25),
    ("CHECK_NOT_SUPPORTED", 26),
    ("XML_TO_JSON", 27),
    ("SNMP_WALK_VALUE", 28),
    ("SNMP_WALK_TO_JSON", 29),
    ("SNMP_GET_VALUE", 30),
    ("AGGREGATE_OVER_TIME", 1001),
    ("FILTER_JSON_FIELDS", 1002),
    ("DISPATCH_TO_HOSTS", 1003),
];

pub(crate) const ON_FAIL: Codes =
    &[("ORIGINAL_ERROR", 0), ("DISCARD_VALUE", 1), ("CUSTOM_VALUE", 2), ("CUSTOM_ERROR", 3)];

/// Of HTTP agents and web scenarios.
pub(crate) const AUTH_TYPES: Codes =
    &[("NONE", 0), ("BASIC", 1), ("NTLM", 2), ("KERBEROS", 3), ("DIGEST", 4)];

pub(crate) const SSH_AUTH_TYPES: Codes = &[("PASSWORD", 0), ("PUBLIC_KEY", 1)];

pub(crate) const NO_YES: Codes = &[("NO", 0), ("YES", 1)];

pub(crate) const ENABLED: Codes = &[("ENABLED", 0), ("DISABLED", 1)];

/// Of prototypes.
pub(crate) const DISCOVER: Codes = &[("DISCOVER", 0), ("NO_DISCOVER", 1)];

pub(crate) const POST_TYPES: Codes = &[("RAW", 0), ("JSON", 2), ("XML", 3)];

pub(crate) const REQUEST_METHODS: Codes = &[("GET", 0), ("POST", 1), ("PUT", 2), ("HEAD", 3)];

pub(crate) const RETRIEVE_MODES: Codes = &[("BODY", 0), ("HEADERS", 1), ("BOTH", 2)];

pub(crate) const OUTPUT_FORMATS: Codes = &[("RAW", 0), ("JSON", 1)];

/// When what a rule has lost is deleted.
pub(crate) const LIFETIMES: Codes =
    &[("DELETE_AFTER", 0), ("DELETE_NEVER", 1), ("DELETE_IMMEDIATELY", 2)];

/// When what a rule has lost is disabled.
pub(crate) const ENABLED_LIFETIMES: Codes =
    &[("DISABLE_AFTER", 0), ("DISABLE_NEVER", 1), ("DISABLE_IMMEDIATELY", 2)];

/// Of JMX items, where none is given.
pub(crate) const JMX_ENDPOINT: &str =
    "service:jmx:rmi:///jndi/rmi://{HOST.CONN}:{HOST.PORT}/jmxrmi";

/// Prototypes that operations of overrides are about.
pub(crate) const OPERATION_OBJECTS: Codes = &[
    ("ITEM_PROTOTYPE", 0),
    ("TRIGGER_PROTOTYPE", 1),
    ("GRAPH_PROTOTYPE", 2),
    ("HOST_PROTOTYPE", 3),
    ("DISCOVERY_PROTOTYPE", 4),
];

/// How operations of overrides compare names.
pub(crate) const OPERATION_OPERATORS: Codes = &[
    ("EQUAL", 0),
    ("NOT_EQUAL", 1),
    ("LIKE", 2),
    ("NOT_LIKE", 3),
    ("REGEXP", 8),
    ("NOT_REGEXP", 9),
];

pub(crate) const SEVERITIES: Codes = &[
    ("NOT_CLASSIFIED", 0),
    ("INFO", 1),
    ("WARNING", 2),
    ("AVERAGE", 3),
    ("HIGH", 4),
    ("DISASTER", 5),
];

/// How conditions of a filter are joined.
pub(crate) const FILTER_KINDS: Codes = &[("AND_OR", 0), ("AND", 1), ("OR", 2), ("FORMULA", 3)];

pub(crate) const FILTER_OPERATORS: Codes =
    &[("MATCHES_REGEX", 8), ("NOT_MATCHES_REGEX", 9), ("EXISTS", 12), ("NOT_EXISTS", 13)];

pub(crate) const INVENTORY_MODES: Codes = &[("DISABLED", -1), ("MANUAL", 0), ("AUTOMATIC", 1)];

pub(crate) const RECOVERY_MODES: Codes =
    &[("EXPRESSION", 0), ("RECOVERY_EXPRESSION", 1), ("NONE", 2)];

pub(crate) const TRIGGER_TYPES: Codes = &[("SINGLE", 0), ("MULTIPLE", 1)];

pub(crate) const CORRELATION_MODES: Codes = &[("DISABLED", 0), ("TAG_VALUE", 1)];

pub(crate) const MACRO_TYPES: Codes = &[("TEXT", 0), ("SECRET_TEXT", 1), ("VAULT", 2)];

pub(crate) const INTERFACE_TYPES: Codes = &[("ZABBIX", 1), ("SNMP", 2), ("IPMI", 3), ("JMX", 4)];

pub(crate) const SNMP_VERSIONS: Codes = &[("SNMPV1", 1), ("SNMPV2", 2), ("SNMPV3", 3)];

pub(crate) const SNMP_SECURITY_LEVELS: Codes =
    &[("NOAUTHNOPRIV", 0), ("AUTHNOPRIV", 1), ("AUTHPRIV", 2)];

pub(crate) const SNMP_AUTH_PROTOCOLS: Codes =
    &[("MD5", 0), ("SHA1", 1), ("SHA224", 2), ("SHA256", 3), ("SHA384", 4), ("SHA512", 5)];

pub(crate) const SNMP_PRIV_PROTOCOLS: Codes =
    &[("DES", 0), ("AES128", 1), ("AES192", 2), ("AES256", 3), ("AES192C", 4), ("AES256C", 5)];

pub(crate) const IPMI_AUTH_TYPES: Codes = &[
    ("DEFAULT", -1),
    ("NONE", 0),
    ("MD2", 1),
    ("MD5", 2),
    ("STRAIGHT", 4),
    ("OEM", 5),
    ("RMCP_PLUS", 6),
];

pub(crate) const IPMI_PRIVILEGES: Codes =
    &[("CALLBACK", 1), ("USER", 2), ("OPERATOR", 3), ("ADMIN", 4), ("OEM", 5)];

/// Fields of maps, and of their parts, that stand in files as the API has them.
pub(crate) const MAP_OWN: &[&str] = &[
    "width",
    "height",
    "label_type",
    "label_location",
    "highlight",
    "expandproblem",
    "markelements",
    "show_unack",
    "severity_min",
    "show_suppressed",
    "grid_size",
    "grid_show",
    "grid_align",
    "label_format",
    "label_type_host",
    "label_type_hostgroup",
    "label_type_trigger",
    "label_type_map",
    "label_type_image",
    "label_string_host",
    "label_string_hostgroup",
    "label_string_trigger",
    "label_string_map",
    "label_string_image",
    "expand_macros",
];

/// Fields that files have since 7.4, by words: name, words with their codes, and the code of how it was before.
pub(crate) type SinceV74 = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const SHOW_LABELS: &[(&str, &str)] = &[("AUTO_HIDE", "0"), ("ALWAYS", "1"), ("DEFAULT", "-1")];

pub(crate) const MAP_SINCE_7_4: &[SinceV74] =
    &[("show_element_label", SHOW_LABELS, "1"), ("show_link_label", SHOW_LABELS, "1")];
/// A background had its own size before, and without one it does not matter.
pub(crate) const BACKGROUND_SCALE: &[(&str, &str)] = &[("NONE", "0"), ("COVER", "1")];
pub(crate) const PART_SINCE_7_4: &[SinceV74] = &[("show_label", SHOW_LABELS, "-1")];

/// The indicator of a link of 7.4 other than none and triggers.
pub(crate) const ITEM_VALUE: &str = "ITEM_VALUE";
pub(crate) const LINK_THRESHOLD_FIELDS: &[&str] = &["threshold", "color", "drawtype"];
pub(crate) const LINK_HIGHLIGHT_FIELDS: &[&str] = &["pattern", "color", "drawtype"];

pub(crate) const MAP_ELEMENT: &[&str] = &[
    "elementtype",
    "label",
    "label_location",
    "x",
    "y",
    "elementsubtype",
    "areatype",
    "width",
    "height",
    "viewtype",
    "use_iconmap",
    "evaltype",
];

/// Names of an element's icons in files, and in the API.
pub(crate) const MAP_ICONS: &[(&str, &str)] = &[
    ("icon_off", "iconid_off"),
    ("icon_on", "iconid_on"),
    ("icon_disabled", "iconid_disabled"),
    ("icon_maintenance", "iconid_maintenance"),
];

pub(crate) const MAP_SHAPE: &[&str] = &[
    "type",
    "x",
    "y",
    "width",
    "height",
    "text",
    "font",
    "font_size",
    "font_color",
    "text_halign",
    "text_valign",
    "border_type",
    "border_width",
    "border_color",
    "background_color",
    "zindex",
];

pub(crate) const MAP_LINE: &[&str] =
    &["x1", "y1", "x2", "y2", "line_type", "line_width", "line_color", "zindex"];
