//! Macros that name fields of a host's inventory: `{INVENTORY.OS}`, and older names of them.

use model::content::INVENTORY_FIELDS;

/// The number of the field that a macro names.
#[must_use]
pub fn inventory_number(name: &str) -> Option<u8> {
    let written = match name.strip_prefix("PROFILE.") {
        Some("DEVICETYPE") => "TYPE".to_owned(),
        Some(it @ ("SERIALNO" | "MACADDRESS")) => format!("{it}.A"),
        Some(
            it @ ("NAME" | "OS" | "TAG" | "HARDWARE" | "SOFTWARE" | "CONTACT" | "LOCATION"
            | "NOTES"),
        ) => it.to_owned(),
        Some(_) => return None,
        None => name.strip_prefix("INVENTORY.")?.to_owned(),
    };
    let at = INVENTORY_FIELDS.iter().position(|it| inventory_macro(it.name) == written)?;
    u8::try_from(at + 1).ok()
}

/// `POC.PRIMARY.PHONE.A` of `poc_1_phone_a`.
fn inventory_macro(field: &str) -> String {
    let field = match field.split_once('_') {
        Some(("poc", rest)) if rest.starts_with("1_") => {
            format!("poc_primary_{}", rest.trim_start_matches("1_"))
        }
        Some(("poc", rest)) => format!("poc_secondary_{}", rest.trim_start_matches("2_")),
        Some(("date", rest)) => rest.replacen("hw_", "hw_date_", 1),
        _ => field.to_owned(),
    };
    field.to_uppercase().replace('_', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inventory_fields_have_names_of_their_own() {
        let mut names: Vec<String> =
            INVENTORY_FIELDS.iter().map(|it| inventory_macro(it.name)).collect();
        for (at, name) in names.iter().enumerate() {
            let number = inventory_number(&format!("INVENTORY.{name}"));
            assert_eq!(number, u8::try_from(at + 1).ok());
        }
        for name in ["POC.PRIMARY.PHONE.A", "POC.SECONDARY.NOTES", "HW.DATE.EXPIRY", "OS.FULL"] {
            assert!(names.iter().any(|it| it == name), "{name}");
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), INVENTORY_FIELDS.len());
        assert_eq!(inventory_number("PROFILE.SERIALNO"), inventory_number("INVENTORY.SERIALNO.A"));
        assert_eq!(inventory_number("PROFILE.POC.PRIMARY.NAME"), None);
    }
}
