//! The rules of a field in sentences, for the reference and the OpenRPC document.
//!
//! Every rule of a row has one. A new rule does not compile here until it has.

use model::version::Versions;

use crate::describe::{Depends, Field, FieldType, Form, Inherited, Rule, When};

/// The rules of a field, in words without a full stop: length, form, the fields that it depends on. Its type,
/// range, codes and default are shown in columns of their own.
#[expect(
    clippy::too_many_lines,
    reason = "a line for each rule, all in one place: none is left out"
)]
pub(super) fn of(field: &Field) -> Vec<String> {
    let Field {
        name: _,
        kind,
        rule,
        inherited,
        may_be_empty,
        takes_numbers,
        missing_message,
        is_answered_list,
        is_fixed,
        is_update_only,
        is_part_id,
        ignores_unknown,
        takes_one,
        is_each_once,
        is_list_only,
        is_never_empty: _,
        words,
        form,
        judge: _,
        is_judged_later,
        range,
        accepts: _,
        implied: _,
        unique,
        is_ignored,
        is_secret,
        is_blob,
        tag,
        constants,
        refers,
        depends,
        versions,
        codes_by_version,
        doc: _,
    } = *field;
    let mut rules: Vec<String> = Vec::new();
    let mut if_so = |is_so: bool, text: &str| {
        if is_so {
            rules.push(text.to_owned());
        }
    };
    let is_list = matches!(kind, FieldType::List(_) | FieldType::Texts { .. });
    let is_text = matches!(kind, FieldType::Text { .. } | FieldType::Uuid);
    if_so(is_filled(field), "not empty");
    if_so(may_be_empty, if is_text { "may be empty" } else { "an empty object stands for none" });
    if_so(takes_numbers, "a number is taken as well");
    if_so(takes_one, "one text stands for a list of one");
    if_so(
        matches!(kind, FieldType::List([_, ..])) && !is_list_only && rule != Rule::ReadOnly,
        "one object stands for a list of one",
    );
    if_so(is_each_once, "no text twice");
    if_so(is_list_only, "a list only: one object does not stand for it");
    if_so(
        ignores_unknown,
        "unknown members of its parts are ignored where those of the object are",
    );
    if_so(
        is_part_id,
        "names a part that is there; at creation any number, by which other parts name it",
    );
    if_so(is_ignored, "ignored where it is given, and returned");
    if_so(is_judged_later, "judged with the rest of the object, whatever its type is");
    if_so(is_answered_list, "returned without a `select…` parameter");
    if_so(is_fixed || matches!(rule, Rule::Constant(_)), "not changed later");
    if_so(is_update_only, "in changes only");
    if_so(is_secret, "masked in the audit log and left out of files");
    if_so(is_blob, "the audit log does not have it");
    if_so(inherited == Inherited::Override, "may differ from the template");
    match kind {
        FieldType::Text { max } | FieldType::Texts { max } if max != usize::MAX => {
            rules.push(format!("at most {max} characters{}", if is_list { " each" } else { "" }));
        }
        _ => {}
    }
    if !words.is_empty() {
        rules.push(format!("one of {}", quoted(words)));
    }
    if let Some(Form { name: _, doc, range, judge: _ }) = form {
        let range = range.map(|[min, max]| format!(", {min} to {max}")).unwrap_or_default();
        rules.push(format!("{doc}{range}"));
    }
    if let Some(range) = range {
        rules.push(format!("from {}", range.replacen('-', " to ", 1)));
    }
    for names in unique {
        rules.push(format!("no two with the same {}", quoted(names)));
    }
    if let Some(refers) = refers {
        rules.push(format!(
            "id of an object of `{}`, which stays as long as it is named here",
            refers.to
        ));
    }
    if let Some(message) = missing_message {
        rules.push(format!("where it is left out: \"{message}\""));
    }
    rules.extend(dependencies(depends));
    if versions != Versions::ALL {
        rules.push(versions.to_string());
    }
    for (code, versions) in codes_by_version.0 {
        rules.push(format!("`{code}` {versions}"));
    }
    if let Some(tag) = tag {
        rules.push(format!("`{tag}` in files"));
    }
    if !constants.is_empty() {
        let names = constants.iter().map(|(name, code)| format!("{code} `{name}`"));
        rules.push(format!("in files: {}", names.collect::<Vec<_>>().join(", ")));
    }
    rules
}

/// Whether nothing is refused where it is given: an empty text, a list of nothing.
pub(super) fn is_filled(field: &Field) -> bool {
    let is_list = matches!(field.kind, FieldType::List(_) | FieldType::Texts { .. });
    let is_text = matches!(field.kind, FieldType::Text { .. } | FieldType::Uuid);
    let has_to_be = field.is_never_empty || field.rule == Rule::Required;
    has_to_be && (is_list || is_text) && !field.may_be_empty
}

fn quoted(names: &[&str]) -> String {
    let names = names
        .iter()
        .map(|it| if it.is_empty() { "an empty text".to_owned() } else { format!("`{it}`") });
    names.collect::<Vec<_>>().join(", ")
}

/// The fields of the object that decide about this one.
fn dependencies(depends: &Depends) -> Vec<String> {
    let Depends {
        only,
        needed,
        needed_with,
        filled,
        codes,
        ranges,
        kinds,
        is_absent_elsewhere,
        goes_with,
    } = depends;
    let mut rules = Vec::new();
    if !goes_with.is_empty() {
        rules.push(format!("only with {}", all(goes_with)));
    }
    if !only.is_empty() {
        let elsewhere = if *is_absent_elsewhere { "not known" } else { "its default" };
        rules.push(format!("only with {}, elsewhere {elsewhere}", all(only)));
    }
    if !needed.is_empty() {
        let changed = needed_with.map(|it| format!(" where `{it}` is given or changed"));
        rules.push(format!("needed with {}{}", all(needed), changed.unwrap_or_default()));
    }
    if !filled.is_empty() {
        rules.push(format!("not empty with {}", all(filled)));
    }
    for (when, codes) in *codes {
        let codes: Vec<_> = codes.iter().map(ToString::to_string).collect();
        rules.push(format!("with {} one of {}", one(when), codes.join(", ")));
    }
    for (when, [min, max]) in *ranges {
        rules.push(format!("with {} {min} to {max}", one(when)));
    }
    for (when, kind) in *kinds {
        rules.push(format!("with {} {}", one(when), named(*kind)));
    }
    rules
}

/// A type that another field decides about.
fn named(kind: FieldType) -> String {
    match kind {
        FieldType::Id => "an id".to_owned(),
        FieldType::Int { min, max } => format!("{min} to {max}"),
        FieldType::Code(codes) => {
            let codes: Vec<_> = codes.iter().map(ToString::to_string).collect();
            format!("one of {}", codes.join(", "))
        }
        FieldType::Text { max } => format!("a text of at most {max} characters"),
        other => format!("{other:?}"),
    }
}

fn one(it: &When) -> String {
    format!(
        "`{}` {}",
        it.field,
        it.one_of.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
    )
}

fn all(when: &[When]) -> String {
    when.iter().map(one).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use model::version::Version;

    use super::*;
    use crate::describe::{CodesByVersion, Refers};

    const TEXT: Field = Field::new("a", FieldType::Text { max: usize::MAX }, Rule::Optional, "A");
    const PART: &[Field] = &[TEXT];
    const LIST: Field = Field::new("a", FieldType::List(PART), Rule::Optional, "A");
    const LATER: CodesByVersion = CodesByVersion(&[(1, Versions::since(Version::V7_4))]);
    const ONLY: Depends = Depends::only(WHEN);
    const KNOWN: Depends = Depends::known(WHEN);
    const GOES_WITH: Depends = Depends::goes_with(WHEN);
    const NEEDED: Depends = Depends::needed(WHEN);
    const NEEDED_WITH: Depends = Depends::needed_with("type", WHEN);
    const FILLED: Depends = Depends::filled(&[], WHEN);
    const CODES: Depends = Depends::codes(&[(BY_TYPE, &[0])]);
    const RANGES: Depends = Depends::ranges(&[(BY_TYPE, [1, 5])]);
    const KINDS: Depends = Depends::kinds(&[(BY_TYPE, FieldType::Id)]);
    const BY_TYPE: When = When::of("type", &["1", "2"]);
    const WHEN: &[When] = &[BY_TYPE];
    const PORT: Form = Form::new("port", "a port", |_| Ok(())).within(0, 65_535);
    const OF: Refers = Refers { to: "host", missing_message: "", used_messages: ["", ""] };

    #[test]
    fn each_rule_has_a_sentence() {
        let coded = Field { kind: FieldType::Code(&[0, 1]), ..TEXT };
        for (field, expected) in [
            (Field { rule: Rule::Required, ..TEXT }, "not empty"),
            (TEXT.never_empty(), "not empty"),
            (TEXT.or_empty(), "may be empty"),
            (TEXT.or_number(), "a number is taken as well"),
            (TEXT.or_message("gone"), "where it is left out: \"gone\""),
            (LIST.answered(), "returned without a `select…` parameter"),
            (TEXT.fixed(), "not changed later"),
            (TEXT.update_only(), "in changes only"),
            (Field { kind: FieldType::Texts { max: 5 }, ..TEXT }.each_once(), "no text twice"),
            (Field { rule: Rule::Constant(""), ..TEXT }, "not changed later"),
            (
                TEXT.of_part(),
                "names a part that is there; at creation any number, by which other parts name it",
            ),
            (
                LIST.lenient(),
                "unknown members of its parts are ignored where those of the object are",
            ),
            (Field { kind: FieldType::Texts { max: 5 }, ..TEXT }, "at most 5 characters each"),
            (
                Field { kind: FieldType::Texts { max: 5 }, ..TEXT }.or_one(),
                "one text stands for a list of one",
            ),
            (LIST, "one object stands for a list of one"),
            (LIST.list_only(), "a list only: one object does not stand for it"),
            (TEXT.words(&["", "x"]), "one of an empty text, `x`"),
            (TEXT.shaped(&PORT), "a port, 0 to 65535"),
            (TEXT.judged_later(), "judged with the rest of the object, whatever its type is"),
            (coded.shown_as("00:00-23:59"), "from 00:00 to 23:59"),
            (LIST.unique(&[&["tag", "value"]]), "no two with the same `tag`, `value`"),
            (TEXT.ignored(), "ignored where it is given, and returned"),
            (TEXT.secret(), "masked in the audit log and left out of files"),
            (TEXT.blob(), "the audit log does not have it"),
            (TEXT.tagged("b"), "`b` in files"),
            (coded.named(&[("OFF", 0), ("ON", 1)]), "in files: 0 `OFF`, 1 `ON`"),
            (TEXT.of(OF), "id of an object of `host`, which stays as long as it is named here"),
            (TEXT.overridable(), "may differ from the template"),
            (Field { kind: FieldType::Text { max: 9 }, ..TEXT }, "at most 9 characters"),
            (TEXT.since(Version::V7_2), "since 7.2"),
            (TEXT.until(Version::V7_0), "until 7.0"),
            (coded.codes_of(&LATER), "`1` since 7.4"),
            (TEXT.depends(&ONLY), "only with `type` `1`, `2`, elsewhere its default"),
            (TEXT.depends(&GOES_WITH), "only with `type` `1`, `2`"),
            (TEXT.depends(&KNOWN), "only with `type` `1`, `2`, elsewhere not known"),
            (TEXT.depends(&NEEDED), "needed with `type` `1`, `2`"),
            (
                TEXT.depends(&NEEDED_WITH),
                "needed with `type` `1`, `2` where `type` is given or changed",
            ),
            (TEXT.depends(&FILLED), "not empty with `type` `1`, `2`"),
            (coded.depends(&CODES), "with `type` `1`, `2` one of 0"),
            (coded.depends(&RANGES), "with `type` `1`, `2` 1 to 5"),
            (TEXT.depends(&KINDS), "with `type` `1`, `2` an id"),
        ] {
            let rules = of(&field);
            assert!(rules.iter().any(|it| it == expected), "{expected}: {rules:?}");
        }
        assert!(of(&TEXT).is_empty(), "{:?}", of(&TEXT));
    }
}
