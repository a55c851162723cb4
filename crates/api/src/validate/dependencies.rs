//! Fields that depend on others of the same object: fields of some types only, and fields that a type
//! requires.

use model::document::Document;
use model::field_path::FieldPath;
use serde_json::{Map, Value};

use super::numbers;
use crate::describe::{Field, FieldType, When};
use crate::error::ApiError;

/// An object as far as it is read: its given fields, else the previous ones, else the defaults.
pub(super) struct Seen<'a> {
    pub(super) fields: &'a [Field],
    pub(super) given: &'a Map<String, Value>,
    pub(super) old: Option<&'a Document>,
    /// The object that it is a part of.
    pub(super) around: Option<&'a Seen<'a>>,
}

impl Seen<'_> {
    fn value(&self, name: &str) -> &str {
        if let Some(around) = self.around
            && !self.fields.iter().any(|it| it.name == name)
        {
            return around.value(name);
        }
        if let Some(given) = self.given.get(name).and_then(Value::as_str) {
            return given;
        }
        if let Some(old) = self.old {
            return old.text(name);
        }
        let field = self.fields.iter().find(|it| it.name == name);
        field.map_or("", Field::default_text)
    }

    fn holds(&self, when: &When) -> bool {
        when.one_of.contains(&self.value(when.field))
    }

    fn is_needed(&self, field: &Field) -> bool {
        !field.depends.needed.is_empty() && field.depends.needed.iter().all(|it| self.holds(it))
    }

    /// The only value that the field may have, if it does not go with the others.
    pub(super) fn default_of(&self, field: &Field) -> Option<&'static str> {
        (!field.depends.only.iter().all(|it| self.holds(it))).then(|| field.default_text())
    }

    /// Whether a field is required, not given, and not set before.
    pub(super) fn misses(&self, field: &Field) -> bool {
        self.is_needed(field)
            && self.old.is_none_or(|old| match field.depends.needed_with {
                Some(with) => old.text(with) != self.value(with),
                None => old.text(field.name).is_empty(),
            })
    }

    /// The field with the type, codes and numbers that may be given here.
    pub(super) fn narrowed(&self, field: &Field) -> Field {
        let codes = field.depends.codes.iter().find(|(it, _)| self.holds(it));
        let range = field.depends.ranges.iter().find(|(it, _)| self.holds(it));
        let own = field.depends.kinds.iter().find(|(it, _)| self.holds(it));
        let kind = match (codes, range) {
            (Some((_, codes)), _) => FieldType::Code(codes),
            (None, Some((_, [min, max]))) => FieldType::Int { min: *min, max: *max },
            (None, None) => own.map_or(field.kind, |(_, kind)| *kind),
        };
        Field { kind, ..*field }
    }

    /// Judges a value of the right type.
    pub(super) fn judge(
        &self,
        field: &Field,
        value: &Value,
        path: &FieldPath,
    ) -> Result<(), ApiError> {
        let filled = field.depends.filled;
        let is_filled = !filled.is_empty() && filled.iter().all(|it| self.holds(it));
        let may_be_empty = field.may_be_empty && matches!(field.kind, FieldType::Text { .. });
        let is_needed = self.is_needed(field) && !may_be_empty;
        if (is_needed || is_filled) && value.as_str() == Some("") {
            return Err(ApiError::field(path, "cannot be empty"));
        }
        Ok(())
    }
}

/// The value, which has to be the default. Its type is judged first, as of any other.
pub(super) fn is_default(
    field: &Field,
    value: &Value,
    default: &str,
    path: &FieldPath,
) -> Result<Value, ApiError> {
    let wrong = |what: &str| Err(ApiError::field(path, what));
    let expected = match field.kind {
        FieldType::Text { .. } | FieldType::Uuid if default.is_empty() => {
            "value must be empty".to_owned()
        }
        FieldType::Text { .. } | FieldType::Uuid => format!("value must be \"{default}\""),
        _ => format!("value must be {default}"),
    };
    let given = match field.kind {
        FieldType::Text { .. } | FieldType::Uuid => match value {
            Value::String(it) => it.clone(),
            Value::Number(it) if field.takes_numbers => it.to_string(),
            _ => return wrong("a character string is expected"),
        },
        FieldType::Id => match numbers::id(value) {
            Ok(it) => it,
            Err(what) => return wrong(what),
        },
        FieldType::List(_)
        | FieldType::Texts { .. }
        | FieldType::Object(_)
        | FieldType::Inventory(_) => {
            let is_empty = match value {
                Value::Array(it) => it.is_empty(),
                Value::Object(it) => it.is_empty(),
                _ => return wrong("an array is expected"),
            };
            return if is_empty { Ok(value.clone()) } else { wrong("should be empty") };
        }
        FieldType::Int { .. } | FieldType::Code(_) | FieldType::Timestamp => {
            match numbers::integer(value) {
                Ok(it) => it.to_string(),
                Err(what) => return wrong(what),
            }
        }
        FieldType::Bool | FieldType::Float => return wrong(&expected),
    };
    if given == default { Ok(Value::String(given)) } else { wrong(&expected) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::Rule;

    /// Whether the field of a condition may have a value. It has to come before the dependent field.
    fn may_be(before: &[Field], when: &When, value: i64) -> bool {
        match before.iter().find(|it| it.name == when.field).map(|it| it.kind) {
            Some(FieldType::Code(codes)) => codes.contains(&value),
            Some(FieldType::Int { min, max }) => (min..=max).contains(&value),
            _ => panic!("no codes before: {}", when.field),
        }
    }

    /// Fields are checked in their order: a condition's field has been read by then, and its codes are its
    /// own.
    #[test]
    fn conditions_name_earlier_fields_and_their_codes() {
        let mut n_conditions = 0;
        let each = db::objects::ALL.iter().map(|it| it.object.fields);
        for (fields, at) in each.flat_map(|it| (0..it.len()).map(move |at| (it, at))) {
            let (before, field) = (&fields[..at], &fields[at]);
            let on = field.depends;
            let all = on.only.iter().chain(on.needed).chain(on.filled);
            for when in all.chain(on.codes.iter().map(|it| &it.0)) {
                n_conditions += 1;
                let is_code = |it: &&str| may_be(before, when, it.parse().expect("a number"));
                assert!(when.one_of.iter().all(is_code), "{}: {when:?}", field.name);
            }
            if let FieldType::Code(all) = field.kind {
                let mut some = on.codes.iter().flat_map(|it| it.1);
                assert!(some.all(|it| all.contains(it)), "{}", field.name);
            }
            let is_list = matches!(field.kind, FieldType::List(_) | FieldType::Texts { .. });
            let has_default = matches!(field.rule, Rule::Default(_) | Rule::WriteOnly) || is_list;
            assert!(on.only.is_empty() || has_default, "{}", field.name);
        }
        assert!(0 < n_conditions);
    }
}
