//! Secrets of vaults in the scripts of preprocessing: they are inserted into a script when it is
//! run, and are in no plan.

use std::sync::Arc;

use collect::ports::Secrets;
use engine::workers::NewScripts;
use jiff::tz::TimeZone;
use lang::macros::{FuncEnv, substitute_user};
use script::{Script, Scripts};

/// Runs scripts, with their secrets.
#[must_use]
pub fn with_secrets(inner: NewScripts, secrets: &Arc<dyn Secrets>, zone: &TimeZone) -> NewScripts {
    let (secrets, zone) = (Arc::clone(secrets), zone.clone());
    Arc::new(move || {
        let (secrets, zone) = (Arc::clone(&secrets), zone.clone());
        Ok(Box::new(SecretScripts { inner: inner()?, secrets, zone }))
    })
}

struct SecretScripts {
    inner: Box<dyn Scripts>,
    secrets: Arc<dyn Secrets>,
    /// Time zone for functions of macros.
    zone: TimeZone,
}

impl Scripts for SecretScripts {
    fn run(&mut self, script: &Script, value: &str) -> Result<Option<String>, String> {
        let filled = script.filled(&mut |it, written| {
            let secret = self.secrets.secret(&it.name)?;
            // The macro may have a function.
            let env = FuncEnv::new(&self.zone);
            Ok(substitute_user(written, &env, &mut |_| Some(secret.to_string())))
        });
        match filled {
            Some(filled) => self.inner.run(&filled?, value),
            None => self.inner.run(script, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use script::Secret;

    use super::*;

    /// Gives the text of the script.
    struct Echo;

    impl Scripts for Echo {
        fn run(&mut self, script: &Script, _value: &str) -> Result<Option<String>, String> {
            Ok(Some(script.source().to_string()))
        }
    }

    struct One;

    impl Secrets for One {
        fn secret(&self, named: &str) -> Result<Arc<str>, String> {
            if named == "a:b" { Ok("pass".into()) } else { Err(format!("no {named}")) }
        }
    }

    fn run(text: &str, (written, name): (&str, &str)) -> Result<Option<String>, String> {
        let at = text.find(written).expect("it is there");
        let secret = Secret { place: at..at + written.len(), name: name.into() };
        let mut scripts =
            SecretScripts { inner: Box::new(Echo), secrets: Arc::new(One), zone: TimeZone::UTC };
        scripts.run(&Script::new(text).with_secrets(vec![secret]), "")
    }

    #[test]
    fn a_script_gets_its_secrets_when_it_is_run() {
        let found = run("return '{$S}'", ("{$S}", "a:b"));
        assert_eq!(found, Ok(Some("return 'pass'".to_owned())));
        let found = run("return '{{$S}.btoa()}'", ("{{$S}.btoa()}", "a:b"));
        assert_eq!(found, Ok(Some("return 'cGFzcw=='".to_owned())));
        let found = run("return '{$S}'", ("{$S}", "a:c"));
        assert_eq!(found, Err("no a:c".to_owned()));
    }
}
