//! Stub.
#![allow(unused, reason = "being written")]
use super::{Editor, ObjectKind};
use crate::ConfigError;
use model::*;
use serde_json::{Map as JsonMap, Value as Json};

impl Editor {
    pub(super) fn link_templates(
        &mut self,
        holders: &[HostId],
        templates: &[HostId],
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
}
