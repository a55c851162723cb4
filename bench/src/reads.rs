//! Reading stored data, as pages and API clients do, while values come in: a day of an item, a
//! month in buckets, a year of trends, last values of many items.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::background::{Background, Rate, percentile_ms};
use super::client::{Client, Load};
use super::load::{Connection, Request};
use super::process::{Server, Settings, wait};
use crate::common::{BenchError, Common};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct ReadsArgs {
    /// Hosts whose 100 items each take values meanwhile.
    #[arg(long, default_value_t = 1_000)]
    hosts: usize,
    /// Values a second that come in meanwhile.
    #[arg(long, default_value_t = 500_000)]
    values_per_s: u64,
    /// Days for which each of the 1,000 items that are read has a value a minute; a value an hour before them.
    #[arg(long, default_value_t = 30)]
    days: i64,
    /// How often each question is asked, idle and under load.
    #[arg(long, default_value_t = 1_000)]
    reads: usize,
    #[command(flatten)]
    common: Common,
}

/// Items of a host.
const ITEMS: usize = 100;
/// Hosts with a past, which is read.
const PAST_HOSTS: usize = 10;
const YEAR_DAYS: i64 = 365;
const DAY_S: i64 = 86_400;
/// Files are written more often than usual, so that merges fall into the time that is measured.
const SETTINGS: Settings = &[("SAKER_HISTORY_FLUSH_INTERVAL_S", "30")];
/// Values are in files after so long, and most of these merged.
const SETTLE_S: u64 = 45;
/// Load comes for so long before something is measured.
const WARM_S: u64 = 5;
const CONNECTIONS: usize = 2;

pub(super) fn run(args: &ReadsArgs) -> Result<(), BenchError> {
    let server = Server::start_with(&args.common.scratch, "reads", None, SETTINGS)?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, ITEMS, 0)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let items = create_past_items(&client, args.hosts)?;
    let now = rt::clock::Clock::real().wall().clock();
    let n_past = send_past(&server, args, now)?;
    wait(SETTLE_S);

    let questions = questions(&items, now, args);
    let agent = ureq::Agent::new_with_defaults();
    let asker = Asker { agent, server: &server, client: &client, args };
    let mut figures = json!({"hosts": args.hosts + PAST_HOSTS, "values_before": n_past});
    for question in &questions {
        asker.measure(question, "idle", &mut figures)?;
    }
    let rate = Rate {
        hosts: args.hosts,
        items: ITEMS,
        first_item: 0,
        values_per_s: args.values_per_s,
        has_texts: false,
    };
    let load = Background::start(server.trapper, rate);
    wait(WARM_S);
    let clock = rt::clock::Clock::real();
    let (before, cpu, started_ns) = (load.n_values(), server.cpu_ns(), clock.mono_ns());
    for question in &questions {
        asker.measure(question, "load", &mut figures)?;
    }
    let took_ns = (clock.mono_ns() - started_ns).max(1);
    figures["values_per_s"] = json!((load.n_values() - before) * 1_000_000_000 / took_ns);
    figures["cpu_percent"] = json!((server.cpu_ns() - cpu) * 100 / took_ns);
    load.end()?;
    report(&args.common, "reads", figures)
}

/// Items of their own on more hosts, which keep values for longer than anything that is sent; their ids.
fn create_past_items(client: &Client, hosts: usize) -> Result<Vec<String>, BenchError> {
    let group = client.call("hostgroup.get", &json!({"filter": {"name": "Bench"}}))?;
    let group = group[0]["groupid"].clone();
    let mut ids = Vec::new();
    for host in hosts..hosts + PAST_HOSTS {
        let host = json!({"host": format!("bench-{host}"), "groups": [{"groupid": group}]});
        let host = client.ids("host.create", &host)?.remove(0);
        let items = (0..ITEMS).map(|it| {
            json!({"hostid": host, "name": format!("Load {it}"), "key_": format!("load[{it}]"),
                "type": 2, "value_type": 0, "history": "400d", "trends": "800d"})
        });
        ids.extend(client.ids("item.create", &items.collect())?);
    }
    Ok(ids)
}

/// A year of values, each connection those of a part of the items, in order of time; how many.
fn send_past(server: &Server, args: &ReadsArgs, now: i64) -> Result<u64, BenchError> {
    let minutes_from = now - args.days * DAY_S;
    let hours = (now - YEAR_DAYS * DAY_S..minutes_from).step_by(3_600);
    let clocks: Vec<i64> = hours.chain((minutes_from..now).step_by(60)).collect();
    let part = |number: usize| PAST_HOSTS * ITEMS * number / CONNECTIONS;
    let send = |number: usize| {
        let (first, n) = (part(number), part(number + 1) - part(number));
        let mut request = Request::default();
        let mut connection = Connection::open(server.trapper)?;
        for clock in &clocks {
            let packet = request.fill(args.hosts * ITEMS + first, n, ITEMS, *clock);
            let (processed, _failed) = connection.send(packet)?;
            if processed != n as u64 {
                return Err(BenchError::Lost { sent: n as u64, processed });
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS).map(|it| scope.spawn(move || send(it))).collect();
        threads.into_iter().try_for_each(|it| it.join().expect("a generator does not panic"))
    })?;
    Ok((clocks.len() * PAST_HOSTS * ITEMS) as u64)
}

/// Something that is asked again and again, of another item each time.
struct Question {
    name: &'static str,
    asks: Vec<Ask>,
    /// How often a part of the answer has to be in it at least.
    expect: (&'static str, usize),
}

enum Ask {
    /// Of the pages' surface.
    Page(String),
    Call(&'static str, Value),
}

fn questions(items: &[String], now: i64, args: &ReadsArgs) -> Vec<Question> {
    let each = |ask: &dyn Fn(&String) -> Ask| items.iter().map(ask).collect();
    let series = |item: &String, days: i64, n_buckets: i64| {
        let from = now - days * DAY_S;
        let address = format!("/api/v1/series?itemids={item}&from={from}&to={now}");
        Ask::Page(format!("{address}&buckets={n_buckets}"))
    };
    let days = args.days.min(30);
    let expected = |n: i64| usize::try_from(n).unwrap_or(0);
    let of_all = json!({"itemids": items, "output": ["itemid", "lastvalue", "lastclock"]});
    vec![
        Question {
            name: "history_get_day",
            asks: each(&|item| {
                let of = json!({"itemids": [item], "history": 0, "time_from": now - DAY_S,
                    "time_till": now, "sortfield": "clock"});
                Ask::Call("history.get", of)
            }),
            expect: ("\"clock\"", expected(DAY_S / 60 - 1)),
        },
        Question {
            name: "series_day",
            asks: each(&|item| series(item, 1, 1_440)),
            expect: (",", 4 * 1_400),
        },
        Question {
            name: "series_month_1000_buckets",
            asks: each(&|item| series(item, days, 1_000)),
            expect: (",", 4 * 950),
        },
        Question {
            name: "series_year_of_trends",
            asks: each(&|item| series(item, YEAR_DAYS, 1_000)),
            expect: ("\"trends\"", 1),
        },
        Question {
            name: "trend_get_year",
            asks: each(&|item| {
                let from = now - YEAR_DAYS * DAY_S;
                Ask::Call("trend.get", json!({"itemids": [item], "time_from": from}))
            }),
            expect: ("\"value_avg\"", expected(YEAR_DAYS * 24 - 2)),
        },
        Question {
            name: "item_get_1000_last_values",
            asks: vec![Ask::Call("item.get", of_all)],
            expect: ("\"lastvalue\"", items.len()),
        },
        Question {
            name: "latest_1000_last_values",
            asks: vec![Ask::Page("/api/v1/latest?search=load&limit=1000".to_owned())],
            expect: ("load[", 1_000),
        },
    ]
}

/// A client on one connection that is kept, as browsers keep it.
struct Asker<'a> {
    agent: ureq::Agent,
    server: &'a Server,
    client: &'a Client,
    args: &'a ReadsArgs,
}

impl Asker<'_> {
    fn measure(
        &self,
        question: &Question,
        when: &str,
        figures: &mut Value,
    ) -> Result<(), BenchError> {
        let clock = rt::clock::Clock::real();
        let mut times_ns = Vec::with_capacity(self.args.reads);
        let mut bytes = 0;
        // Far from each other, so that none is read because its neighbor was.
        for number in 0..self.args.reads {
            let Some(ask) = question.asks.get(number * 7_919 % question.asks.len().max(1)) else {
                break;
            };
            let started_ns = clock.mono_ns();
            let answer = self.ask(ask)?;
            times_ns.push(clock.mono_ns() - started_ns);
            bytes = answer.len();
            let (part, n) = question.expect;
            if answer.matches(part).count() < n {
                let answer = answer.chars().take(500).collect();
                return Err(BenchError::Api { method: question.name.to_owned(), answer });
            }
        }
        let name = question.name;
        for (what, percent) in [("median", 50), ("p99", 99)] {
            let ms = percentile_ms(&mut times_ns, percent);
            figures[format!("{name}_{when}_ms_{what}")] = json!(ms);
        }
        figures[format!("{name}_answer_bytes")] = json!(bytes);
        Ok(())
    }

    fn ask(&self, ask: &Ask) -> Result<String, BenchError> {
        let mut url = format!("http://{}", self.server.http);
        let bearer = format!("Bearer {}", self.client.session());
        let mut answer = match ask {
            Ask::Page(path) => {
                url.push_str(path);
                self.agent.get(&url).header("Authorization", bearer).call()?
            }
            Ask::Call(method, params) => {
                let request =
                    json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1});
                write!(url, "/api_jsonrpc.php").expect("writing to a String succeeds");
                let call = self.agent.post(&url).header("Content-Type", "application/json-rpc");
                call.header("Authorization", bearer).send(request.to_string())?
            }
        };
        Ok(answer.body_mut().with_config().limit(1 << 30).read_to_string()?)
    }
}
