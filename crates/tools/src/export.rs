//! `saker export`: configuration of a running server in Zabbix's export format.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::api::{Api, ApiArgs, ApiClientError};

#[derive(Clone, PartialEq, Eq, Debug, Args)]
pub struct ExportArgs {
    /// Technical name of a template; may be given several times.
    #[arg(long, value_name = "NAME")]
    template: Vec<String>,
    /// Technical name of a host; may be given several times.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Name of a media type; may be given several times.
    #[arg(long, value_name = "NAME")]
    media_type: Vec<String>,
    /// Name of a map, exported with its images; may be given several times.
    #[arg(long, value_name = "NAME")]
    map: Vec<String>,
    /// Name of an image; may be given several times.
    #[arg(long, value_name = "NAME")]
    image: Vec<String>,
    /// Name of a host group; may be given several times. Its hosts are not included.
    #[arg(long, value_name = "NAME")]
    host_group: Vec<String>,
    /// Name of a template group; may be given several times. Its templates are not included.
    #[arg(long, value_name = "NAME")]
    template_group: Vec<String>,
    /// All templates, hosts, groups, media types, images and maps.
    #[arg(long)]
    all: bool,
    /// Format of the file.
    #[arg(long, default_value = "yaml", value_parser = ["yaml", "json", "xml"])]
    format: String,
    /// Output file [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    api: ApiArgs,
}

#[derive(Debug, Error)]
pub enum ConfigurationExportError {
    #[error(
        "nothing to export: give --template, --host, --media-type, --map, --image, --host-group, --template-group or --all"
    )]
    Nothing,
    #[error("there is no {what} \"{name}\", or you may not see it")]
    Unknown { what: &'static str, name: String },
    #[error("{0}")]
    Api(#[from] ApiClientError),
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot print the export: {0}")]
    Say(io::Error),
}

/// An option of `configuration.export`, and how its objects are found.
struct Kind {
    option: &'static str,
    what: &'static str,
    method: &'static str,
    id: &'static str,
    name: &'static str,
}

const KINDS: [Kind; 7] = [
    kind("templates", "template", "template.get", "templateid", "host"),
    kind("hosts", "host", "host.get", "hostid", "host"),
    kind("mediaTypes", "media type", "mediatype.get", "mediatypeid", "name"),
    kind("maps", "map", "map.get", "sysmapid", "name"),
    kind("host_groups", "host group", "hostgroup.get", "groupid", "name"),
    kind("template_groups", "template group", "templategroup.get", "groupid", "name"),
    kind("images", "image", "image.get", "imageid", "name"),
];

const fn kind(
    option: &'static str,
    what: &'static str,
    method: &'static str,
    id: &'static str,
    name: &'static str,
) -> Kind {
    Kind { option, what, method, id, name }
}

/// Writes the export.
///
/// # Errors
/// [`ConfigurationExportError`].
pub fn run(args: &ExportArgs) -> Result<ExitCode, ConfigurationExportError> {
    let api = Api::new(&args.api);
    let names = [
        &args.template[..],
        &args.host,
        &args.media_type,
        &args.map,
        &args.host_group,
        &args.template_group,
        &args.image,
    ];
    if !args.all && names.iter().all(|it| it.is_empty()) {
        return Err(ConfigurationExportError::Nothing);
    }
    let mut options = Map::new();
    for (kind, names) in KINDS.iter().zip(names) {
        if args.all || !names.is_empty() {
            let ids = ids(&api, kind, if args.all { None } else { Some(names) })?;
            options.insert(kind.option.to_owned(), ids);
        }
    }
    let params = json!({"format": args.format, "prettyprint": true, "options": options});
    let text = api.call("configuration.export", &params)?;
    let text = text.as_str().unwrap_or_default();
    match &args.output {
        None => crate::say(text).map_err(ConfigurationExportError::Say)?,
        Some(path) => {
            let write = |source| ConfigurationExportError::Write { path: path.clone(), source };
            std::fs::write(path, text).map_err(write)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Ids of objects, by name or of all.
fn ids(
    api: &Api,
    kind: &Kind,
    names: Option<&[String]>,
) -> Result<Value, ConfigurationExportError> {
    let mut params = json!({"output": [kind.id, kind.name]});
    if let Some(names) = names {
        params["filter"] = json!({kind.name: names});
    }
    let found = api.call(kind.method, &params)?;
    let rows: Vec<&Map<String, Value>> =
        found.as_array().into_iter().flatten().filter_map(Value::as_object).collect();
    for name in names.unwrap_or_default() {
        let mut found = rows.iter().filter_map(|it| it.get(kind.name).and_then(Value::as_str));
        if !found.any(|it| it == name) {
            return Err(ConfigurationExportError::Unknown { what: kind.what, name: name.clone() });
        }
    }
    Ok(rows.iter().filter_map(|it| it.get(kind.id).cloned()).collect())
}
