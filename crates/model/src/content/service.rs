//! Business services.

use serde::{Deserialize, Serialize};

use super::{Severity, Tag, codes};

codes! {
    /// The computation of a service's status from its children.
    pub enum ServiceAlgorithm { Ok = 0, MostCriticalIfAll = 1, MostCriticalOfAny = 2 }
}

codes! {
    /// The status that a service propagates to its parents.
    pub enum ServicePropagation { AsIs = 0, Increase = 1, Decrease = 2, Ignore = 3, Fixed = 4 }
}

codes! {
    /// The condition of an additional rule of a service: on the number of children, their share, their weight
    /// or the share of it, each as "at least" or "less than".
    pub enum ServiceRuleType {
        CountAtLeast = 0,
        PercentAtLeast = 1,
        CountLess = 2,
        PercentLess = 3,
        WeightAtLeast = 4,
        WeightPercentAtLeast = 5,
        WeightLess = 6,
        WeightPercentLess = 7,
    }
}

/// An additional rule for the status of a service.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServiceRule {
    #[serde(rename = "type")]
    pub kind: ServiceRuleType,
    #[serde(deserialize_with = "super::deserialize_i64")]
    pub limit_value: i64,
    /// A severity; −1 is OK.
    #[serde(deserialize_with = "super::deserialize_i64")]
    pub limit_status: i64,
    pub new_status: Severity,
}

codes! {
    /// The comparison of a problem's tag.
    pub enum ServiceTagOperator { Equal = 0, Like = 2 }
}

/// A condition on the tags of problems.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ServiceProblemTag {
    pub tag: String,
    pub operator: ServiceTagOperator,
    pub value: String,
}

/// A reference to a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServiceRef {
    #[serde(deserialize_with = "crate::id::deserialize_u64")]
    pub serviceid: u64,
}

/// The content of a service. Its children are the services that name it as a parent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Service {
    pub name: String,
    pub description: String,
    pub algorithm: ServiceAlgorithm,
    #[serde(deserialize_with = "super::deserialize_i64")]
    pub weight: i64,
    pub propagation_rule: ServicePropagation,
    #[serde(deserialize_with = "super::deserialize_i64")]
    pub propagation_value: i64,
    pub status_rules: Vec<ServiceRule>,
    pub tags: Vec<Tag>,
    /// A problem has to fulfil all of them. Without any, the service has no problems of its own.
    pub problem_tags: Vec<ServiceProblemTag>,
    pub parents: Vec<ServiceRef>,
    /// Seconds since 1970.
    #[serde(deserialize_with = "super::deserialize_i64")]
    pub created_at: i64,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            algorithm: ServiceAlgorithm::Ok,
            weight: 0,
            propagation_rule: ServicePropagation::AsIs,
            propagation_value: 0,
            status_rules: Vec::new(),
            tags: Vec::new(),
            problem_tags: Vec::new(),
            parents: Vec::new(),
            created_at: 0,
        }
    }
}
