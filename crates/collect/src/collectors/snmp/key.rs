//! The OID field of an item.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use model::key::{ItemKey, KeyParam};
use wire::snmp::{Octets, Oid, OidRef, RequestTemplate};

use super::super::request;

pub(super) type Check = request::Check<Query>;
pub(super) type Request = request::Request<Query>;

/// An object, and the form of its octets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Object {
    pub(super) oid: Oid,
    pub(super) octets: Octets,
}

impl Object {
    /// Octets are shown in hexadecimal unless they are ASCII.
    pub(super) fn plain(oid: Oid) -> Self {
        Self { oid, octets: Octets::Ascii }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Query {
    /// A single object.
    Get(Object),
    /// All objects of a request, one a check; the first check has them.
    Joined(Arc<Joined>),
    /// A single object: the one at the check's position among those that the first check of the
    /// request has.
    InJoined,
    /// A single object, with the index of a text in a column: `OID["index","base OID","text"]`.
    Index(Box<Indexed>),
    /// All objects below these, as text.
    Walk(Vec<Oid>),
    /// The rows of a table for low-level discovery: macro and column.
    Discovery(Vec<(String, Oid)>),
}

/// Plain objects of one device in one request of v1 or v2c, ready but for its id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Joined {
    pub(super) to: SocketAddr,
    /// For the whole request.
    pub(super) timeout: Duration,
    pub(super) template: RequestTemplate,
    /// For each object.
    pub(super) octets: Box<[Octets]>,
}

impl Joined {
    /// The joined part of a request, if it is one.
    pub(super) fn of_request(request: &Request) -> Option<&Arc<Self>> {
        match request.checks.first().map(|it| &it.payload) {
            Some(Query::Joined(it)) => Some(it),
            _ => None,
        }
    }

    /// See [`super::super::collector::Collector::touch`].
    pub(super) fn touch(self: &Arc<Self>) -> usize {
        let octets = self.octets.first().map_or(0, |it| usize::from(*it == Octets::Utf8));
        Arc::strong_count(self) ^ usize::from(self.to.port()) ^ octets
    }

    /// The requested objects.
    pub(super) fn objects(&self) -> impl Iterator<Item = (OidRef<'_>, Octets)> {
        let oids = self.template.varbinds().map_while(Result::ok).map(|it| it.oid);
        oids.zip(self.octets.iter().copied())
    }
}

/// An object with the index of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Indexed {
    pub(super) oid: Oid,
    pub(super) base: Oid,
    pub(super) text: String,
}

impl Default for Query {
    /// Asks for nothing.
    fn default() -> Self {
        Self::Walk(Vec::new())
    }
}

pub(super) fn is_walk(field: &str) -> bool {
    let field = field.trim_start();
    field.starts_with("walk[") || field.starts_with("discovery[")
}

impl Query {
    /// Reads a field without macros; `oid` translates the name of an object.
    ///
    /// # Errors
    /// The error of the item.
    pub(super) fn parse(
        field: &str,
        oid: impl Fn(&str) -> Result<Oid, String>,
    ) -> Result<Self, String> {
        let field = field.trim();
        let Some(bracket) = field.find('[') else {
            return Ok(Self::Get(Object::plain(oid(field)?)));
        };
        let (name, params) = field.split_at(bracket);
        // The parameters are those of a key; the name before them may have characters that no key
        // has.
        let key = ItemKey::parse(&format!("oid{params}")).map_err(|_position| invalid(field))?;
        let params: Vec<&str> = key.params.iter().map(KeyParam::as_str).collect();
        match (name, params.as_slice()) {
            ("get", [one]) => Ok(Self::Get(Object { oid: oid(one)?, octets: Octets::Utf8 })),
            ("walk", [_, ..]) => {
                params.iter().map(|it| oid(it)).collect::<Result<_, _>>().map(Self::Walk)
            }
            ("discovery", [_, _, ..]) if params.len().is_multiple_of(2) => {
                let columns = params.chunks_exact(2).map(|it| match it {
                    [name, column] if is_lld_macro(name) => Ok(((*name).to_owned(), oid(column)?)),
                    [name, ..] => Err(format!("Invalid macro \"{name}\".")),
                    [] => Err(invalid(field)),
                });
                columns.collect::<Result<_, _>>().map(Self::Discovery)
            }
            ("get" | "walk" | "discovery", _) => Err(invalid(field)),
            (name, ["index", base, text]) => {
                let text = (*text).to_owned();
                Ok(Self::Index(Box::new(Indexed { oid: oid(name)?, base: oid(base)?, text })))
            }
            (_, [method, _, _]) => {
                Err(format!("Unsupported method \"{method}\" in the OID \"{field}\"."))
            }
            _ => Err(format!("OID \"{field}\" contains unsupported parameters.")),
        }
    }
}

fn is_lld_macro(name: &str) -> bool {
    lang::macros::is_lld_macro(name)
}

fn invalid(field: &str) -> String {
    format!("Invalid SNMP OID \"{field}\".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mibs::Mibs;

    fn parse(field: &str) -> Result<Query, String> {
        let mibs = Mibs::open(Vec::new());
        Query::parse(field, |it| mibs.oid(it))
    }

    #[test]
    fn forms_of_the_oid_field() {
        let object = |text: &str, octets| {
            Query::Get(Object { oid: Oid::parse(text).expect("valid"), octets })
        };
        let get = |text: &str| object(text, Octets::Ascii);
        assert_eq!(parse(".1.3.6.1").expect("valid"), get("1.3.6.1"));
        assert_eq!(parse(" get[1.3.6.1] ").expect("valid"), object("1.3.6.1", Octets::Utf8));
        assert_eq!(parse("ifDescr.2").expect("valid"), get("1.3.6.1.2.1.2.2.1.2.2"));
        assert_eq!(parse("IF-MIB::ifDescr.2").expect("valid"), get("1.3.6.1.2.1.2.2.1.2.2"));
        assert_eq!(parse("get[ sysName.0 ]"), Ok(object("1.3.6.1.2.1.1.5.0", Octets::Utf8)));
        let named = parse("walk[IF-MIB::ifXTable,1.3.7]");
        assert_eq!(named, parse("walk[1.3.6.1.2.1.31.1.1,1.3.7]"));
        let named = parse("discovery[{#A},IF-MIB::ifAlias,{#B},ifName]");
        assert_eq!(
            named,
            parse("discovery[{#A},1.3.6.1.2.1.31.1.1.1.18,{#B},1.3.6.1.2.1.31.1.1.1.1]")
        );
        let named = parse("IF-MIB::ifHCInOctets[index,IF-MIB::ifName,x]");
        assert_eq!(named, parse("1.3.6.1.2.1.31.1.1.1.6[index,1.3.6.1.2.1.31.1.1.1.1,x]"));
        let walk = parse("walk[.1.3.6,.1.3.7]").expect("valid");
        assert!(matches!(walk, Query::Walk(it) if it.len() == 2));
        let rule = parse("discovery[{#IFNAME},.1.3.6,{#IFALIAS},.1.3.7]").expect("valid");
        assert!(matches!(rule, Query::Discovery(it) if it[1].0 == "{#IFALIAS}"));
        let index = Query::Index(Box::new(Indexed {
            oid: Oid::parse("1.3.6.1.4").expect("valid"),
            base: Oid::parse("1.3.6.1.2.1.2.2.1.2").expect("valid"),
            text: "a \"b\", c".to_owned(),
        }));
        for text in [
            r#"1.3.6.1.4["index","ifDescr", "a \"b\", c"]"#,
            r#".1.3.6.1.4[index,.1.3.6.1.2.1.2.2.1.2,"a \"b\", c"]"#,
        ] {
            assert_eq!(parse(text).as_ref(), Ok(&index), "{text}");
        }
        let wrong = |text: &str| parse(text).expect_err("wrong");
        let expected = "Unsupported method \"value\" in the OID \"1.3[value,1.3,x]\".";
        assert_eq!(wrong("1.3[value,1.3,x]"), expected);
        let expected = "OID \"1.3[index,1.3]\" contains unsupported parameters.";
        assert_eq!(wrong("1.3[index,1.3]"), expected);
        for text in [
            "",
            "x",
            "ifDescr[index,x,y]",
            "A::b[index,1.3,y]",
            "walk[]",
            "walk",
            "get[1.3,1.4]",
            "discovery[{#A}]",
            "discovery[A,1.3]",
            "1.3[",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
