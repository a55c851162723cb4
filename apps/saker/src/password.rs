//! `saker user password`: a new password for a user.
//!
//! A user of the system who may read and write the data directory may set passwords: nothing else
//! is asked. A running server keeps its users in memory, so it gets the password over its control
//! socket; without one, the database is changed directly, under the lock of the data directory.

use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use db::{ConfigError, Db, DbError, DbSettings};
use rt::clock::Clock;
use thiserror::Error;

use crate::control::protocol::{self, ControlAnswer, ControlError, ControlRequest};
use crate::first_password::generate;
use crate::settings::Settings;
use data_dir::{DataDir, DataDirError, FIRST_PASSWORD_FILE};
use tools::say;

/// Whose password that file holds.
const FIRST_USER: &str = "Admin";

#[derive(Debug, Error)]
pub(crate) enum PasswordError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    Control(#[from] ControlError),
    #[error(transparent)]
    Database(#[from] DbError),
    #[error("{0}")]
    Refused(#[from] ConfigError),
    #[error("{0}")]
    RefusedByServer(String),
    #[error(
        "the server has not finished its first start on {}: start it once to create the password \
         of Admin",
        path.display()
    )]
    NotStarted { path: PathBuf },
    #[error("the two passwords differ; nothing was changed")]
    Differ,
    #[error("cannot read the password: {0}")]
    Read(io::Error),
    #[error("cannot generate a password: {0}")]
    Randomness(#[from] getrandom::Error),
    #[error("cannot delete {}, which holds the old password: {source}", path.display())]
    Delete { path: PathBuf, source: io::Error },
    #[error("the password was set, but cannot be printed: {0}")]
    Say(io::Error),
}

/// Sets it; prints the result, and the password if it was generated.
///
/// # Errors
/// [`PasswordError`], in words for the operator. Nothing was changed then, but for
/// [`PasswordError::Delete`] and [`PasswordError::Say`].
pub(crate) fn reset(
    settings: &Settings,
    username: &str,
    is_generated: bool,
) -> Result<(), PasswordError> {
    // Before anybody is asked for a password in vain.
    DataDir::check(&settings.data)?;
    let password = if is_generated { generate()? } else { ask(username)? };
    let may_log_in = set(settings, username, &password)?;
    if username == FIRST_USER {
        forget_first_password(&settings.data)?;
    }
    if is_generated {
        say(&format!("{password}\n")).map_err(PasswordError::Say)?;
    }
    let mut output =
        format!("The password of user {username} is set; the user's sessions have ended.");
    if !may_log_in {
        output.push_str(
            "\nThe user still may not log in: a group of the user is disabled, or the role is gone.",
        );
    }
    // The exit code says it as well; standard output is the password's.
    drop(writeln!(io::stderr(), "{output}"));
    Ok(())
}

/// Sets it where it counts; whether the user may log in.
fn set(settings: &Settings, username: &str, password: &str) -> Result<bool, PasswordError> {
    match DataDir::open_existing(&settings.data) {
        Ok(data_dir) => set_in_database(settings, &data_dir, username, password),
        Err(DataDirError::InUse { path, pid }) => {
            let request = ControlRequest::SetPassword {
                username: username.to_owned(),
                password: password.to_owned(),
            };
            match protocol::ask(&path, pid, &request)? {
                ControlAnswer::PasswordSet { may_log_in } => Ok(may_log_in),
                ControlAnswer::Refused { reason } => Err(PasswordError::RefusedByServer(reason)),
                _ => Err(PasswordError::RefusedByServer(
                    "the server answers something else".to_owned(),
                )),
            }
        }
        Err(error) => Err(error.into()),
    }
}

fn set_in_database(
    settings: &Settings,
    data_dir: &DataDir,
    username: &str,
    password: &str,
) -> Result<bool, PasswordError> {
    let db = Db::open(&DbSettings::new(settings.database.url.tables(data_dir.path())))?;
    // A password would make a half-made installation look finished.
    if db.is_fresh() {
        return Err(PasswordError::NotStarted { path: data_dir.path().to_owned() });
    }
    Ok(db.reset_password(username, password, Clock::real().wall())?)
}

/// The file says something wrong from now on.
fn forget_first_password(data: &Path) -> Result<(), PasswordError> {
    let path = data.join(FIRST_PASSWORD_FILE);
    match fs::remove_file(&path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(PasswordError::Delete { path, source }),
    }
}

/// Asks twice at a terminal, without showing it; else reads the first line of standard input.
fn ask(username: &str) -> Result<String, PasswordError> {
    if io::stdin().is_terminal() {
        let hidden = |prompt| rpassword::prompt_password(prompt).map_err(PasswordError::Read);
        let password = hidden(format!("New password of {username}: "))?;
        if password != hidden("Again: ".to_owned())? {
            return Err(PasswordError::Differ);
        }
        return Ok(password);
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(PasswordError::Read)?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}
