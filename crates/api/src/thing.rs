//! An object of the API that is nowhere but in tests.

use crate::describe::{Field, FieldType, Gives, Object, Params, Rule, Select};

pub(crate) const THING: Object = Object {
    name: "thing",
    type_name: "Thing",
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
