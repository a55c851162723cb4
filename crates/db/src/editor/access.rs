//! Stub.
#![allow(unused, reason = "being written")]
use super::{Editor, ObjectKind};
use crate::ConfigError;
use model::*;
use serde_json::{Map as JsonMap, Value as Json};

impl Editor {
    pub(super) fn create_user(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_user(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_users(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn create_user_group(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_user_group(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_user_groups(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn create_role(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_role(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_roles(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn create_token(
        &mut self,
        fields: JsonMap<String, Json>,
    ) -> Result<u64, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn update_token(
        &mut self,
        id: u64,
        fields: JsonMap<String, Json>,
    ) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub(super) fn delete_tokens(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub fn set_password(&mut self, userid: UserId, password: &str) -> Result<(), ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
    pub fn generate_token(&mut self, tokenid: TokenId) -> Result<String, ConfigError> {
        Err(ConfigError::application("not there yet"))
    }
}
