//! Operations of actions: messages, commands, and changes of the host of an event.

use model::content::{InventoryMode, Tag};
use model::document::Body;
use model::{GroupId, HostId, UserGroupId, UserId};
use serde_json::Value as Json;

use crate::body::{number_of, parts, text_of};

/// One operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    Message(MessageOperation),
    Command(CommandOperation),
    /// Of discovery and autoregistration.
    Host(HostOperation),
}

/// A message to somebody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageOperation {
    pub to: Recipients,
    /// 0: all media of the user; for a recipient of an earlier message, the medium of that message.
    pub media_type: u64,
    pub text: MessageText,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recipients {
    Named {
        users: Vec<UserId>,
        groups: Vec<UserGroupId>,
        /// On-call schedules: users on call when the message is made.
        oncall: Vec<u64>,
    },
    /// All recipients of earlier messages about the problem; for updates, also the authors of
    /// entries.
    Involved,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageText {
    /// The media type's.
    Default,
    /// With macros.
    Own { subject: String, message: String },
}

/// A global script that is executed. Without hosts and groups (of services) it is the server's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandOperation {
    pub script: u64,
    /// The host of the event is one of them.
    pub is_on_current: bool,
    pub hosts: Vec<HostId>,
    /// All enabled hosts in them and in groups below them.
    pub groups: Vec<GroupId>,
}

/// An operation on the host of an event. Each states the result, so that a repetition changes
/// nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostOperation {
    Add,
    Remove,
    AddGroups(Vec<GroupId>),
    RemoveGroups(Vec<GroupId>),
    Link(Vec<HostId>),
    /// Objects that were inherited are deleted with the template.
    Unlink(Vec<HostId>),
    Enable,
    Disable,
    SetInventoryMode(InventoryMode),
    AddTags(Vec<Tag>),
    RemoveTags(Vec<Tag>),
}

impl HostOperation {
    /// Whether it makes the host if there is none, as in Zabbix: all that give it something do.
    #[must_use]
    pub const fn makes_host(&self) -> bool {
        !matches!(self, Self::Remove | Self::RemoveGroups(_) | Self::Unlink(_))
    }

    /// As people call it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Add => "add host",
            Self::Remove => "remove host",
            Self::AddGroups(_) => "add to host group",
            Self::RemoveGroups(_) => "remove from host group",
            Self::Link(_) => "link template",
            Self::Unlink(_) => "unlink template",
            Self::Enable => "enable host",
            Self::Disable => "disable host",
            Self::SetInventoryMode(_) => "set host inventory mode",
            Self::AddTags(_) => "add host tags",
            Self::RemoveTags(_) => "remove host tags",
        }
    }
}

/// Reads an operation of a document's body; `None`: there is no such type.
pub(crate) fn read_operation(of: &Body) -> Option<Operation> {
    let host = match text_of(of, "operationtype") {
        "0" | "11" | "12" => return message(of).map(Operation::Message),
        "1" => return Some(Operation::Command(command(of))),
        "2" => HostOperation::Add,
        "3" => HostOperation::Remove,
        "4" => HostOperation::AddGroups(ids(of, "opgroup", "groupid", GroupId)),
        "5" => HostOperation::RemoveGroups(ids(of, "opgroup", "groupid", GroupId)),
        "6" => HostOperation::Link(ids(of, "optemplate", "templateid", HostId)),
        "7" => HostOperation::Unlink(ids(of, "optemplate", "templateid", HostId)),
        "8" => HostOperation::Enable,
        "9" => HostOperation::Disable,
        "10" => {
            let mode = of.get("opinventory").and_then(Json::as_object)?;
            let mode = InventoryMode::from_code(number_of(mode, "inventory_mode"));
            HostOperation::SetInventoryMode(mode?)
        }
        "13" => HostOperation::AddTags(tags(of)),
        "14" => HostOperation::RemoveTags(tags(of)),
        _ => return None,
    };
    Some(Operation::Host(host))
}

fn ids<T>(of: &Body, list: &str, field: &str, id: fn(u64) -> T) -> Vec<T> {
    parts(of, list).map(|it| id(number_of(it, field))).collect()
}

fn tags(of: &Body) -> Vec<Tag> {
    let tag = |it: &Body| Tag {
        tag: text_of(it, "tag").to_owned(),
        value: text_of(it, "value").to_owned(),
    };
    parts(of, "optag").map(tag).collect()
}

fn command(of: &Body) -> CommandOperation {
    let script = of.get("opcommand").and_then(Json::as_object);
    let hosts = ids(of, "opcommand_hst", "hostid", HostId);
    CommandOperation {
        script: script.map_or(0, |it| number_of(it, "scriptid")),
        is_on_current: hosts.contains(&HostId::NONE),
        hosts: hosts.into_iter().filter(|it| *it != HostId::NONE).collect(),
        groups: ids(of, "opcommand_grp", "groupid", GroupId),
    }
}

fn message(of: &Body) -> Option<MessageOperation> {
    let to = match text_of(of, "operationtype") {
        "0" => Recipients::Named {
            users: ids(of, "opmessage_usr", "userid", UserId),
            groups: ids(of, "opmessage_grp", "usrgrpid", UserGroupId),
            oncall: ids(of, "opmessage_oncall", "oncallid", |it| it),
        },
        _ => Recipients::Involved,
    };
    let message = of.get("opmessage").and_then(Json::as_object)?;
    let text = match text_of(message, "default_msg") {
        "0" => MessageText::Own {
            subject: text_of(message, "subject").to_owned(),
            message: text_of(message, "message").to_owned(),
        },
        _ => MessageText::Default,
    };
    Some(MessageOperation { to, media_type: number_of(message, "mediatypeid"), text })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Json) -> Option<Operation> {
        read_operation(body.as_object().expect("an object"))
    }

    #[test]
    fn each_type_is_read_with_its_parts() {
        let command = json!({"operationtype": "1", "opcommand": {"scriptid": "4"},
            "opcommand_hst": [{"hostid": "0"}, {"hostid": "7"}], "opcommand_grp": [{"groupid": "2"}]});
        let expected = CommandOperation {
            script: 4,
            is_on_current: true,
            hosts: vec![HostId(7)],
            groups: vec![GroupId(2)],
        };
        assert_eq!(read(&command), Some(Operation::Command(expected)));
        let tag = Tag { tag: "a".to_owned(), value: "b".to_owned() };
        for (kind, part, expected) in [
            ("2", json!({}), HostOperation::Add),
            ("3", json!({}), HostOperation::Remove),
            (
                "4",
                json!({"opgroup": [{"groupid": "2"}]}),
                HostOperation::AddGroups(vec![GroupId(2)]),
            ),
            (
                "5",
                json!({"opgroup": [{"groupid": "2"}]}),
                HostOperation::RemoveGroups(vec![GroupId(2)]),
            ),
            (
                "6",
                json!({"optemplate": [{"templateid": "9"}]}),
                HostOperation::Link(vec![HostId(9)]),
            ),
            (
                "7",
                json!({"optemplate": [{"templateid": "9"}]}),
                HostOperation::Unlink(vec![HostId(9)]),
            ),
            ("8", json!({}), HostOperation::Enable),
            ("9", json!({}), HostOperation::Disable),
            (
                "10",
                json!({"opinventory": {"inventory_mode": "1"}}),
                HostOperation::SetInventoryMode(InventoryMode::Automatic),
            ),
            (
                "13",
                json!({"optag": [{"tag": "a", "value": "b"}]}),
                HostOperation::AddTags(vec![tag.clone()]),
            ),
            (
                "14",
                json!({"optag": [{"tag": "a", "value": "b"}]}),
                HostOperation::RemoveTags(vec![tag]),
            ),
        ] {
            let mut body = part.as_object().expect("an object").clone();
            body.insert("operationtype".to_owned(), json!(kind));
            let read = read_operation(&body);
            assert_eq!(read, Some(Operation::Host(expected)), "{kind}");
        }
        assert_eq!(read(&json!({"operationtype": "99"})), None);
        let message = json!({"operationtype": "12", "opmessage": {"mediatypeid": "3"}});
        assert!(matches!(
            read(&message),
            Some(Operation::Message(MessageOperation {
                to: Recipients::Involved,
                media_type: 3,
                ..
            }))
        ));
    }
}
