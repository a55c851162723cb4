//! One condition of an action.

use lang::global_regexp::TextPattern;
use lang::net::{IpRanges, PortRanges};
use model::content::{GlobalRegexp, Severity, Tag};

use super::facts::{ConditionFacts, ObjectLink};
use super::operator::ConditionOperator;
use crate::EventSource;

/// `conditiontype` of Zabbix 7.0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ConditionKind {
    HostGroup,
    Host,
    Trigger,
    EventName,
    Severity,
    TimePeriod,
    HostIp,
    ServiceType,
    ServicePort,
    DiscoveryStatus,
    Duration,
    ReceivedValue,
    Template,
    Suppressed,
    DiscoveryRule,
    DiscoveryCheck,
    Proxy,
    DiscoveryObject,
    HostName,
    EventType,
    HostMetadata,
    Tag,
    TagValue,
    Service,
    ServiceName,
}

/// Of a kind: its code, its name, the sources that have it, and its operators.
type Row = (ConditionKind, u8, &'static str, &'static [EventSource], &'static [ConditionOperator]);

const EQUALITY: &[ConditionOperator] = &[ConditionOperator::Equal, ConditionOperator::NotEqual];
const TEXT: &[ConditionOperator] = &[
    ConditionOperator::Equal,
    ConditionOperator::NotEqual,
    ConditionOperator::Contains,
    ConditionOperator::NotContains,
];
const PART: &[ConditionOperator] = &[ConditionOperator::Contains, ConditionOperator::NotContains];
const PATTERN: &[ConditionOperator] = &[
    ConditionOperator::Contains,
    ConditionOperator::NotContains,
    ConditionOperator::Matches,
    ConditionOperator::NotMatches,
];

const TABLE: &[Row] = {
    use ConditionKind as Kind;
    use ConditionOperator::{
        AtLeast, AtMost, Contains, Equal, In, No, NotContains, NotEqual, NotIn, Yes,
    };
    use EventSource::{Autoregistration, Discovery, Internal, Service, Trigger};
    const HOSTS: &[EventSource] = &[Trigger, Internal];
    const TAGS: &[EventSource] = &[Trigger, Internal, Service];
    &[
        (Kind::HostGroup, 0, "host group", HOSTS, EQUALITY),
        (Kind::Host, 1, "host", HOSTS, EQUALITY),
        (Kind::Trigger, 2, "trigger", &[Trigger], EQUALITY),
        (Kind::EventName, 3, "event name", &[Trigger], PART),
        (Kind::Severity, 4, "severity", &[Trigger], &[Equal, NotEqual, AtLeast, AtMost]),
        (Kind::TimePeriod, 6, "time period", &[Trigger], &[In, NotIn]),
        (Kind::HostIp, 7, "host IP", &[Discovery], EQUALITY),
        (Kind::ServiceType, 8, "service type", &[Discovery], EQUALITY),
        (Kind::ServicePort, 9, "service port", &[Discovery], EQUALITY),
        (Kind::DiscoveryStatus, 10, "discovery status", &[Discovery], &[Equal]),
        (Kind::Duration, 11, "uptime or downtime", &[Discovery], &[AtLeast, AtMost]),
        (
            Kind::ReceivedValue,
            12,
            "received value",
            &[Discovery],
            &[Equal, NotEqual, AtLeast, AtMost, Contains, NotContains],
        ),
        (Kind::Template, 13, "template", HOSTS, EQUALITY),
        (Kind::Suppressed, 16, "problem is suppressed", &[Trigger], &[Yes, No]),
        (Kind::DiscoveryRule, 18, "discovery rule", &[Discovery], EQUALITY),
        (Kind::DiscoveryCheck, 19, "discovery check", &[Discovery], EQUALITY),
        (Kind::Proxy, 20, "proxy", &[Discovery, Autoregistration], EQUALITY),
        (Kind::DiscoveryObject, 21, "discovery object", &[Discovery], &[Equal]),
        (Kind::HostName, 22, "host name", &[Autoregistration], PATTERN),
        (Kind::EventType, 23, "event type", &[Internal], &[Equal]),
        (Kind::HostMetadata, 24, "host metadata", &[Autoregistration], PATTERN),
        (Kind::Tag, 25, "tag", TAGS, TEXT),
        (Kind::TagValue, 26, "tag value", TAGS, TEXT),
        (Kind::Service, 27, "service", &[Service], EQUALITY),
        (Kind::ServiceName, 28, "service name", &[Service], PART),
    ]
};

impl ConditionKind {
    fn row(self) -> &'static Row {
        TABLE.iter().find(|it| it.0 == self).expect("each kind has a row")
    }

    /// Of a source, by code.
    pub fn all_of(source: EventSource) -> impl Iterator<Item = Self> {
        TABLE.iter().filter(move |it| it.3.contains(&source)).map(|it| it.0)
    }

    /// As the API has it.
    #[must_use]
    pub fn code(self) -> u8 {
        self.row().1
    }

    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        TABLE.iter().find(|it| it.1 == code).map(|it| it.0)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// Its operators.
    #[must_use]
    pub fn operators(self) -> &'static [ConditionOperator] {
        self.row().4
    }

    /// The type of object whose id is its value.
    #[must_use]
    pub const fn link(self) -> Option<ObjectLink> {
        Some(match self {
            Self::HostGroup => ObjectLink::HostGroup,
            Self::Host => ObjectLink::Host,
            Self::Trigger => ObjectLink::Trigger,
            Self::Template => ObjectLink::Template,
            Self::DiscoveryRule => ObjectLink::DiscoveryRule,
            Self::DiscoveryCheck => ObjectLink::DiscoveryCheck,
            Self::Proxy => ObjectLink::Proxy,
            Self::Service => ObjectLink::Service,
            _ => return None,
        })
    }
}

/// Whether the event is about a device: it meets no condition on services, nor on their absence, as in Zabbix.
fn is_device(facts: &dyn ConditionFacts) -> bool {
    facts.event().discovery.as_ref().is_some_and(|it| it.object == DEVICE)
}

/// `object` of events about devices.
const DEVICE: u8 = 1;

/// One condition as it is asked.
#[derive(Clone, Debug)]
pub struct Condition {
    pub kind: ConditionKind,
    pub operator: ConditionOperator,
    /// As users wrote it.
    pub value: String,
    /// Of tag values: the tag.
    pub tag: String,
    test: Test,
}

/// The value, parsed.
#[derive(Clone, Debug)]
enum Test {
    Text,
    Id(ObjectLink, u64),
    Number(i64),
    Severity(Severity),
    Pattern(TextPattern),
    Addresses(IpRanges),
    Ports(PortRanges),
}

/// Whether a condition is met, and the value of the event that decided it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConditionResult {
    pub is_met: bool,
    pub value: String,
}

impl Condition {
    /// Parses a condition of the configuration. `regexps`: the global regular expressions.
    ///
    /// # Errors
    /// The part that cannot be read.
    pub fn new(
        kind: ConditionKind,
        operator: ConditionOperator,
        (value, tag): (&str, &str),
        regexps: &[GlobalRegexp],
    ) -> Result<Self, String> {
        if !kind.operators().contains(&operator) {
            return Err(format!("a condition on {} has no such operator", kind.name()));
        }
        let number =
            || value.parse::<i64>().ok().ok_or_else(|| format!("\"{value}\" is no number"));
        let test = match kind {
            _ if kind.link().is_some() => {
                let id = value.parse().ok().ok_or_else(|| format!("\"{value}\" is no id"))?;
                Test::Id(kind.link().unwrap_or(ObjectLink::Host), id)
            }
            ConditionKind::Severity => {
                let severity = Severity::from_code(number()?);
                Test::Severity(severity.ok_or_else(|| format!("\"{value}\" is no severity"))?)
            }
            ConditionKind::HostIp => {
                let ranges = IpRanges::parse(value);
                Test::Addresses(ranges.ok_or_else(|| format!("\"{value}\" are no addresses"))?)
            }
            ConditionKind::ServicePort => {
                let ports = PortRanges::parse(value);
                Test::Ports(ports.ok_or_else(|| format!("\"{value}\" are no ports"))?)
            }
            ConditionKind::ServiceType
            | ConditionKind::DiscoveryStatus
            | ConditionKind::Duration
            | ConditionKind::DiscoveryObject
            | ConditionKind::EventType => Test::Number(number()?),
            ConditionKind::HostName | ConditionKind::HostMetadata
                if matches!(
                    operator,
                    ConditionOperator::Matches | ConditionOperator::NotMatches
                ) =>
            {
                let pattern = TextPattern::new(value, regexps).map_err(|it| it.to_string())?;
                Test::Pattern(pattern)
            }
            _ => Test::Text,
        };
        Ok(Self { kind, operator, value: value.to_owned(), tag: tag.to_owned(), test })
    }

    /// The object that it names by id, if that does not exist.
    pub(super) fn missing(&self, facts: &dyn ConditionFacts) -> Option<(ObjectLink, u64)> {
        match self.test {
            Test::Id(link, id) if facts.is_linked(link, id).is_none() => Some((link, id)),
            _ => None,
        }
    }

    /// Evaluates it for an event. A condition on facts that events of this source do not have is
    /// not met.
    pub(super) fn ask(&self, facts: &dyn ConditionFacts) -> ConditionResult {
        let event = facts.event();
        let is_negation = self.operator.is_negation();
        let result = |is: bool, value: String| ConditionResult { is_met: is != is_negation, value };
        let not_met = || ConditionResult { is_met: false, value: String::new() };
        if let Test::Id(link, id) = self.test {
            if link == ObjectLink::DiscoveryCheck && is_device(facts) {
                return not_met();
            }
            let is_linked = facts.is_linked(link, id).unwrap_or(is_negation);
            return result(is_linked, String::new());
        }
        match self.kind {
            ConditionKind::EventName => {
                result(event.name.contains(&self.value), event.name.clone())
            }
            ConditionKind::Severity => {
                let Test::Severity(bound) = self.test else { return not_met() };
                let is_met = match self.operator {
                    ConditionOperator::AtLeast => bound <= event.severity,
                    ConditionOperator::AtMost => event.severity <= bound,
                    _ => (event.severity == bound) != is_negation,
                };
                ConditionResult { is_met, value: event.severity.code().to_string() }
            }
            ConditionKind::TimePeriod => match facts.is_within(&self.value) {
                Some(is) => result(is, String::new()),
                None => not_met(),
            },
            ConditionKind::Suppressed => {
                let value = if event.is_suppressed { "yes" } else { "no" };
                result(event.is_suppressed, value.to_owned())
            }
            ConditionKind::EventType => match (event.internal, &self.test) {
                (Some(kind), Test::Number(code)) => {
                    result(i64::from(kind.code()) == *code, kind.name().to_owned())
                }
                _ => not_met(),
            },
            ConditionKind::Tag => self.of_texts(&event.tags, |_| true, |it| &it.tag),
            ConditionKind::TagValue => {
                self.of_texts(&event.tags, |it| it.tag == self.tag, |it| &it.value)
            }
            ConditionKind::ServiceName => match &event.service {
                Some(name) => self.of_text(name),
                None => not_met(),
            },
            ConditionKind::HostName | ConditionKind::HostMetadata => {
                let Some(of) = &event.autoregistration else { return not_met() };
                let is_name = self.kind == ConditionKind::HostName;
                self.of_text(if is_name { &of.host } else { &of.metadata })
            }
            _ => self.of_discovery(facts).unwrap_or_else(not_met),
        }
    }

    fn holds(&self, text: &str) -> bool {
        match (&self.test, self.operator) {
            (Test::Pattern(it), _) => it.is_match(text).unwrap_or(false),
            (_, ConditionOperator::Contains | ConditionOperator::NotContains) => {
                text.contains(&self.value)
            }
            _ => text == self.value,
        }
    }

    fn of_text(&self, text: &str) -> ConditionResult {
        let is_met = self.holds(text) != self.operator.is_negation();
        ConditionResult { is_met, value: text.to_owned() }
    }

    /// One text is enough, or with a negation none may be.
    fn of_texts(
        &self,
        tags: &[Tag],
        is_asked: impl Fn(&Tag) -> bool,
        text: impl Fn(&Tag) -> &str,
    ) -> ConditionResult {
        let asked = tags.iter().filter(|it| is_asked(it)).map(text);
        let asked: Vec<&str> = asked.collect();
        let is_any = asked.iter().any(|it| self.holds(it));
        ConditionResult { is_met: is_any != self.operator.is_negation(), value: asked.join(", ") }
    }

    fn of_discovery(&self, facts: &dyn ConditionFacts) -> Option<ConditionResult> {
        let of = facts.event().discovery.as_ref()?;
        let is_of_service = matches!(
            self.kind,
            ConditionKind::ServicePort | ConditionKind::ServiceType | ConditionKind::ReceivedValue
        );
        if is_of_service && is_device(facts) {
            return None;
        }
        let is_negation = self.operator.is_negation();
        let result =
            |is: bool, value: String| Some(ConditionResult { is_met: is != is_negation, value });
        let join = |list: Vec<String>| list.join(", ");
        match (self.kind, &self.test) {
            (ConditionKind::HostIp, Test::Addresses(ranges)) => {
                let shown = of.addresses.iter().map(ToString::to_string).collect();
                result(of.addresses.iter().any(|it| ranges.contains(*it)), join(shown))
            }
            (ConditionKind::ServicePort, Test::Ports(ports)) => {
                let shown = of.ports.iter().map(ToString::to_string).collect();
                result(of.ports.iter().any(|it| ports.contains(*it)), join(shown))
            }
            (ConditionKind::ServiceType, Test::Number(code)) => {
                let shown = of.service_types.iter().map(ToString::to_string).collect();
                let is_any = of.service_types.iter().any(|it| i64::from(*it) == *code);
                result(is_any, join(shown))
            }
            (ConditionKind::DiscoveryStatus, Test::Number(code)) => {
                result(i64::from(of.status) == *code, of.status.to_string())
            }
            (ConditionKind::DiscoveryObject, Test::Number(code)) => {
                result(i64::from(of.object) == *code, of.object.to_string())
            }
            (ConditionKind::Duration, Test::Number(bound)) => {
                let is_met = match self.operator {
                    ConditionOperator::AtLeast => *bound <= of.lasts_s,
                    _ => of.lasts_s <= *bound,
                };
                Some(ConditionResult { is_met, value: format!("{} s", of.lasts_s) })
            }
            (ConditionKind::ReceivedValue, _) => {
                let holds = |it: &String| match self.operator {
                    ConditionOperator::AtLeast => self.value.as_str() <= it.as_str(),
                    ConditionOperator::AtMost => it.as_str() <= self.value.as_str(),
                    _ => self.holds(it),
                };
                result(of.values.iter().any(holds), of.values.join(", "))
            }
            _ => None,
        }
    }
}
