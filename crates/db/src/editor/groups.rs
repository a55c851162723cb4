//! Stub.
#![allow(unused, reason = "being written")]
use super::{Editor, ObjectKind};
use crate::ConfigError;
use model::*;
use serde_json::{Map as JsonMap, Value as Json};

impl Editor {
    pub(super) fn create_host_group(
        &mut self,
        fields: &JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn create_template_group(
        &mut self,
        fields: &JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_host_group(
        &mut self,
        id: u64,
        fields: &JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_template_group(
        &mut self,
        id: u64,
        fields: &JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_host_groups(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_template_groups(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn add_host_groups(
        &mut self,
        hosts: &[HostId],
        groups: &[GroupId],
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn remove_host_groups(
        &mut self,
        hosts: &[HostId],
        groups: &[GroupId],
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn add_groups_of_templates(
        &mut self,
        templates: &[HostId],
        groups: &[TemplateGroupId],
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn remove_groups_of_templates(
        &mut self,
        templates: &[HostId],
        groups: &[TemplateGroupId],
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
}
