//! Objects as users write them: the content of items, triggers, hosts and others.
//!
//! Field names in serialised form are those of Zabbix's API (7.0), and so are codes and defaults.
//! A content value is immutable once published: an edit makes a new one. Inherited objects share
//! the content of their source (see [`crate::snapshot`]).

mod graph;
mod host;
mod hostprototype;
mod inventory;
mod item;
mod operation;
mod overrides;
mod regexp;
mod role;
mod service;
mod trigger;
mod user;
mod web;

pub use graph::{GRAPH_ITEMS_MAX, GraphContent, GraphItem, GraphOverrides};
pub use host::{
    Group, HostMacro, HostStatus, Interface, InterfaceType, IpmiLogin, MacroType, SnmpDetails, Tag,
    ValueMap, ValueMapping, Vendor,
};
pub use hostprototype::{HostPrototypeContent, HostPrototypeOverrides};
pub use inventory::{
    INVENTORY_FIELDS, Inventory, InventoryField, InventoryMode, inventory_field, inventory_link,
    may_fill_inventory,
};
pub use item::{
    FilterCondition, ItemContent, ItemFlags, ItemOverrides, ItemStatus, ItemType, LifetimeType,
    LldFilter, LldMacroPath, LldOverride, NamedValue, OnFail, PreprocStep, Step,
};
pub use operation::LldOperation;
pub use regexp::{GlobalRegexp, RegexpExpression, RegexpKind};
pub use role::{
    ApiMethods, Granted, Role, RoleAction, RoleElement, RoleType, ServiceAccess, UiElement,
    mask_admits,
};
pub use service::{
    Service, ServiceAlgorithm, ServiceProblemTag, ServicePropagation, ServiceRef, ServiceRule,
    ServiceRuleType, ServiceTagOperator,
};
pub use trigger::{
    CorrelationMode, FunctionRef, RecoveryMode, Severity, TriggerContent, TriggerOverrides,
    TriggerStatus,
};
pub use user::{Media, Token, User, UserGroup, UserGroupRight, UserGroupTagFilter};
pub use web::{WEB_STEPS_MAX, WebFigure, WebPosts, WebScenario, WebStep};

/// Declares an enum with Zabbix's numeric codes: conversions, and serde as the API has it (written
/// as decimal text, read from text or number). The first variant listed under `default` attribute
/// or, without one, none: add `#[derive(Default)]` semantics by `impl Default` where needed.
macro_rules! codes {
    ($(#[$doc:meta])* pub enum $name:ident { $($body:tt)* }) => {
        $crate::content::codes! { $(#[$doc])* pub enum $name: i8 { $($body)* } }
    };
    ($(#[$doc:meta])* pub enum $name:ident: $repr:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr($repr)]
        pub enum $name { $($(#[$vdoc])* $variant = $code),* }

        impl $name {
            /// All variants, by code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Zabbix's code.
            #[must_use]
            pub fn code(self) -> $repr {
                match self { $(Self::$variant => $code),* }
            }

            #[must_use]
            pub fn from_code(code: i64) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.code())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let code = $crate::content::deserialize_i64(deserializer)?;
                Self::from_code(code).ok_or_else(|| {
                    serde::de::Error::custom(format_args!(
                        "unknown code {code} of {}", stringify!($name)
                    ))
                })
            }
        }
    };
}
pub(crate) use codes;
pub(crate) use overrides::overrides;

pub(crate) fn deserialize_i64<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<i64, D::Error> {
    struct Visitor;
    impl serde::de::Visitor<'_> for Visitor {
        type Value = i64;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a whole number, also as text")
        }
        fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<i64, E> {
            i64::try_from(value).map_err(|_too_large| E::custom("too large a number"))
        }
        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<i64, E> {
            Ok(value)
        }
        fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<i64, E> {
            value.parse().map_err(|_error| E::custom(format_args!("not a number: {value:?}")))
        }
    }
    deserializer.deserialize_any(Visitor)
}

/// Booleans that the API shows as "0" and "1".
pub(crate) mod flag {
    use serde::{Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(crate) fn serialize<S: Serializer>(value: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if *value { "1" } else { "0" })
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<bool, D::Error> {
        super::deserialize_i64(deserializer).map(|it| it != 0)
    }
}
