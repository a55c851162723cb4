//! Which methods and addresses the rules of a role allow.
//!
//! - *Actions* (`edit_maintenance`, `execute_scripts`) say what may be done, through the API and the
//!   pages alike.
//! - *Methods* of the API are allowed or denied for programs, by their names.
//! - *Elements* are parts of the pages. To whoever comes as a page, what belongs to a part that the
//!   role does not have is refused: changes of its objects, and the addresses of [`crate::native`] that
//!   only it asks. Reading objects over the API is not: other parts show them as well, and rights on
//!   groups of hosts are asked there.
//!
//! A method or an address without a rule is refused to pages: a new object needs one of its own.

use model::content::{Role, RoleAction, UiElement};

use crate::method::Method;

use UiElement::{
    Authentication, AutoregistrationActions, Dashboard, DiscoveryActions, EventCorrelation,
    General, HostGroups, Hosts, Housekeeping, InternalActions, LatestData, Macros, Maintenance,
    Maps, MediaTypes, MonitoredHosts, NetworkDiscovery, Problems, Proxies, ProxyGroups, Queue,
    ScheduledReports, Scripts, ServiceActions, Services, Sla, SystemInformation, TemplateGroups,
    Templates, TriggerActions, UserGroups, UserRoles, Users,
};

/// Whether users with a role may call a method: by their kind and by the role's rules.
pub(crate) fn lets_call(role: &Role, method: &Method, is_page: bool) -> bool {
    method.role <= role.kind && may_call(role, method.name, is_page)
}

/// Whether a role lets its users call a method, as far as its rules say. `is_page`: the browser's
/// session calls, not a program.
pub(crate) fn may_call(role: &Role, method: &str, is_page: bool) -> bool {
    if action_of(method).is_some_and(|it| !role.actions.has(it)) {
        return false;
    }
    if is_page {
        return elements_of(method).is_some_and(|it| has_one_of(role, it));
    }
    role.api_access && role.api_methods.allows(method)
}

/// Whether a role has a part of the pages that asks an address of the native surface.
pub(crate) fn may_ask(role: &Role, path: &str) -> bool {
    let mut rows = ADDRESSES.iter();
    let row = rows.find(|(prefix, _)| {
        path.strip_prefix(prefix).is_some_and(|it| it.is_empty() || it.starts_with('/'))
    });
    row.is_some_and(|(_, elements)| has_one_of(role, elements))
}

fn has_one_of(role: &Role, elements: &[UiElement]) -> bool {
    elements.is_empty() || elements.iter().any(|it| role.ui.has(*it))
}

/// The action that a method is.
fn action_of(method: &str) -> Option<RoleAction> {
    let (object, verb) = method.split_once('.')?;
    let is_change = matches!(verb, "create" | "update" | "delete");
    match object {
        "dashboard" if is_change => Some(RoleAction::EditDashboards),
        "map" if is_change => Some(RoleAction::EditMaps),
        "maintenance" if is_change => Some(RoleAction::EditMaintenance),
        "report" if is_change => Some(RoleAction::ManageScheduledReports),
        "sla" if is_change => Some(RoleAction::ManageSla),
        "script" if verb == "execute" => Some(RoleAction::ExecuteScripts),
        "token" => Some(RoleAction::ManageApiTokens),
        _ => None,
    }
}

/// Everybody may call it: what it changes is the user's own, or rights are asked by what is to be done.
const EVERYBODY: &[UiElement] = &[];

/// Parts of the pages where actions are made.
const ACTIONS: &[UiElement] =
    &[TriggerActions, ServiceActions, DiscoveryActions, AutoregistrationActions, InternalActions];

/// The parts of the pages that change an object by a method; one of them is enough, and none are
/// needed where the list is empty. `None`: there is no rule, and so no page may call it.
fn elements_of(method: &str) -> Option<&'static [UiElement]> {
    let (object, verb) = method.split_once('.')?;
    if verb.starts_with("get") {
        return Some(EVERYBODY);
    }
    let elements: &[UiElement] = match object {
        "host" | "hostinterface" => &[Hosts, MonitoredHosts],
        "item"
        | "itemprototype"
        | "discoveryrule"
        | "discoveryruleprototype"
        | "trigger"
        | "triggerprototype"
        | "graph"
        | "graphprototype"
        | "hostprototype"
        | "httptest"
        | "valuemap" => &[Hosts, Templates],
        "usermacro" if verb.ends_with("global") => &[Macros],
        "usermacro" => &[Hosts, Templates],
        "configuration" if verb == "import" => &[Hosts, Templates, Maps, MediaTypes],
        "template" | "templatedashboard" => &[Templates],
        "hostgroup" => &[HostGroups],
        "templategroup" => &[TemplateGroups],
        "maintenance" => &[Maintenance],
        "correlation" => &[EventCorrelation],
        "drule" => &[NetworkDiscovery],
        "action" => ACTIONS,
        // Schedules say whom the messages of actions reach; who is on call is only read.
        "oncall" if verb == "whois" => EVERYBODY,
        "oncall" => ACTIONS,
        "service" => &[Services],
        "sla" => &[Sla],
        "dashboard" => &[Dashboard],
        "map" => &[Maps],
        "report" => &[ScheduledReports],
        "mediatype" => &[MediaTypes],
        "script" if verb == "execute" => EVERYBODY,
        "script" => &[Scripts],
        // Everybody changes himself: which users one may change is asked there.
        "user" if matches!(verb, "update" | "logout") => EVERYBODY,
        "user" => &[Users],
        "usergroup" => &[UserGroups],
        "role" => &[UserRoles],
        "authentication" | "userdirectory" | "mfa" => &[Authentication],
        "settings" | "regexp" | "iconmap" | "image" | "autoregistration" | "connector"
        | "module" => &[General],
        "housekeeping" => &[Housekeeping],
        "proxy" => &[Proxies],
        "proxygroup" => &[ProxyGroups],
        // Rights on hosts and actions of the role decide.
        "event" | "history" | "task" | "token" => EVERYBODY,
        // Files are read and compared; imports have a rule above.
        "configuration" => EVERYBODY,
        _ => return None,
    };
    Some(elements)
}

/// Addresses of the native surface, and the parts of the pages that ask them.
const ADDRESSES: &[(&str, &[UiElement])] = &[
    ("/overview", &[Dashboard]),
    ("/problems", &[Problems, Dashboard, MonitoredHosts, LatestData, Hosts]),
    ("/events", &[Problems, Dashboard]),
    ("/latest", &[LatestData, Dashboard, MonitoredHosts, Hosts]),
    ("/maintenance", &[Maintenance]),
    ("/queue", &[Queue]),
    ("/users/seen", &[Users]),
    ("/storage", &[Housekeeping, SystemInformation]),
    ("/test/mediatype", &[MediaTypes]),
    ("/test/item", &[Hosts, Templates]),
    ("/test/interface", &[Hosts]),
    ("/test/expression", &[Hosts, Templates]),
    ("/backtest", &[Hosts, Templates]),
    ("/import", &[Hosts, Templates, Maps, MediaTypes]),
    // What these answer is asked by many pages, and shown by the rights of the user alone.
    ("/acknowledge", EVERYBODY),
    ("/check", EVERYBODY),
    ("/hosts", EVERYBODY),
    ("/images", EVERYBODY),
    ("/login", EVERYBODY),
    ("/logout", EVERYBODY),
    ("/maps", EVERYBODY),
    ("/oncall", EVERYBODY),
    ("/origin", EVERYBODY),
    ("/series", EVERYBODY),
    ("/session", EVERYBODY),
    ("/stream", EVERYBODY),
    ("/views", EVERYBODY),
];

#[cfg(test)]
mod tests {
    use model::content::{Granted, RoleElement, RoleType};

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
    fn a_page_changes_what_its_role_shows_and_a_program_what_methods_allow() {
        let of_hosts = role(&[Hosts], &[RoleAction::EditMaintenance], RoleType::Admin);
        for (method, by_page, by_program) in [
            ("host.create", true, true),
            ("item.massupdate", true, true),
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

    /// What Zabbix asks of a role for methods, whatever else they need. `event.acknowledge`, `task.create` and medias of
    /// `user.update` ask by what is to be done: see `tests/server/rights.rs`.
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

    /// Actions that methods ask for themselves, by what is to be done.
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
    fn each_method_asks_for_the_action_that_it_is_and_for_no_other() {
        let names: Vec<&str> = crate::registry::methods().map(|it| it.name).collect();
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
        // What the table names is there, but for reports, which do not exist here.
        for name in BY_ACTION.iter().flat_map(|it| it.1) {
            assert!(names.contains(name) || name.starts_with("report."), "{name}");
        }
    }

    #[test]
    fn lists_of_methods_allow_and_deny_by_masks() {
        /// Masks, and whether they name a method.
        type Case = (&'static [&'static str], fn(&str) -> bool);
        let names: Vec<&str> = crate::registry::methods().map(|it| it.name).collect();
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
        let names: Vec<&str> = crate::registry::methods().map(|it| it.name).collect();
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
    fn each_method_and_each_object_has_a_rule_and_what_has_none_is_refused() {
        for method in crate::registry::methods() {
            assert!(
                elements_of(method.name).is_some(),
                "{}: which part of the pages?",
                method.name
            );
        }
        for entry in crate::registry::all() {
            for verb in ["create", "update", "delete"] {
                let name = format!("{}.{verb}", entry.object.name);
                let is_there = crate::registry::method(&name).is_some();
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

    /// The addresses of the pages, as their file registers them.
    #[test]
    fn each_address_has_a_rule() {
        let source = include_str!("native/mod.rs");
        let addresses: Vec<&str> =
            source.split(".route(\"").skip(1).filter_map(|it| it.split('"').next()).collect();
        assert!(20 < addresses.len());
        for address in addresses {
            let has_rule = ADDRESSES.iter().any(|(prefix, _)| {
                let rest = address.strip_prefix(prefix);
                rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
            });
            assert!(has_rule, "{address}: which part of the pages?");
        }
    }

    #[test]
    fn addresses_belong_to_parts_of_the_pages() {
        let of_problems = role(&[Problems], &[], RoleType::User);
        for (path, is_allowed) in [
            ("/problems", true),
            ("/problemsx", false),
            ("/events/7/explain", true),
            ("/overview", false),
            ("/latest", false),
            ("/storage/largest", false),
            ("/something/new", false),
            ("/session", true),
            ("/stream", true),
        ] {
            assert_eq!(may_ask(&of_problems, path), is_allowed, "{path}");
        }
    }
}
