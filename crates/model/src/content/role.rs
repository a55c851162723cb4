//! The permissions of a role: elements of the pages, actions, and methods of the API.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{codes, flag};
use crate::RoleId;

codes! {
    /// The user type of a role.
    pub enum RoleType { User = 1, Admin = 2, SuperAdmin = 3 }
}

/// An element that a rule of a role allows or denies by name.
pub trait RoleElement: Copy + PartialEq + 'static {
    /// All elements, in Zabbix's order; fewer than 64.
    const ALL: &'static [Self];

    /// As rules name it.
    fn name(self) -> &'static str;

    /// The least kind of user that may have it.
    fn least(self) -> RoleType;

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }
}

/// Declares elements with their names and the least kind of user.
macro_rules! elements {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal for $least:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($variant),* }

        impl RoleElement for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            fn least(self) -> RoleType {
                match self { $(Self::$variant => RoleType::$least),* }
            }
        }
    };
}

elements! {
    /// A part of the pages.
    UiElement {
        Dashboard = "monitoring.dashboard" for User,
        Problems = "monitoring.problems" for User,
        MonitoredHosts = "monitoring.hosts" for User,
        LatestData = "monitoring.latest_data" for User,
        Maps = "monitoring.maps" for User,
        DiscoveredDevices = "monitoring.discovery" for Admin,
        Services = "services.services" for User,
        Sla = "services.sla" for Admin,
        SlaReport = "services.sla_report" for User,
        InventoryOverview = "inventory.overview" for User,
        InventoryHosts = "inventory.hosts" for User,
        SystemInformation = "reports.system_info" for SuperAdmin,
        ScheduledReports = "reports.scheduled_reports" for Admin,
        AvailabilityReport = "reports.availability_report" for User,
        TopTriggers = "reports.top_triggers" for User,
        AuditReport = "reports.audit" for SuperAdmin,
        ActionLog = "reports.action_log" for SuperAdmin,
        Notifications = "reports.notifications" for Admin,
        TemplateGroups = "configuration.template_groups" for Admin,
        HostGroups = "configuration.host_groups" for Admin,
        Templates = "configuration.templates" for Admin,
        Hosts = "configuration.hosts" for Admin,
        Maintenance = "configuration.maintenance" for Admin,
        EventCorrelation = "configuration.event_correlation" for SuperAdmin,
        NetworkDiscovery = "configuration.discovery" for Admin,
        TriggerActions = "configuration.trigger_actions" for Admin,
        ServiceActions = "configuration.service_actions" for Admin,
        DiscoveryActions = "configuration.discovery_actions" for Admin,
        AutoregistrationActions = "configuration.autoregistration_actions" for Admin,
        InternalActions = "configuration.internal_actions" for Admin,
        MediaTypes = "administration.media_types" for SuperAdmin,
        Scripts = "administration.scripts" for SuperAdmin,
        UserGroups = "administration.user_groups" for SuperAdmin,
        UserRoles = "administration.user_roles" for SuperAdmin,
        Users = "administration.users" for SuperAdmin,
        ApiTokens = "administration.api_tokens" for SuperAdmin,
        Authentication = "administration.authentication" for SuperAdmin,
        General = "administration.general" for SuperAdmin,
        AuditLog = "administration.audit_log" for SuperAdmin,
        Housekeeping = "administration.housekeeping" for SuperAdmin,
        ProxyGroups = "administration.proxy_groups" for SuperAdmin,
        Proxies = "administration.proxies" for SuperAdmin,
        Macros = "administration.macros" for SuperAdmin,
        Queue = "administration.queue" for SuperAdmin,
    }
}

elements! {
    /// Actions, through pages or API.
    RoleAction {
        EditDashboards = "edit_dashboards" for User,
        EditMaps = "edit_maps" for User,
        EditMaintenance = "edit_maintenance" for Admin,
        AcknowledgeProblems = "acknowledge_problems" for User,
        SuppressProblems = "suppress_problems" for User,
        CloseProblems = "close_problems" for User,
        ChangeSeverity = "change_severity" for User,
        AddProblemComments = "add_problem_comments" for User,
        ChangeProblemRanking = "change_problem_ranking" for User,
        ExecuteScripts = "execute_scripts" for User,
        ManageApiTokens = "manage_api_tokens" for User,
        ManageScheduledReports = "manage_scheduled_reports" for Admin,
        ManageSla = "manage_sla" for Admin,
        InvokeExecuteNow = "invoke_execute_now" for User,
        // Since 7.4.
        EditOwnMedia = "edit_own_media" for User,
        EditUserMedia = "edit_user_media" for SuperAdmin,
    }
}

/// The elements of a kind that a role has; none at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Granted<E> {
    bits: u64,
    kind: PhantomData<E>,
}

impl<E> Default for Granted<E> {
    fn default() -> Self {
        Self { bits: 0, kind: PhantomData }
    }
}

impl<E: RoleElement> Granted<E> {
    /// The elements that a user type may have and for which `is_granted` is true.
    pub fn of(kind: RoleType, is_granted: impl Fn(E) -> bool) -> Self {
        let mut bits = 0;
        for (at, element) in E::ALL.iter().enumerate() {
            if element.least() <= kind && is_granted(*element) {
                bits |= 1 << at;
            }
        }
        Self { bits, kind: PhantomData }
    }

    #[must_use]
    pub fn has(self, element: E) -> bool {
        let at = E::ALL.iter().position(|it| *it == element);
        at.is_some_and(|it| self.bits >> it & 1 == 1)
    }

    pub fn iter(self) -> impl Iterator<Item = E> {
        E::ALL.iter().copied().filter(move |it| self.has(*it))
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Role {
    #[serde(default)]
    pub roleid: RoleId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: RoleType,
    #[serde(default, with = "flag")]
    pub readonly: bool,
    /// Whether users of the role may call the API.
    #[serde(default = "yes", with = "flag")]
    pub api_access: bool,
    /// Which of its methods.
    #[serde(skip)]
    pub api_methods: ApiMethods,
    /// Parts of the pages that its users see.
    #[serde(skip)]
    pub ui: Granted<UiElement>,
    /// Actions that its users may do.
    #[serde(skip)]
    pub actions: Granted<RoleAction>,
    /// Services that its users may read, in addition to those that they may write.
    #[serde(default)]
    pub services_read: ServiceAccess,
    /// Services that its users may write.
    #[serde(default)]
    pub services_write: ServiceAccess,
}

/// Methods of the API that a role names; without any all are allowed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ApiMethods {
    /// Those that are named are allowed, not denied.
    pub is_allow_list: bool,
    /// Names, `object.*`, `*.method`, `*.*` or `*`.
    pub masks: Vec<String>,
}

impl ApiMethods {
    #[must_use]
    pub fn allows(&self, method: &str) -> bool {
        if self.masks.is_empty() {
            return true;
        }
        let is_named = self.masks.iter().any(|it| mask_admits(it, method));
        is_named == self.is_allow_list
    }
}

/// Whether a mask (`object.*`, `*.method`, `*`) is of a method. Case does not count.
#[must_use]
pub fn mask_admits(mask: &str, method: &str) -> bool {
    if mask == "*" {
        return true;
    }
    let (Some((mask_object, mask_verb)), Some((object, verb))) =
        (mask.split_once('.'), method.split_once('.'))
    else {
        return false;
    };
    let is_of = |mask: &str, it: &str| mask == "*" || mask.eq_ignore_ascii_case(it);
    is_of(mask_object, object) && is_of(mask_verb, verb)
}

/// Which services a role names. Those below them are meant as well.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ServiceAccess {
    /// Whatever the others say.
    pub all: bool,
    pub ids: Vec<u64>,
    /// Services with this tag; an empty value matches any.
    pub tag: Option<(String, String)>,
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_has_a_bit_and_a_name_of_its_own() {
        fn check<E: RoleElement>() {
            assert!(E::ALL.len() < 64);
            for (at, it) in E::ALL.iter().enumerate() {
                assert_eq!(E::ALL.iter().position(|other| other.name() == it.name()), Some(at));
                assert!(E::named(it.name()) == Some(*it));
            }
            let all = Granted::<E>::of(RoleType::SuperAdmin, |_| true);
            assert_eq!(all.iter().count(), E::ALL.len());
        }
        check::<UiElement>();
        check::<RoleAction>();
        let user = Granted::<UiElement>::of(RoleType::User, |it| it != UiElement::Maps);
        assert!(user.has(UiElement::Problems));
        assert!(!user.has(UiElement::Maps) && !user.has(UiElement::Hosts));
        assert!(!Granted::default().has(RoleAction::EditMaps));
    }

    #[test]
    fn masks_match_methods() {
        let allows = |is_allow_list: bool, masks: &[&str], method: &str| {
            let masks = masks.iter().map(|it| (*it).to_owned()).collect();
            ApiMethods { is_allow_list, masks }.allows(method)
        };
        for (masks, method, is_named) in [
            (&["*"][..], "host.get", true),
            (&["*.*"], "host.get", true),
            (&["host.*"], "host.get", true),
            (&["*.get"], "host.get", true),
            (&["*.get"], "host.create", false),
            (&["host.get"], "Host.Get", true),
            (&["host.*"], "hostgroup.get", false),
            (&["item.get", "host.create"], "host.create", true),
        ] {
            assert_eq!(allows(true, masks, method), is_named, "{masks:?} {method}");
            assert_eq!(allows(false, masks, method), !is_named, "{masks:?} {method}");
        }
        assert!(allows(true, &[], "host.get") && allows(false, &[], "host.get"));
    }
}
