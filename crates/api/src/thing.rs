//! An object of the API that is nowhere but in tests.

use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes,
};

pub(crate) const THING: Object = Object {
    name: "thing",
    type_name: "Thing",
    nouns: Nouns { one: "a thing", several: "things" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "thingid",
    ids: "thingids",
    fields: &[
        Field::new("thingid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 9 }, Rule::Required, "Name"),
    ],
    selects: &[Select::new("selectParts", "parts", Gives::Nothing).countable()],
    params: Params::of(&[]),
    sort: &["thingid", "name"],
    doc: "A thing",
};
