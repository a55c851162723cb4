//! First start: the password of `Admin`, the bundled templates, a dashboard, this machine as the first host.

use std::io::Write as _;

use db::{Actor, ConfigError, Db, DbError, ImportFormat, ImportRules};
use model::UserId;
use thiserror::Error;
use tracing::{info, warn};

use crate::first_password;
use crate::settings::ADMIN_PASSWORD_ENV;
use data_dir::{DataDir, DataDirError, FIRST_PASSWORD_FILE};

/// Templates of our own, in the order of import. To add one: its file and a line here.
const TEMPLATES: &[(&str, &str)] = &[
    ("Linux by agent", include_str!("../../../../templates/linux_by_agent.json")),
    ("Generic ICMP", include_str!("../../../../templates/generic_icmp.json")),
    ("Generic SNMP", include_str!("../../../../templates/generic_snmp.json")),
    ("Saker server health", include_str!("../../../../templates/saker_server_health.json")),
];

/// Media types of our own, all disabled.
const MEDIA_TYPES: &str = include_str!("../../../../templates/media/media_types.json");

/// Icons of maps, under the names that maps made for Zabbix ask for (`scripts/draw-icons.py`).
const ICONS: &str = include_str!("../../../../templates/images/icons.json");

/// The first dashboard, as `dashboard.create` takes it; public.
const FIRST_DASHBOARD: &str = include_str!("../../../../templates/dashboards/global_view.json");

/// The technical name of the host that stands for the server's own machine.
pub(super) const OWN_HOST: &str = "Saker server";
const OWN_TEMPLATES: &[&str] = &["Linux by agent", "Saker server health"];

/// Disabled until somebody has a medium.
const FIRST_ACTION: &str = "Report problems to administrators";

/// Zabbix's id of the user `Admin`.
const ADMIN: UserId = UserId(1);

#[derive(Debug, Error)]
pub(crate) enum BootstrapError {
    #[error("cannot import the bundled template \"{name}\": {source}")]
    Template { name: &'static str, source: ConfigError },
    #[error("cannot set up the first start: {0}")]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Database(#[from] DbError),
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("cannot generate a password: {0}")]
    Randomness(getrandom::Error),
}

/// Fills a new installation. The password is set last, so that a start which was interrupted is
/// repeated.
///
/// # Errors
/// If the database refuses or the password's file can't be written.
pub(super) fn first_start(
    db: &Db,
    data_dir: &DataDir,
    own_host: bool,
) -> Result<(), BootstrapError> {
    if !db.is_fresh() {
        return Ok(());
    }
    for (name, text) in TEMPLATES {
        db.import(Actor::System, text, ImportFormat::guess(text), &ImportRules::ALL)
            .map_err(|source| BootstrapError::Template { name, source })?;
    }
    let of_media_types = |source| BootstrapError::Template { name: "media types", source };
    db.import(Actor::System, MEDIA_TYPES, ImportFormat::Json, &ImportRules::ALL)
        .map_err(of_media_types)?;
    let of_icons = |source| BootstrapError::Template { name: "icons of maps", source };
    db.import(Actor::System, ICONS, ImportFormat::Json, &ImportRules::ALL).map_err(of_icons)?;
    info!(n_templates = TEMPLATES.len(), "imported the bundled templates");
    db.ensure_first_action(FIRST_ACTION)?;
    let dashboard = serde_json::from_str(FIRST_DASHBOARD)
        .map_err(|source| ConfigError::parameters(format_args!("the first dashboard: {source}")))?;
    db.ensure_first_dashboard(&dashboard)?;
    if own_host {
        db.ensure_own_host(OWN_HOST, OWN_TEMPLATES)?;
    }
    match std::env::var(ADMIN_PASSWORD_ENV).ok().filter(|it| !it.is_empty()) {
        Some(password) => {
            db.set_password(ADMIN, &password)?;
            info!("the password of user Admin is the one from {ADMIN_PASSWORD_ENV}");
        }
        None => {
            let password = first_password::generate().map_err(BootstrapError::Randomness)?;
            let path =
                data_dir.write_private(FIRST_PASSWORD_FILE, format!("{password}\n").as_bytes())?;
            db.set_password(ADMIN, &password)?;
            // The operator at the terminal needs it; logs that are shipped elsewhere must not have
            // it. So: standard output, not the log.
            let said = writeln!(
                std::io::stdout(),
                "\n  user: Admin\n  password: {password}\n  (kept in {})\n",
                path.display()
            );
            if said.is_err() {
                warn!(path = %path.display(), "the password of user Admin is in this file");
            }
        }
    }
    Ok(())
}
