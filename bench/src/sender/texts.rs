//! The cost of a text of 20 bytes relative to a number: a server with numeric items and one with
//! text items get the same requests but for the values, in turns, and the bare receiver those of
//! both.

use serde_json::json;

use super::args::{SenderArgs, TURNS, phases};
use crate::client::{Client, Load};
use crate::common::BenchError;
use crate::load::Values;
use crate::process::{Server, load_average};
use crate::receiver::Bare;
use crate::report::report;
use crate::rounds::{Loaded, Phase, Senders};

/// A server whose items take numbers, or texts, and its senders.
struct Side {
    server: Server,
    senders: Senders,
    next_clock: i64,
}

/// The cost of values of one kind.
#[derive(Default)]
struct Costs {
    n_values: u64,
    /// Of the server, with its work between its turns.
    cpu_ns: u64,
    bare: Loaded,
    disk_bytes: u64,
}

impl Side {
    fn start(args: &SenderArgs, are_texts: bool) -> Result<Self, BenchError> {
        let (name, load) = if are_texts {
            ("sender-texts", Load::SendersOfTexts)
        } else {
            ("sender-numbers", Load::Senders)
        };
        let program = args.server.as_deref();
        let server = Server::start_program(&args.common.scratch, name, program)?;
        let client = Client::login(&server)?;
        let n_triggers = args.triggers.min(args.items);
        let template = client.create_template(load, args.items, n_triggers)?;
        client.create_hosts(args.hosts, Some(&template))?;
        let values = Values { are_texts, ..Values::default() };
        let senders = Senders {
            connections: args.connections,
            values,
            ..Senders::new(args.hosts, args.items, 1)
        };
        // Every item once, so that windows, slots and chunks exist.
        let warm = Phase { per_request: 1_000, keep: true, values: args.hosts * args.items };
        let first_clock = rt::clock::Clock::real().now().wall.clock() - 80_000;
        let next_clock = senders.load(server.receiving(), &warm, first_clock)?.next_clock;
        Ok(Self { server, senders, next_clock })
    }

    fn turn(&mut self, phase: &Phase, bare: &Bare, costs: &mut Costs) -> Result<(), BenchError> {
        let loaded = self.senders.load(self.server.receiving(), phase, self.next_clock)?;
        costs.bare.add(&self.senders.load(bare.receiving(), phase, self.next_clock)?);
        costs.n_values += loaded.values;
        self.next_clock = loaded.next_clock;
        Ok(())
    }
}

/// Measures both sides in turns.
fn measure(
    sides: &mut [Side; 2],
    bare: &Bare,
    (phase, repeat): (&Phase, i64),
) -> Result<[Costs; 2], BenchError> {
    let part = Phase { values: phase.values.div_ceil(TURNS), ..*phase };
    let mut costs = [Costs::default(), Costs::default()];
    let before = sides.each_ref().map(|it| (it.server.cpu_ns(), it.server.disk_bytes()));
    for _ in 0..TURNS {
        for (side, costs) in sides.iter_mut().zip(&mut costs) {
            side.senders.values.repeat = repeat;
            side.turn(&part, bare, costs)?;
        }
    }
    for ((side, costs), (cpu_ns, disk_bytes)) in sides.iter().zip(&mut costs).zip(before) {
        costs.cpu_ns = side.server.cpu_ns() - cpu_ns;
        costs.disk_bytes = side.server.disk_bytes().saturating_sub(disk_bytes);
    }
    Ok(costs)
}

pub(super) fn run(args: &SenderArgs) -> Result<(), BenchError> {
    let mut sides = [Side::start(args, false)?, Side::start(args, true)?];
    let bare = Bare::start()?;
    for (name, phase) in phases(args.values) {
        for repeat in &args.repeat {
            let [numbers, texts] = measure(&mut sides, &bare, (&phase, *repeat))?;
            let ns = |cpu_ns: u64, n_values: u64| cpu_ns / n_values.max(1);
            let ratio = |a: u64, b: u64| (a as f64 / b.max(1) as f64 * 100.0).round() / 100.0;
            let numbers_ns = ns(numbers.cpu_ns, numbers.n_values);
            let texts_ns = ns(texts.cpu_ns, texts.n_values);
            let bare_numbers_ns = ns(numbers.bare.cpu_ns, numbers.bare.values);
            let bare_texts_ns = ns(texts.bare.cpu_ns, texts.bare.values);
            let [of_numbers, of_texts] = sides.each_ref().map(|it| it.server.memory());
            report(
                &args.common,
                &format!("{name}_texts"),
                json!({
                    "hosts": args.hosts,
                    "items": args.hosts * args.items,
                    "triggers": args.hosts * args.triggers.min(args.items),
                    "values": texts.n_values,
                    "values_per_request": phase.per_request,
                    "repeat": repeat,
                    "cpu_ns_per_number": numbers_ns,
                    "cpu_ns_per_text": texts_ns,
                    "texts_to_numbers": ratio(texts_ns, numbers_ns),
                    "bare_cpu_ns_per_number": bare_numbers_ns,
                    "bare_cpu_ns_per_text": bare_texts_ns,
                    "numbers_to_bare": ratio(numbers_ns, bare_numbers_ns),
                    "texts_to_bare": ratio(texts_ns, bare_texts_ns),
                    "disk_bytes_per_number": numbers.disk_bytes / numbers.n_values.max(1),
                    "disk_bytes_per_text": texts.disk_bytes / texts.n_values.max(1),
                    "rss_mb_of_numbers": of_numbers.rss >> 20,
                    "rss_mb_of_texts": of_texts.rss >> 20,
                    "load_average": load_average(),
                }),
            )?;
        }
    }
    Ok(())
}
