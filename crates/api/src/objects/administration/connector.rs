//! Connectors: the rules that their description does not have.

use model::field_path::FieldPath;

use crate::error::ApiError;
use crate::json::{Fields, id_of};
use crate::objects::common::document::Special;
use crate::shared::Ctx;
use crate::validate::Mode;

const KIND: &str = "connector";

pub(crate) const SPECIAL: Special = Special { check, ..Special::NOTHING };

/// One that is not there is a wrong parameter here, as in Zabbix.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let id = id_of(fields, "connectorid").unwrap_or_default();
    if mode == Mode::Update && ctx.snapshot.documents.get(KIND, id).is_none() {
        let none = ApiError::no_permissions();
        return Err(ApiError::params(none.data().into_owned()));
    }
    Ok(())
}
