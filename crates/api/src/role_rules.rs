//! Which methods and addresses the rules of a role allow.
//!
//! - *Actions* (`edit_maintenance`, `execute_scripts`) say what may be done, through the API and the
//!   pages alike.
//! - *Methods* of the API are allowed or denied for programs, by their names.
//! - *Elements* are parts of the pages. A call of a page is refused if it belongs to a part that the role does not have:
//!   changes of the part's objects, and the addresses of [`crate::native`] that only it requests. Reading objects over the
//!   API is not refused: other parts show them as well, and permissions on groups of hosts apply there.
//!
//! The rule of a method is its object's ([`crate::describe::RoleRule`]), that of an address is where the
//! address is registered ([`ShownBy`]). Methods and addresses without a rule are refused to pages.

use model::content::{Role, UiElement};

use crate::describe::ChangedFrom;
use crate::method::Method;
use crate::registry;

use UiElement::{Dashboard, Hosts, LatestData, MonitoredHosts, Problems};

/// Whether users with a role may call a method: by their kind and by the role's rules.
pub(crate) fn lets_call(role: &Role, method: &Method, is_page: bool) -> bool {
    method.role <= role.kind && may_call(role, method.name, is_page)
}

/// Whether a role lets its users call a method, as far as its rules say. `is_page`: the browser's
/// session calls, not a program.
pub(crate) fn may_call(role: &Role, method: &str, is_page: bool) -> bool {
    let verb = method.split_once('.').map_or("", |it| it.1);
    let rule = registry::role_rule(method);
    if rule.and_then(|it| it.action_of(verb)).is_some_and(|it| !role.actions.has(it)) {
        return false;
    }
    if is_page {
        // Objects that do not exist here are only read.
        return rule.map_or(verb == "get", |it| may_change_from(role, it.pages_of(verb)));
    }
    role.api_access && role.api_methods.allows(method)
}

fn may_change_from(role: &Role, pages: ChangedFrom) -> bool {
    match pages {
        ChangedFrom::Nowhere => false,
        ChangedFrom::AnyPage => true,
        ChangedFrom::OneOf(elements) => elements.iter().any(|it| role.ui.has(*it)),
    }
}

/// The parts of the pages that request an address of the native surface: one of them is enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownBy(pub(crate) &'static [UiElement]);

impl ShownBy {
    /// Asked by many pages, and answered by the rights of the user alone.
    pub(crate) const EVERYBODY: Self = Self(&[]);
    pub(crate) const PROBLEMS: Self =
        Self(&[Problems, Dashboard, MonitoredHosts, LatestData, Hosts]);
    pub(crate) const OVERVIEW: Self = Self(&[Dashboard]);
    pub(crate) const LATEST: Self = Self(&[LatestData, Dashboard, MonitoredHosts, Hosts]);

    /// Whether a role has one of them.
    pub(crate) fn is_shown(self, role: &Role) -> bool {
        self.0.is_empty() || self.0.iter().any(|it| role.ui.has(*it))
    }
}

#[cfg(test)]
mod tests {
    use UiElement::Authentication;
    use UiElement::{
        EventCorrelation, General, HostGroups, Housekeeping, Macros, Maintenance, Maps, MediaTypes,
        NetworkDiscovery, Scripts, Services, Sla, TemplateGroups, Templates, UserGroups, UserRoles,
        Users,
    };
    use model::content::{Granted, RoleAction, RoleElement, RoleType};

    use super::*;

    fn role(ui: &[UiElement], actions: &[RoleAction], kind: RoleType) -> Role {
        Role {
            roleid: model::RoleId(9),
            name: "test".to_owned(),
            kind,
            readonly: false,
            api_access: true,
            api_methods: model::content::ApiMethods::default(),
            ui: Granted::of(kind, |it| ui.contains(&it)),
            actions: Granted::of(kind, |it| actions.contains(&it)),
            services_read: model::content::ServiceAccess::default(),
            services_write: model::content::ServiceAccess::default(),
        }
    }

    #[test]
    fn pages_obey_elements_and_programs_obey_methods() {
        let of_hosts = role(&[Hosts], &[RoleAction::EditMaintenance], RoleType::Admin);
        for (method, by_page, by_program) in [
            ("host.create", true, true),
            ("host.massupdate", true, true),
            ("template.create", false, true),
            ("template.get", true, true),
            ("maintenance.update", false, true),
            ("dashboard.update", false, false),
            ("dashboard.get", true, true),
            ("token.get", false, false),
            ("script.execute", false, false),
            ("script.getscriptsbyhosts", true, true),
            ("event.acknowledge", true, true),
            ("user.update", true, true),
            ("user.create", false, true),
        ] {
            assert_eq!(may_call(&of_hosts, method, true), by_page, "{method} of a page");
            assert_eq!(may_call(&of_hosts, method, false), by_program, "{method} of a program");
        }
    }

    /// The role actions that Zabbix requires for methods, in addition to other permissions.
    /// `event.acknowledge`, `task.create` and medias of `user.update` check by the requested change: see
    /// `tests/server/rights.rs`.
    const BY_ACTION: &[(RoleAction, &[&str])] = &[
        (RoleAction::EditDashboards, &["dashboard.create", "dashboard.update", "dashboard.delete"]),
        (RoleAction::EditMaps, &["map.create", "map.update", "map.delete"]),
        (
            RoleAction::EditMaintenance,
            &["maintenance.create", "maintenance.update", "maintenance.delete"],
        ),
        (RoleAction::ManageScheduledReports, &["report.create", "report.update", "report.delete"]),
        (RoleAction::ManageSla, &["sla.create", "sla.update", "sla.delete"]),
        (RoleAction::ExecuteScripts, &["script.execute"]),
        (
            RoleAction::ManageApiTokens,
            &["token.get", "token.create", "token.update", "token.delete", "token.generate"],
        ),
    ];

    /// Actions that methods check themselves, by the requested change.
    const BY_WHAT_IS_DONE: &[RoleAction] = &[
        RoleAction::AcknowledgeProblems,
        RoleAction::SuppressProblems,
        RoleAction::CloseProblems,
        RoleAction::ChangeSeverity,
        RoleAction::AddProblemComments,
        RoleAction::ChangeProblemRanking,
        RoleAction::InvokeExecuteNow,
        RoleAction::EditOwnMedia,
        RoleAction::EditUserMedia,
    ];

    #[test]
    fn each_method_needs_its_own_role_action_only() {
        let names: Vec<&str> = registry::methods().map(|it| it.name).collect();
        for action in RoleAction::ALL.iter().copied() {
            let listed = BY_ACTION.iter().find(|it| it.0 == action).map(|it| it.1);
            let by_itself = BY_WHAT_IS_DONE.contains(&action);
            assert!(listed.is_some() != by_itself, "{}: how is it asked for?", action.name());
            let others: Vec<RoleAction> =
                RoleAction::ALL.iter().copied().filter(|it| *it != action).collect();
            let all_but_one = role(UiElement::ALL, &others, RoleType::SuperAdmin);
            let one = role(UiElement::ALL, &[action], RoleType::SuperAdmin);
            for name in &names {
                let is_listed = listed.is_some_and(|it| it.contains(name));
                for is_page in [false, true] {
                    let denied = !may_call(&all_but_one, name, is_page);
                    assert_eq!(denied, is_listed, "{name} without {}", action.name());
                    let of_others = BY_ACTION
                        .iter()
                        .any(|(it, methods)| *it != action && methods.contains(name));
                    let denied = !may_call(&one, name, is_page);
                    assert_eq!(denied, of_others, "{name} with {} alone", action.name());
                }
            }
        }
        // The methods of the table exist, except reports, which do not exist here.
        for name in BY_ACTION.iter().flat_map(|it| it.1) {
            assert!(names.contains(name) || name.starts_with("report."), "{name}");
        }
    }

    #[test]
    fn lists_of_methods_allow_and_deny_by_masks() {
        /// Masks, and whether they name a method.
        type Case = (&'static [&'static str], fn(&str) -> bool);
        let names: Vec<&str> = registry::methods().map(|it| it.name).collect();
        let cases: &[Case] = &[
            (&["*.get"], |it| it.ends_with(".get")),
            (&["host.*"], |it| it.starts_with("host.")),
            (&["HOST.*"], |it| it.starts_with("host.")),
            (&["*.get", "host.*", "event.acknowledge"], |it| {
                it.ends_with(".get") || it.starts_with("host.") || it == "event.acknowledge"
            }),
            (&["item.get"], |it| it == "item.get"),
            (&["*"], |_| true),
            (&["*.*"], |_| true),
            (&["nothing.get"], |_| false),
        ];
        for (masks, is_named) in cases {
            for is_allow_list in [false, true] {
                let masks = masks.iter().map(|it| (*it).to_owned()).collect();
                let methods = model::content::ApiMethods { is_allow_list, masks };
                let mut of = role(UiElement::ALL, RoleAction::ALL, RoleType::SuperAdmin);
                of.api_methods = methods;
                for name in &names {
                    let expected = is_named(name) == is_allow_list;
                    let masks = &of.api_methods.masks;
                    assert_eq!(may_call(&of, name, false), expected, "{name} by {masks:?}");
                    assert!(may_call(&of, name, true), "{name} of a page, which lists do not bind");
                }
                of.api_access = false;
                assert!(!may_call(&of, "host.get", false) && may_call(&of, "host.get", true));
            }
        }
        let all = role(UiElement::ALL, RoleAction::ALL, RoleType::SuperAdmin);
        assert!(names.iter().all(|it| may_call(&all, it, false)));
    }

    /// Each element of the pages that changes something: without it nothing of it can be changed by a page.
    #[test]
    fn without_a_part_of_the_pages_a_page_changes_nothing_of_it() {
        let names: Vec<&str> = registry::methods().map(|it| it.name).collect();
        let cases: &[(UiElement, &[&str])] = &[
            (Maintenance, &["maintenance.create", "maintenance.update", "maintenance.delete"]),
            (EventCorrelation, &["correlation.create"]),
            (NetworkDiscovery, &["drule.create", "drule.delete"]),
            (Services, &["service.create", "service.update"]),
            (Sla, &["sla.create"]),
            (Dashboard, &["dashboard.create"]),
            (Maps, &["map.create"]),
            (MediaTypes, &["mediatype.update"]),
            (Scripts, &["script.create", "script.delete"]),
            (Users, &["user.create", "user.delete", "user.unblock", "user.resettotp"]),
            (UserGroups, &["usergroup.create"]),
            (UserRoles, &["role.update"]),
            (Authentication, &["authentication.update"]),
            (General, &["settings.update", "regexp.create", "iconmap.create", "image.create"]),
            (Housekeeping, &["housekeeping.update"]),
            (Macros, &["usermacro.createglobal", "usermacro.deleteglobal"]),
            (HostGroups, &["hostgroup.create", "hostgroup.massadd"]),
            (TemplateGroups, &["templategroup.create"]),
            (Templates, &["template.create", "templatedashboard.update"]),
        ];
        for (element, of_it) in cases.iter().copied() {
            let others: Vec<UiElement> =
                UiElement::ALL.iter().copied().filter(|it| *it != element).collect();
            let without = role(&others, RoleAction::ALL, RoleType::SuperAdmin);
            for name in of_it {
                assert!(names.contains(name), "{name} is a method");
                assert!(!may_call(&without, name, true), "{name} without {}", element.name());
                assert!(may_call(&without, name, false), "{name} of a program");
            }
            for name in names.iter().filter(|it| it.ends_with(".get")) {
                assert!(may_call(&without, name, true), "{name} is only read");
            }
        }
    }

    #[test]
    fn methods_and_objects_without_a_role_rule_are_refused() {
        for entry in registry::all() {
            for verb in ["create", "update", "delete"] {
                let name = format!("{}.{verb}", entry.object.name);
                let is_there = registry::method(&name).is_some();
                // Parts of the pages that none of a role has change nothing of it.
                let nothing = role(&[], RoleAction::ALL, RoleType::SuperAdmin);
                let is_own =
                    matches!(&*name, "user.update" | "task.create") || name.starts_with("token.");
                assert!(
                    !is_there || is_own || !may_call(&nothing, &name, true),
                    "{name} by a page"
                );
            }
        }
        let all = role(UiElement::ALL, RoleAction::ALL, RoleType::SuperAdmin);
        assert!(!may_call(&all, "something.create", true));
        assert!(may_call(&all, "something.get", true) && may_call(&all, "oncall.create", true));
        let without = role(&[Problems], &[], RoleType::Admin);
        for verb in ["create", "update", "delete"] {
            assert!(!may_call(&without, &format!("oncall.{verb}"), true), "{verb}");
        }
    }
}
