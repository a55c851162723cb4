//! Steps that read structured texts: XML, CSV, Prometheus, SNMP walks.

use model::content::Step as Code;

use super::data::Data;
use super::error::StepError;
use super::extract::reported;
use super::shared::ParsedForms;
use formats::csv;
use formats::prometheus::{Metrics, PrometheusOutput, PrometheusQuery};
use formats::snmp_walk::{self, Column, OctetFormat, WalkOid};
use formats::xml::{self, XPath};

const PATTERN_FAILED: &str = "cannot apply Prometheus pattern";
const TO_JSON_FAILED: &str = "cannot convert Prometheus data to JSON";

/// A step over a structured text.
#[derive(Debug, Clone)]
pub(super) enum Format {
    XPath { path: XPath, text: String },
    CheckXml(XPath),
    CsvToJson(csv::Format),
    XmlToJson,
    Pattern { query: PrometheusQuery, output: PrometheusOutput },
    PrometheusToJson(PrometheusQuery),
    WalkValue { oid: WalkOid, form: OctetFormat },
    WalkToJson(Vec<Column>),
    GetValue(OctetFormat),
}

fn invalid(text: impl ToString) -> StepError {
    StepError::Parameters(text.to_string())
}

impl Format {
    /// Reads the parameters of a step; `None`: the step is none of these.
    pub(super) fn compile(code: Code, params: &str) -> Option<Result<Self, StepError>> {
        Some(match code {
            Code::XPath => XPath::parse(params)
                .map(|path| Self::XPath { path, text: params.to_owned() })
                .map_err(|it| invalid(format!("{}: {it}", xpath_failed(params)))),
            Code::CheckXmlError => XPath::parse(params)
                .map(Self::CheckXml)
                .map_err(|it| invalid(format!("cannot parse xpath \"{params}\": {it}"))),
            Code::CsvToJson => csv::parse_format(params).map(Self::CsvToJson).map_err(invalid),
            Code::XmlToJson => Ok(Self::XmlToJson),
            Code::PrometheusPattern => pattern(params),
            Code::PrometheusToJson => PrometheusQuery::parse(params)
                .map(Self::PrometheusToJson)
                .map_err(|it| invalid(format!("{TO_JSON_FAILED}: {it}"))),
            Code::SnmpWalkValue => walk_value(params),
            Code::SnmpWalkToJson => columns(params),
            Code::SnmpGetValue => match OctetFormat::from_code(params) {
                Some(OctetFormat::Unchanged) | None => {
                    Err(invalid(format!("unknown parameter '{params}'")))
                }
                Some(form) => Ok(Self::GetValue(form)),
            },
            _ => return None,
        })
    }

    /// Whether the step reads XML.
    pub(super) fn is_xml(&self) -> bool {
        matches!(self, Self::XPath { .. } | Self::CheckXml(_) | Self::XmlToJson)
    }

    /// Whether the step reads a parsed form that [`ParsedForms`] keeps.
    pub(super) fn shares_form(&self) -> bool {
        !matches!(self, Self::CsvToJson(_) | Self::GetValue(_))
    }

    /// Applies the step to a value; `None`: the value passes unchanged.
    pub(super) fn apply(
        &self,
        data: &Data<'_>,
        shared: Option<&mut ParsedForms<'_>>,
    ) -> Result<Option<Data<'static>>, StepError> {
        let text = data.as_text();
        let made = match self {
            Self::XPath { path, text: written } => xpath(&text, shared, |doc| path.query_text(doc))
                .map_err(|it| StepError::Value(format!("{}: {it}", xpath_failed(written)))),
            Self::CheckXml(path) => return check_xml(&text, path, shared).map(|()| None),
            Self::CsvToJson(format) => csv::to_json(&text, format)
                .map_err(|it| StepError::Value(format!("cannot convert CSV to JSON: {it}"))),
            Self::XmlToJson => {
                let made = match shared {
                    Some(shared) => shared.xml().map(xml::Doc::to_json).map_err(Clone::clone),
                    None => xml::to_json(&text),
                };
                made.map_err(|it| StepError::Value(it.to_string()))
            }
            Self::Pattern { query, output } => match shared {
                Some(shared) => shared.metrics().query(query, output),
                None => Metrics::parse(&text).query(query, output),
            }
            .map_err(|it| StepError::Value(format!("{PATTERN_FAILED}: {it}"))),
            Self::PrometheusToJson(query) => match shared {
                Some(shared) => shared.metrics().to_json(query),
                None => Metrics::parse(&text).to_json(query),
            }
            .map_err(|it| StepError::Value(format!("{TO_JSON_FAILED}: {it}"))),
            Self::WalkValue { oid, form } => match shared {
                Some(shared) => shared.walk().value(oid, *form),
                None => snmp_walk::value(&text, oid, *form),
            }
            .map_err(|it| StepError::Value(format!("unable to extract value for given OID: {it}"))),
            Self::WalkToJson(columns) => match shared {
                Some(shared) => shared.walk().to_json(columns),
                None => snmp_walk::Walk::parse(&text).to_json(columns),
            }
            .map_err(|it| StepError::Value(it.to_string())),
            Self::GetValue(form) => form
                .apply(&text)
                .map(std::borrow::Cow::into_owned)
                .map_err(|it| StepError::Value(format!("cannot extract value: {it}"))),
        };
        made.map(|it| Some(Data::text(it)))
    }
}

fn xpath_failed(path: &str) -> String {
    format!("cannot extract XML value with xpath \"{path}\"")
}

fn xpath(
    text: &str,
    shared: Option<&mut ParsedForms<'_>>,
    query: impl FnOnce(&xml::Doc<'_>) -> Result<String, xml::XPathError>,
) -> Result<String, xml::XPathError> {
    match shared {
        Some(shared) => match shared.xml() {
            Ok(doc) => query(doc),
            Err(error) => Err(error.clone().into()),
        },
        None => query(&xml::Doc::parse(text)?),
    }
}

/// Fails with the text that the path finds; a text that is no XML passes.
fn check_xml(
    text: &str,
    path: &XPath,
    shared: Option<&mut ParsedForms<'_>>,
) -> Result<(), StepError> {
    match xpath(text, shared, |doc| path.error_text(doc)) {
        Ok(found) => reported(&found),
        Err(xml::XPathError::Xml(_)) => Ok(()),
        Err(error) => Err(StepError::Value(error.to_string())),
    }
}

fn pattern(params: &str) -> Result<Format, StepError> {
    let mut parts = params.split('\n');
    let pattern = parts.next().unwrap_or("");
    let Some(request) = parts.next() else {
        return Err(invalid("cannot find second parameter"));
    };
    let Some(output) = parts.next() else {
        return Err(invalid("cannot find third parameter"));
    };
    let failed = |it: &dyn std::fmt::Display| invalid(format!("{PATTERN_FAILED}: {it}"));
    let query = PrometheusQuery::parse(pattern).map_err(|it| failed(&it))?;
    let output = PrometheusOutput::parse(request, output).map_err(|it| failed(&it))?;
    Ok(Format::Pattern { query, output })
}

fn form(code: Option<&str>) -> Result<OctetFormat, StepError> {
    let Some(code) = code else { return Err(invalid("cannot find format parameter")) };
    OctetFormat::from_code(code)
        .ok_or_else(|| invalid(format!("invalid format parameter \"{code}\"")))
}

fn walk_value(params: &str) -> Result<Format, StepError> {
    let mut parts = params.split('\n');
    let oid = WalkOid::parse(parts.next().unwrap_or("")).map_err(invalid)?;
    Ok(Format::WalkValue { oid, form: form(parts.next())? })
}

fn columns(params: &str) -> Result<Format, StepError> {
    let parts: Vec<&str> = params.split('\n').collect();
    let mut columns = Vec::new();
    for part in parts.chunks(3) {
        let [name, oid, code] = part else {
            return Err(invalid("name, OID and format are expected for each column"));
        };
        if name.is_empty() {
            return Err(invalid("a column has no name"));
        }
        let oid = WalkOid::parse(oid).map_err(invalid)?;
        columns.push(Column { name: (*name).to_owned(), oid, form: form(Some(*code))? });
    }
    Ok(Format::WalkToJson(columns))
}
