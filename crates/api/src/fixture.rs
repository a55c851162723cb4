//! An object of the API that is nowhere but in tests.

use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes,
};

pub(crate) const FIXTURE: Object = Object {
    name: "device",
    type_name: "Device",
    nouns: Nouns { one: "a device", several: "devices" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "deviceid",
    ids: "deviceids",
    fields: &[
        Field::new("deviceid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 9 }, Rule::Required, "Name"),
    ],
    selects: &[Select::new("selectParts", "parts", Gives::Nothing).countable()],
    params: Params::of(&[]),
    sort: &["deviceid", "name"],
    doc: "A device",
};
