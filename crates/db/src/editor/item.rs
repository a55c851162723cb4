//! Stub.
#![allow(unused, reason = "being written")]
use super::{Editor, ObjectKind};
use crate::ConfigError;
use model::*;
use serde_json::{Map as JsonMap, Value as Json};

impl Editor {
    pub(super) fn create_item(
        &mut self,
        kind: ObjectKind,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_item(
        &mut self,
        kind: ObjectKind,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_items(
        &mut self,
        kind: ObjectKind,
        ids: &[u64],
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
}
