//! Operations of overrides of discovery rules.

use serde::{Deserialize, Serialize};

use super::{Severity, Tag};
use crate::HostId;

/// An operation of an override: the prototypes that it applies to, and the changes of their objects. `None`:
/// as the prototype has it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct LldOperation {
    /// 0 item, 1 trigger, 2 graph, 3 host, 4 rule prototypes.
    pub object: i64,
    /// On the object's name: 0 equals, 1 does not equal, 2 contains, 3 does not contain, 8 matches,
    /// 9 does not match.
    pub operator: i64,
    pub value: String,
    pub enabled: Option<bool>,
    pub discover: Option<bool>,
    pub delay: Option<String>,
    pub history: Option<String>,
    pub trends: Option<String>,
    pub severity: Option<Severity>,
    pub tags: Vec<Tag>,
    /// Templates of hosts.
    pub templates: Vec<HostId>,
    pub inventory_mode: Option<i64>,
}

/// As the API has it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Written {
    operationobject: Code,
    operator: Code,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    opstatus: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opdiscover: Option<Discover>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opperiod: Option<Period>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ophistory: Option<History>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optrends: Option<Trends>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opseverity: Option<OfSeverity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    optag: Vec<Tag>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    optemplate: Vec<Template>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opinventory: Option<Inventory>,
}

/// A number that the API writes as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Code(
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    i64,
);

/// The objects around single values.
macro_rules! wrappers {
    ($($name:ident { $field:ident: $type:ty })*) => {$(
        #[derive(Clone, Debug, Serialize, Deserialize)]
        struct $name {
            $field: $type,
        }
    )*};
}

wrappers! {
    Status { status: Code }
    Discover { discover: Code }
    Period { delay: String }
    History { history: String }
    Trends { trends: String }
    OfSeverity { severity: Severity }
    Template { templateid: HostId }
    Inventory { inventory_mode: Code }
}

impl From<Written> for LldOperation {
    fn from(it: Written) -> Self {
        Self {
            object: it.operationobject.0,
            operator: it.operator.0,
            value: it.value,
            // 0 is yes for both.
            enabled: it.opstatus.map(|it| it.status.0 == 0),
            discover: it.opdiscover.map(|it| it.discover.0 == 0),
            delay: it.opperiod.map(|it| it.delay),
            history: it.ophistory.map(|it| it.history),
            trends: it.optrends.map(|it| it.trends),
            severity: it.opseverity.map(|it| it.severity),
            tags: it.optag,
            templates: it.optemplate.into_iter().map(|it| it.templateid).collect(),
            inventory_mode: it.opinventory.map(|it| it.inventory_mode.0),
        }
    }
}

impl From<LldOperation> for Written {
    fn from(it: LldOperation) -> Self {
        let code = |is_yes: bool| Code(i64::from(!is_yes));
        Self {
            operationobject: Code(it.object),
            operator: Code(it.operator),
            value: it.value,
            opstatus: it.enabled.map(|it| Status { status: code(it) }),
            opdiscover: it.discover.map(|it| Discover { discover: code(it) }),
            opperiod: it.delay.map(|delay| Period { delay }),
            ophistory: it.history.map(|history| History { history }),
            optrends: it.trends.map(|trends| Trends { trends }),
            opseverity: it.severity.map(|severity| OfSeverity { severity }),
            optag: it.tags,
            optemplate: it
                .templates
                .into_iter()
                .map(|templateid| Template { templateid })
                .collect(),
            opinventory: it.inventory_mode.map(|it| Inventory { inventory_mode: Code(it) }),
        }
    }
}
