//! Rows that an object is related to: the source of the objects of `select…` parameters.

use std::sync::Arc;

use db::events::EventRow;
use db::{AlertRow, DiscoveredHost, Problem};
use model::content::{Interface, User, UserGroup, ValueMap};
use model::document::Document;
use model::snapshot::{GraphRow, Host, HostPrototypeRow, ItemRow, TriggerRow};

/// Rows of one kind, which the object of that kind can write.
#[derive(Debug)]
pub(crate) enum Related<'a> {
    /// Hosts or templates.
    Holders(Vec<&'a Arc<Host>>),
    /// Items, prototypes or discovery rules.
    Items(Vec<(&'a Arc<Host>, &'a ItemRow)>),
    /// Triggers or prototypes.
    Triggers(Vec<(&'a Arc<Host>, &'a TriggerRow)>),
    /// Graphs or prototypes.
    Graphs(Vec<(&'a Arc<Host>, &'a GraphRow)>),
    HostPrototypes(Vec<(&'a Arc<Host>, &'a HostPrototypeRow)>),
    /// Ids of host groups or template groups; those that the user may not see are left out.
    Groups(Vec<u64>),
    Interfaces(Vec<(&'a Arc<Host>, &'a Interface)>),
    ValueMaps(Vec<(&'a Arc<Host>, &'a ValueMap)>),
    /// An event, with its problem if it has one.
    Event(&'a EventRow, Option<&'a Problem>),
    /// The alerts of an event.
    Alerts(&'a [AlertRow]),
    Users(Vec<&'a Arc<User>>),
    UserGroups(Vec<&'a Arc<UserGroup>>),
    /// Objects that their descriptions say everything of.
    Documents(Vec<&'a Arc<Document>>),
    /// Devices found by rules of network discovery.
    DiscoveredHosts(Vec<&'a DiscoveredHost>),
}
