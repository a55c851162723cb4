//! Cost of journal records by size of their group: `cargo bench -p model --bench record`.
#![allow(clippy::print_stdout, reason = "a benchmark speaks on stdout")]

use divan::counter::ItemsCount;
use model::record::{Num, RecordBuilder, RecordHead, RecordView, StepStateRow};
use model::{ItemId, Time, batch::RawRef};

/// Values of a step: the decision record asks for small, middle and full groups.
const GROUPS: [usize; 3] = [62, 250, 1_000];

fn main() {
    for mix in [Mix::Sender, Mix::Noisy, Mix::Stateful] {
        for n in GROUPS {
            let rows = rows(n, mix);
            let mut builder = RecordBuilder::new();
            let bytes = build(&mut builder, &rows).len() + 32;
            let each = bytes as f64 / n as f64;
            println!("{mix:?}, {n} values: {bytes} bytes with the frame, {each:.2} a value");
        }
    }
    divan::main();
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mix {
    /// One request of a sender: items of some hosts in order, one clock.
    Sender,
    /// Polled items: hosts in any order, a time for each, one value in eight without short decimals.
    Noisy,
    /// As `Noisy`, each second with the state of a change-per-second step.
    Stateful,
}

struct Row {
    item: ItemId,
    time: Time,
    value: Num,
    state: Option<f64>,
}

fn rows(n: usize, mix: Mix) -> Vec<Row> {
    let mut random = 7_u64;
    let mut next = |limit: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (random >> 33) % limit
    };
    let mut host = 0;
    (0..n as u64)
        .map(|row| {
            if row % 100 == 0 || (mix != Mix::Sender && row % 10 == 0) {
                host = next(10_000);
            }
            let offset = if mix == Mix::Sender { row % 100 } else { (row % 10) * 3 };
            let ms = if mix == Mix::Sender { 0 } else { next(1_000).cast_signed() };
            let value = match next(8) {
                0 | 1 => Num::Unsigned(next(1 << 31) * 512),
                2 | 3 => Num::Float(next(10_000) as f64 / 100.0),
                4 => Num::Float(next(1_000_000) as f64 / 1e6),
                5 => Num::Unsigned(next(2)),
                6 => Num::Unsigned(next(5_000)),
                _ if mix == Mix::Sender => Num::Float(next(1_000) as f64 / 10.0),
                _ => Num::Float(next(1 << 31) as f64 / 60.0),
            };
            Row {
                item: ItemId(100_000 + host * 100 + offset),
                time: Time::from_millis(1_790_000_000_000 + ms),
                value,
                state: (mix == Mix::Stateful && row % 2 == 0).then(|| next(1 << 31) as f64),
            }
        })
        .collect()
}

fn build<'a>(builder: &'a mut RecordBuilder, rows: &[Row]) -> &'a [u8] {
    builder.start(RecordHead { shard: 0, n_shards: 2, epoch: 1, now: Time(0) });
    for row in rows {
        match row.value {
            Num::Float(it) => builder.float(row.item, row.time, it),
            Num::Unsigned(it) => builder.unsigned(row.item, row.time, it),
        }
        if let Some(value) = row.state {
            let value = RawRef::Float(value);
            builder.step_state(StepStateRow { item: row.item, step: 1, time: row.time, value });
        }
    }
    builder.finish()
}

#[divan::bench(args = GROUPS, consts = [0, 1, 2])]
fn write_and_check<const MIX: usize>(bencher: divan::Bencher<'_, '_>, n: usize) {
    let rows = rows(n, [Mix::Sender, Mix::Noisy, Mix::Stateful][MIX]);
    let mut builder = RecordBuilder::new();
    bencher.counter(ItemsCount::new(n)).bench_local(|| crc32c::crc32c(build(&mut builder, &rows)));
}

#[divan::bench(args = GROUPS)]
fn read(bencher: divan::Bencher<'_, '_>, n: usize) {
    let rows = rows(n, Mix::Noisy);
    let mut builder = RecordBuilder::new();
    let bytes = build(&mut builder, &rows).to_vec();
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let view = RecordView::parse(&bytes).expect("a record");
        view.numbers().map(|it| it.expect("a row").ms).sum::<i64>()
    });
}
