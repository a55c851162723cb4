//! Stub.
#![allow(unused, reason = "being written")]
use super::{Editor, ObjectKind};
use crate::ConfigError;
use model::*;
use serde_json::{Map as JsonMap, Value as Json};

impl Editor {
    pub(super) fn create_host_macro(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_host_macro(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_host_macros(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn create_global_macro(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_global_macro(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_global_macros(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn create_interface(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_interface(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_interfaces(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn create_valuemap(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_valuemap(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_valuemaps(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
}
