//! What the OID field of an item asks for.

use model::key::{ItemKey, KeyParam};
use wire::snmp::Oid;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Query {
    /// One object.
    Get(Oid),
    /// All objects below some, as text.
    Walk(Vec<Oid>),
    /// The rows of a table for low-level discovery: macro and column.
    Discovery(Vec<(String, Oid)>),
}

pub(super) fn is_walk(field: &str) -> bool {
    let field = field.trim_start();
    field.starts_with("walk[") || field.starts_with("discovery[")
}

impl Query {
    /// Reads a field without macros.
    ///
    /// # Errors
    /// What the user is told.
    pub(super) fn parse(field: &str) -> Result<Self, String> {
        let field = field.trim();
        if !field.contains('[') {
            return Ok(Self::Get(oid(field)?));
        }
        let key = ItemKey::parse(field).map_err(|_position| invalid(field))?;
        let params: Vec<&str> = key.params.iter().map(KeyParam::as_str).collect();
        match (key.name.as_str(), params.as_slice()) {
            ("get", [one]) => Ok(Self::Get(oid(one)?)),
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
            _ => Err(invalid(field)),
        }
    }
}

fn is_lld_macro(name: &str) -> bool {
    lang::macros::is_lld_macro(name)
}

fn oid(text: &str) -> Result<Oid, String> {
    Oid::parse(text).map_err(|_malformed| {
        format!("Cannot parse OID \"{text}\": only numbers and a few names are known.")
    })
}

fn invalid(field: &str) -> String {
    format!("Invalid SNMP OID \"{field}\".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_the_oid_field() {
        let get = |text: &str| Query::Get(Oid::parse(text).expect("valid"));
        assert_eq!(Query::parse(".1.3.6.1").expect("valid"), get("1.3.6.1"));
        assert_eq!(Query::parse(" get[1.3.6.1] ").expect("valid"), get("1.3.6.1"));
        assert_eq!(Query::parse("ifDescr.2").expect("valid"), get("1.3.6.1.2.1.2.2.1.2.2"));
        let walk = Query::parse("walk[.1.3.6,.1.3.7]").expect("valid");
        assert!(matches!(walk, Query::Walk(it) if it.len() == 2));
        let rule = Query::parse("discovery[{#IFNAME},.1.3.6,{#IFALIAS},.1.3.7]").expect("valid");
        assert!(matches!(rule, Query::Discovery(it) if it[1].0 == "{#IFALIAS}"));
        for text in [
            "",
            "x",
            "walk[]",
            "walk",
            "get[1.3,1.4]",
            "discovery[{#A}]",
            "discovery[A,1.3]",
            "1.3[",
        ] {
            assert!(Query::parse(text).is_err(), "{text}");
        }
    }
}
