//! The kinds of objects that an edit works on.

/// The kinds of objects that `create`, `update` and `delete` work on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKind {
    HostGroup,
    TemplateGroup,
    Host,
    Template,
    Item,
    DiscoveryRule,
    ItemPrototype,
    DiscoveryRulePrototype,
    Trigger,
    TriggerPrototype,
    Graph,
    GraphPrototype,
    HostPrototype,
    HostMacro,
    GlobalMacro,
    HostInterface,
    ValueMap,
    User,
    UserGroup,
    Token,
    /// One that its description says everything of.
    Document(DocumentKind),
}

impl ObjectKind {
    /// As in method names of the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HostGroup => "hostgroup",
            Self::TemplateGroup => "templategroup",
            Self::Host => "host",
            Self::Template => "template",
            Self::Item => "item",
            Self::DiscoveryRule => "discoveryrule",
            Self::ItemPrototype => "itemprototype",
            Self::DiscoveryRulePrototype => "discoveryruleprototype",
            Self::Trigger => "trigger",
            Self::TriggerPrototype => "triggerprototype",
            Self::Graph => "graph",
            Self::GraphPrototype => "graphprototype",
            Self::HostPrototype => "hostprototype",
            Self::HostMacro | Self::GlobalMacro => "usermacro",
            Self::HostInterface => "hostinterface",
            Self::ValueMap => "valuemap",
            Self::User => "user",
            Self::UserGroup => "usergroup",
            Self::Token => "token",
            Self::Document(kind) => kind.name(),
        }
    }
}

/// One of the objects that are kept as documents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DocumentKind(pub(super) &'static str);

impl DocumentKind {
    /// As in method names of the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}
