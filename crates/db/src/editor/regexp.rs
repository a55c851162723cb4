//! Global regular expressions.

use model::RegexpId;
use model::content::GlobalRegexp;
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::merge;
use crate::ConfigError;

type Fields = JsonMap<String, Json>;

impl Editor {
    pub(super) fn create_regexp(&mut self, fields: &Fields) -> Result<u64, ConfigError> {
        let mut new: GlobalRegexp = merge(&GlobalRegexp::default(), fields)?;
        new.regexpid = RegexpId(self.take_id());
        self.check_regexp(&new)?;
        let id = new.regexpid.0;
        self.regexps_mut().push(new);
        Ok(id)
    }

    pub(super) fn update_regexp(&mut self, id: u64, fields: &Fields) -> Result<(), ConfigError> {
        let id = RegexpId(id);
        let known = self.next.globals.regexps.iter().find(|it| it.regexpid == id);
        let mut new: GlobalRegexp = merge(known.ok_or_else(ConfigError::no_permissions)?, fields)?;
        new.regexpid = id;
        self.check_regexp(&new)?;
        for it in self.regexps_mut().iter_mut().filter(|it| it.regexpid == id) {
            it.clone_from(&new);
        }
        Ok(())
    }

    pub(super) fn delete_regexps(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        let known = &self.next.globals.regexps;
        if !ids.iter().all(|id| known.iter().any(|it| it.regexpid.0 == *id)) {
            return Err(ConfigError::no_permissions());
        }
        self.regexps_mut().retain(|it| !ids.contains(&it.regexpid.0));
        Ok(())
    }

    fn check_regexp(&self, new: &GlobalRegexp) -> Result<(), ConfigError> {
        let mut others = self.next.globals.regexps.iter();
        if others.any(|it| it.regexpid != new.regexpid && it.name == new.name) {
            let name = &new.name;
            return Err(ConfigError::parameters(format_args!(
                "Regular expression \"{name}\" already exists."
            )));
        }
        Ok(())
    }
}
