//! Methods that are not described by a verb and an object: their effects, parameters and answers.

use super::shape::{Param, Shape, param};
use crate::describe::{Field, FieldType, Rule};
use crate::objects::administration::{configuration, task};
use crate::objects::alerting::script;
use crate::objects::common::parts::{GROUP_REF, HOST_REF, TEMPLATE_REF};
use crate::objects::hosts::interface_mass;
use crate::objects::hosts::mass;
use crate::objects::hosts::propagate;
use crate::objects::problems::acknowledge;
use Shape::{Any, Flag, Id, Ids, Int, Object, Text, Time};

/// The parameters of a method.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taken {
    /// Parameters by their names.
    Named(&'static [Param]),
    /// Fields of an object, by their names.
    Fields(&'static [Field]),
    /// One of these objects, or a list of them.
    Each(&'static [Field]),
    /// These, and all fields that an update of the object takes.
    Update(&'static [Param]),
    /// A list of ids of the object.
    Ids,
}

/// The answer of a method.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    True,
    Text,
    /// `{"…ids": […]}`
    Ids(&'static str),
    /// A list of objects.
    List,
    Object,
    Any,
}

/// A method with a text of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    /// More sentences; empty: there is no more to say.
    pub(super) text: &'static str,
    pub(super) taken: Taken,
    pub(super) given: Given,
}

const fn special(
    name: &'static str,
    (summary, text): (&'static str, &'static str),
    taken: Taken,
    given: Given,
) -> Special {
    Special { name, summary, text, taken, given }
}

const TEXT: FieldType = FieldType::Text { max: 65_535 };
const ONE_OF_THEM: &str = "The session or the token, one of them";

/// One of the two says which item a pushed value is of.
const PUSHED: &[Field] = &[
    Field::new("itemid", FieldType::Id, Rule::Optional, "The item, or else `host` and `key`"),
    Field::new("host", TEXT, Rule::Optional, "Technical name of the host"),
    Field::new("key", TEXT, Rule::Optional, "Key of the item"),
    Field::new("value", TEXT, Rule::Required, "The value").or_number().or_empty(),
    Field::new("clock", FieldType::Timestamp, Rule::Optional, "Its time; now where it is left out"),
    Field::new(
        "ns",
        FieldType::Int { min: 0, max: 999_999_999 },
        Rule::Optional,
        "Nanoseconds of its time",
    ),
];

const STARTED_ON: &[Field] = &[
    Field::new("hostid", FieldType::Id, Rule::Required, "Which host"),
    Field::new("scriptid", FieldType::Id, Rule::Optional, "Only this script"),
    Field::new("manualinput", TEXT, Rule::Optional, "The user's input"),
];

const STARTED_FOR: &[Field] = &[
    Field::new("eventid", FieldType::Id, Rule::Required, "Which event"),
    Field::new("scriptid", FieldType::Id, Rule::Optional, "Only this script"),
    Field::new("manualinput", TEXT, Rule::Optional, "The user's input"),
];

const GROUPS: Param = param("groups", Shape::List(GROUP_REF), "The groups").required();
const HOSTS: Param = param("hosts", Shape::List(HOST_REF), "The hosts").required();
const TEMPLATES: Param = param("templates", Shape::List(TEMPLATE_REF), "The templates").required();
const GROUPIDS: Param = param("groupids", Ids, "The groups").required();
const HOSTIDS: Param = param("hostids", Ids, "The hosts").required();
const TEMPLATEIDS: Param = param("templateids", Ids, "The templates").required();
const MACRO_NAMES: Param = param("macros", Shape::Texts, "Names of user macros to delete");

const IMPORT: &[Param] = &[
    param("format", Text, "`yaml`, `json` or `xml`").required(),
    param("source", Text, "The export").required(),
    param("rules", Object, "Allowed changes of the import: `createMissing`, `updateExisting` and `deleteMissing` by kind of object").required(),
];

pub(super) const SPECIALS: &[Special] = &[
    special(
        "apiinfo.version",
        (
            "Returns the version of the API",
            "Needs no login, and must be called without one. Clients choose their parameters by it: it is the version of Zabbix's API, not Saker's own.",
        ),
        Taken::Named(&[]),
        Given::Text,
    ),
    special(
        "rpc.discover",
        (
            "Returns this description of the API as an OpenRPC document",
            "Needs no login. The same document is at `/docs/api/openrpc.json`. Zabbix has no such method.",
        ),
        Taken::Named(&[]),
        Given::Object,
    ),
    special(
        "user.login",
        (
            "Opens a session",
            "Returns its id, which later calls send as `Authorization: Bearer …`; with `userData` the user's fields and the id as `sessionid`.",
        ),
        Taken::Named(&[
            param("username", Text, "Name of the user").required(),
            param("password", Text, "Password of the user").required(),
            param("userData", Flag, "Returns the fields of the user"),
        ]),
        Given::Any,
    ),
    special(
        "user.checkAuthentication",
        ("Returns the user of a session or token", "Needs no login."),
        Taken::Named(&[param("sessionid", Text, ONE_OF_THEM), param("token", Text, ONE_OF_THEM)]),
        Given::Object,
    ),
    special(
        "user.logout",
        ("Ends the session that makes the call", "Tokens stay valid."),
        Taken::Named(&[]),
        Given::True,
    ),
    special(
        "user.unblock",
        ("Unblocks users who are blocked after too many failed logins", ""),
        Taken::Ids,
        Given::Ids("userids"),
    ),
    special(
        "user.provision",
        (
            "Updates users from their directory",
            "Returns no ids of users who are from no directory.",
        ),
        Taken::Ids,
        Given::Ids("userids"),
    ),
    special(
        "user.resettotp",
        ("Makes users set up their second factor again", ""),
        Taken::Ids,
        Given::Ids("userids"),
    ),
    special(
        "token.generate",
        (
            "Generates a new text for a token",
            "The text is returned this once. The previous one is no longer valid.",
        ),
        Taken::Ids,
        Given::List,
    ),
    special(
        "configuration.export",
        (
            "Exports objects as a file in Zabbix's format",
            "Returns the file as a text; with the format `raw` as JSON. Files are those of Zabbix 7.0.",
        ),
        Taken::Fields(configuration::EXPORT),
        Given::Any,
    ),
    special(
        "configuration.import",
        (
            "Creates and updates objects from a file in Zabbix's format",
            "Files of Zabbix 6.0 to 7.4 are read.",
        ),
        Taken::Named(IMPORT),
        Given::True,
    ),
    special(
        "configuration.importcompare",
        ("Returns the changes that an import would make, and makes none", ""),
        Taken::Named(IMPORT),
        Given::Any,
    ),
    special(
        "history.clear",
        ("Deletes collected values and trends of items", ""),
        Taken::Ids,
        Given::Ids("itemids"),
    ),
    special(
        "history.push",
        (
            "Sends values to trapper items",
            "HTTP agent items with trapping enabled take values as well. A refused value is no error of the call: its part of the answer has the reason.",
        ),
        Taken::Each(PUSHED),
        Given::Object,
    ),
    special(
        "event.acknowledge",
        (
            "Updates problems: acknowledges, closes, comments, suppresses, changes their severity or rank",
            "",
        ),
        Taken::Fields(acknowledge::ACKNOWLEDGEMENT),
        Given::Ids("eventids"),
    ),
    special(
        "host.massadd",
        ("Adds groups, templates, macros and interfaces to several hosts", "Present ones stay."),
        Taken::Fields(mass::HOST_ADD),
        Given::Ids("hostids"),
    ),
    special(
        "host.massremove",
        ("Removes groups, templates, macros and interfaces from several hosts", ""),
        Taken::Named(&[
            HOSTIDS,
            param("groupids", Ids, "Groups to remove them from"),
            param("templateids", Ids, "Templates to unlink; inherited objects stay"),
            param("templateids_clear", Ids, "Templates to unlink; inherited objects are deleted"),
            MACRO_NAMES,
            param("interfaces", Any, "Interfaces to delete, by `ip`, `dns` and `port`"),
        ]),
        Given::Ids("hostids"),
    ),
    special(
        "host.massupdate",
        ("Gives several hosts the same fields", "Lists replace those of the hosts."),
        Taken::Update(&[HOSTS]),
        Given::Ids("hostids"),
    ),
    special(
        "hostinterface.massadd",
        ("Gives several hosts the same interfaces", "Present ones stay."),
        Taken::Fields(interface_mass::ADD),
        Given::Ids("interfaceids"),
    ),
    special(
        "hostinterface.massremove",
        ("Deletes interfaces of several hosts by their addresses", ""),
        Taken::Named(&[
            HOSTIDS,
            param("interfaces", Any, "Interfaces to delete, by `ip`, `dns` and `port`").required(),
        ]),
        Given::Ids("interfaceids"),
    ),
    special(
        "hostinterface.replacehostinterfaces",
        ("Gives a host exactly these interfaces", "Those that items use can't be left out."),
        Taken::Fields(interface_mass::REPLACE),
        Given::Ids("interfaceids"),
    ),
    special(
        "template.massadd",
        ("Adds groups, templates and macros to several templates", "Present ones stay."),
        Taken::Fields(mass::TEMPLATE_ADD),
        Given::Ids("templateids"),
    ),
    special(
        "template.massremove",
        ("Removes groups, templates and macros from several templates", ""),
        Taken::Named(&[
            TEMPLATEIDS,
            param("groupids", Ids, "Groups to remove them from"),
            param("templateids_link", Ids, "Templates to unlink; inherited objects stay"),
            param("templateids_clear", Ids, "Templates to unlink; inherited objects are deleted"),
            MACRO_NAMES,
        ]),
        Given::Ids("templateids"),
    ),
    special(
        "template.massupdate",
        ("Gives several templates the same fields", "Lists replace those of the templates."),
        Taken::Update(&[
            TEMPLATES,
            param("templates_link", Shape::List(TEMPLATE_REF), "Templates to link"),
        ]),
        Given::Ids("templateids"),
    ),
    special(
        "hostgroup.massadd",
        ("Adds hosts to groups", ""),
        Taken::Named(&[GROUPS, HOSTS]),
        Given::Ids("groupids"),
    ),
    special(
        "hostgroup.massremove",
        ("Removes hosts from groups", ""),
        Taken::Named(&[GROUPIDS, HOSTIDS]),
        Given::Ids("groupids"),
    ),
    special(
        "hostgroup.massupdate",
        ("Gives groups exactly these hosts", ""),
        Taken::Named(&[GROUPS, param("hosts", Shape::List(HOST_REF), "The hosts")]),
        Given::Ids("groupids"),
    ),
    special(
        "hostgroup.propagate",
        (
            "Gives subgroups the permissions that user groups have on their parents",
            "User groups get the same permissions on all groups below, the same tag filters, or both.",
        ),
        Taken::Fields(propagate::TO_HOST_GROUPS),
        Given::Ids("groupids"),
    ),
    special(
        "templategroup.propagate",
        (
            "Gives subgroups the permissions that user groups have on their parents",
            "User groups get the same permissions on all groups below.",
        ),
        Taken::Fields(propagate::TO_TEMPLATE_GROUPS),
        Given::Ids("groupids"),
    ),
    special(
        "templategroup.massadd",
        ("Adds templates to groups", ""),
        Taken::Named(&[GROUPS, TEMPLATES]),
        Given::Ids("groupids"),
    ),
    special(
        "templategroup.massremove",
        ("Removes templates from groups", ""),
        Taken::Named(&[GROUPIDS, TEMPLATEIDS]),
        Given::Ids("groupids"),
    ),
    special(
        "templategroup.massupdate",
        ("Gives groups exactly these templates", ""),
        Taken::Named(&[GROUPS, param("templates", Shape::List(TEMPLATE_REF), "The templates")]),
        Given::Ids("groupids"),
    ),
    special(
        "oncall.whois",
        (
            "Returns who is on call",
            "Returns a row for each schedule: the user on call now, and the shifts of the requested time.",
        ),
        Taken::Named(&[
            param("oncallids", Ids, "Only these schedules"),
            param("time_from", Time, "Begin of the time; now if omitted"),
            param("time_till", Time, "Its end"),
        ]),
        Given::List,
    ),
    special(
        "script.execute",
        ("Starts a script on a host or for a problem", "Returns its output."),
        Taken::Fields(script::EXECUTE),
        Given::Object,
    ),
    special(
        "script.getscriptsbyhosts",
        (
            "Returns the scripts that the caller may start on hosts",
            "Macros in visible texts are replaced.",
        ),
        Taken::Each(STARTED_ON),
        Given::Object,
    ),
    special(
        "script.getscriptsbyevents",
        (
            "Returns the scripts that the caller may start for events",
            "Macros in visible texts are replaced.",
        ),
        Taken::Each(STARTED_FOR),
        Given::Object,
    ),
    special(
        "sla.getsli",
        (
            "Returns the availability of services",
            "Returns a row for each period of time, in it an indicator for each service.",
        ),
        Taken::Named(&[
            param("slaid", Id, "Which SLA").required(),
            param("period_from", Time, "Begin of the first period"),
            param("period_to", Time, "End of the last one"),
            param("periods", Int, "How many periods, 1–100"),
            param("serviceids", Ids, "Only these services"),
        ]),
        Given::Object,
    ),
    special(
        "task.create",
        ("Executes an item or a discovery rule now, or requests diagnostic information", ""),
        Taken::Each(task::GIVEN),
        Given::Ids("taskids"),
    ),
];

pub(super) fn special_of(method: &str) -> Option<&'static Special> {
    SPECIALS.iter().find(|it| it.name == method)
}
