//! The cost of answers on this machine: the sample of each second, cheap keys, a walk of /proc.

use agent::{Agent, AgentSettings};
use divan::Bencher;
use model::Now;
use model::key::ItemKey;

fn main() {
    divan::main();
}

#[divan::bench]
fn sample(bencher: Bencher<'_, '_>) {
    let agent = Agent::new(AgentSettings::default());
    let mut now = Now::default();
    bencher.bench_local(|| {
        now.mono_ns += 1_000_000_000;
        agent.sample(now);
    });
}

#[divan::bench(args = [
    "agent.ping",
    "system.cpu.util[,idle,avg15]",
    "vm.memory.size[available]",
    "net.if.in[lo]",
    "vfs.fs.size[/,pused]",
    "vfs.fs.discovery",
    "vfs.dev.discovery",
    "proc.num",
])]
fn get(bencher: Bencher<'_, '_>, key: &str) {
    let agent = Agent::new(AgentSettings::default());
    agent.sample(Now::default());
    let key = ItemKey::parse(key).expect("a key");
    bencher.bench(|| agent.get(&key, Now::default()));
}
