//! The cost of a large JSON document with many dependent items for the whole server.

use clap::Args;
use serde_json::{Value, json};

use super::client::Client;
use super::load::{Connection, frame};
use super::process::{Server, thread_cpu_ns, wait};
use crate::common::{BenchError, Common};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct DocumentsArgs {
    /// Dependent items of the document, as many as it has entries.
    #[arg(long, default_value_t = 1_000)]
    dependents: usize,
    #[arg(long, default_value_t = 500)]
    kilobytes: usize,
    /// How many documents are sent.
    #[arg(long, default_value_t = 200)]
    documents: usize,
    #[command(flatten)]
    common: Common,
}

const HOST: &str = "bench-documents";

pub(super) fn run(args: &DocumentsArgs) -> Result<(), BenchError> {
    let parse_ns = parse_ns(args);
    for (name, path) in [
        ("documents_by_position", by_position as fn(usize) -> String),
        ("documents_by_name", by_name),
        ("documents_by_filter", by_filter),
    ] {
        let cpu_ns = measure(args, path)?;
        report(
            &args.common,
            name,
            json!({
                "dependents": args.dependents,
                "document_bytes": document(args, 0).len(),
                "documents": args.documents,
                "cpu_us_per_document": cpu_ns / 1_000,
                "serde_json_parse_us": parse_ns / 1_000,
            }),
        )?;
    }
    Ok(())
}

fn by_position(at: usize) -> String {
    format!("$.list[{at}].free")
}

fn by_name(at: usize) -> String {
    format!("$.by_name.disk{at}.free")
}

fn by_filter(at: usize) -> String {
    format!("$.list[?(@.name == \"disk{at}\")].free.first()")
}

/// Half of it is a list, half an object of the same entries.
fn document(args: &DocumentsArgs, number: usize) -> String {
    let note = "n".repeat((args.kilobytes * 1_000 / (args.dependents * 2)).saturating_sub(60));
    let entry = |at: usize| json!({"name": format!("disk{at}"), "free": at * 1_000 + number, "used": 0.5, "note": note});
    let list: Vec<Value> = (0..args.dependents).map(entry).collect();
    let by_name: serde_json::Map<String, Value> =
        (0..args.dependents).map(|at| (format!("disk{at}"), entry(at))).collect();
    json!({"list": list, "by_name": by_name}).to_string()
}

/// Processor time of one parse into serde_json's tree: the baseline.
fn parse_ns(args: &DocumentsArgs) -> u64 {
    let text = document(args, 0);
    let n = args.documents.max(1);
    let before = thread_cpu_ns();
    for _ in 0..n {
        std::hint::black_box(serde_json::from_str::<Value>(std::hint::black_box(&text)).is_ok());
    }
    (thread_cpu_ns() - before) / n as u64
}

/// Processor time of the server a document, from its arrival until all dependents have their values.
fn measure(args: &DocumentsArgs, path: fn(usize) -> String) -> Result<u64, BenchError> {
    let server = Server::start(&args.common.scratch, "documents")?;
    let client = Client::login(&server)?;
    let group = client.ids("hostgroup.create", &json!({"name": "Bench"}))?.remove(0);
    let host = json!({"host": HOST, "groups": [{"groupid": group}]});
    let host = client.ids("host.create", &host)?.remove(0);
    let master = json!({
        "hostid": host, "name": "Document", "key_": "document", "type": 2, "value_type": 4,
        "history": "0",
    });
    let master = client.ids("item.create", &master)?.remove(0);
    let dependents: Vec<Value> = (0..args.dependents)
        .map(|at| {
            let step =
                json!({"type": 12, "params": path(at), "error_handler": 0, "error_handler_params": ""});
            json!({
                "hostid": host, "name": format!("Free {at}"), "key_": format!("free[{at}]"),
                "type": 18, "value_type": 3, "master_itemid": master, "preprocessing": [step],
            })
        })
        .collect();
    let dependents = client.ids("item.create", &json!(dependents))?;
    let last = dependents.last().cloned().unwrap_or_default();

    let clock = rt::clock::Clock::real().now().wall.clock() - 3_600;
    let mut packet = Vec::new();
    let mut send = |number: usize| -> Result<(), BenchError> {
        let at = clock + i64::try_from(number).unwrap_or(0);
        let value = json!({"host": HOST, "key": "document", "value": document(args, number),
            "clock": at, "ns": 0});
        let body = json!({"request": "sender data", "data": [value]}).to_string();
        frame(&body, &mut packet);
        let (processed, _failed) = Connection::open(server.trapper)?.send(&packet)?;
        if processed == 1 { Ok(()) } else { Err(BenchError::Lost { sent: 1, processed }) }
    };
    let arrived = |number: usize| -> Result<(), BenchError> {
        let expected = ((args.dependents - 1) * 1_000 + number).to_string();
        for _ in 0..60 {
            let query = json!({"itemids": [last], "output": ["lastvalue"]});
            if client.call("item.get", &query)?[0]["lastvalue"] == expected.as_str() {
                return Ok(());
            }
            wait(1);
        }
        Err(BenchError::Lost { sent: number as u64, processed: 0 })
    };
    send(0)?;
    arrived(0)?;
    let before = server.cpu_ns();
    for number in 1..=args.documents {
        send(number)?;
    }
    arrived(args.documents)?;
    Ok((server.cpu_ns() - before) / args.documents.max(1) as u64)
}
