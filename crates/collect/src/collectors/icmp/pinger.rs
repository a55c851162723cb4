//! Series of echo requests, as a state machine: from the time and the received replies it computes
//! which requests to send and which series are over.
//!
//! A reply is matched by its payload: a cookie, the series and the number of the packet. The
//! identifier therefore does not matter, which datagram sockets choose themselves.

use std::collections::VecDeque;
use std::net::IpAddr;

use wire::icmp::{Echo, Family, encode_request};

use super::due::{DueQueues, Name};
use super::key::{Series, Tally};

const NS_PER_MS: u64 = 1_000_000;
/// Cookie, place and serial of the series, number of the packet.
pub(super) const HEAD_LEN: usize = 8 + 4 + 4 + 4;

#[derive(Debug)]
pub(super) struct Pinger {
    cookie: u64,
    running: Vec<Option<Running>>,
    free: Vec<u32>,
    /// Series that have sent nothing yet.
    new: VecDeque<Name>,
    /// When the other series send their next packet, or end.
    due: DueQueues,
    next_serial: u32,
    /// Buffer for a packet's payload.
    payload: Vec<u8>,
}

#[derive(Debug)]
struct Running {
    serial: u32,
    target: IpAddr,
    series: Series,
    tally: Tally,
    sent: SendTimes,
    /// No reply counts after this.
    end_ns: u64,
}

/// When each packet was sent, until its reply has arrived. The first takes no memory of its own:
/// most series have one packet.
#[derive(Debug, Default)]
struct SendTimes {
    first: Option<u64>,
    others: Vec<Option<u64>>,
}

/// A series that has ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Over {
    pub(super) series: u32,
    pub(super) tally: Tally,
}

/// An expected reply.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ExpectedReply {
    /// The number of its packet, from 0 on.
    pub(super) number: u32,
    pub(super) time_ns: u64,
    /// It is neither late nor of an address that may not answer.
    pub(super) counts: bool,
}

/// The packets to send, and the series that have ended.
#[derive(Debug, Default)]
pub(super) struct Todo {
    /// Targets and packets.
    pub(super) send: Vec<(IpAddr, Vec<u8>)>,
    pub(super) over: Vec<Over>,
}

impl Pinger {
    pub(super) fn new(cookie: u64) -> Self {
        Self {
            cookie,
            running: Vec::new(),
            free: Vec::new(),
            new: VecDeque::new(),
            due: DueQueues::default(),
            next_serial: 0,
            payload: Vec::new(),
        }
    }

    /// The identifier of its requests, where the socket does not choose one.
    pub(super) fn identifier(&self) -> u16 {
        let [high, low, ..] = self.cookie.to_be_bytes();
        u16::from_be_bytes([high, low])
    }

    /// Starts a series now. Returns its place, which [`Over`] names and which another series has
    /// after that.
    pub(super) fn start(&mut self, target: IpAddr, series: Series) -> u32 {
        let serial = self.next_serial;
        self.next_serial = self.next_serial.wrapping_add(1);
        let running = Running {
            serial,
            target,
            series,
            tally: Tally::default(),
            sent: SendTimes::default(),
            end_ns: u64::MAX,
        };
        let place = self.free.pop().unwrap_or_else(|| {
            self.running.push(None);
            u32::try_from(self.running.len() - 1).expect("fewer than 2^32 series")
        });
        self.running[place as usize] = Some(running);
        self.new.push_back(Name { place, serial });
        place
    }

    /// When [`Pinger::step`] has something to do; `None`: never. New series have to send at once,
    /// at 0.
    pub(super) fn next_ns(&mut self) -> Option<u64> {
        if self.new.is_empty() { self.next_due_ns() } else { Some(0) }
    }

    /// When a series sends its next packet, or ends.
    pub(super) fn next_due_ns(&mut self) -> Option<u64> {
        let running = &self.running;
        self.due.next_ns(|it| is_running(running, it))
    }

    /// The actions due at `now_ns`, at most `n_max` packets.
    pub(super) fn step(&mut self, now_ns: u64, n_max: usize) -> Todo {
        let mut todo = Todo::default();
        while todo.send.len() < n_max {
            let Some(name) = self.due.pop(now_ns).or_else(|| self.new.pop_front()) else { break };
            let Some(running) = named(&mut self.running, name) else { continue };
            if running.end_ns <= now_ns {
                todo.over.push(self.end(name.place));
                continue;
            }
            if running.tally.sent < u32::from(running.series.packets) {
                todo.send.push(self.packet(name, now_ns));
            }
        }
        todo
    }

    /// The next packet of a series, and its target.
    fn packet(&mut self, name: Name, now_ns: u64) -> (IpAddr, Vec<u8>) {
        let identifier = self.identifier();
        let running = named(&mut self.running, name).expect("the caller found it there");
        let number = running.tally.sent;
        running.tally.sent += 1;
        running.sent.note(number, now_ns);
        let timeout_ns = running.series.timeout_ns(number);
        let is_last = running.tally.sent == u32::from(running.series.packets);
        let step_ns = if is_last || running.series.retry_growth.is_some() {
            timeout_ns
        } else {
            u64::from(running.series.interval_ms) * NS_PER_MS
        };
        if is_last {
            running.end_ns = now_ns.saturating_add(timeout_ns);
        }
        self.due.push((now_ns, step_ns), name);
        write_payload(self.cookie, (name.place, number), running, &mut self.payload);
        (running.target, packet(identifier, number, (running.target, &self.payload)))
    }

    /// A reply's payload has arrived from an address.
    pub(super) fn take(&mut self, from: IpAddr, payload: &[u8], now_ns: u64) -> Option<Over> {
        let (place, serial, number) = parse(self.cookie, payload)?;
        let running = self.running.get_mut(place as usize)?.as_mut()?;
        let is_expected = running.target == from || running.series.takes_redirected;
        if running.serial != serial || !is_expected {
            return None;
        }
        // A repeated reply has no packet.
        let sent_ns = running.sent.of(number)?.take()?;
        let time_ns = now_ns.saturating_sub(sent_ns);
        if running.series.retry_growth.is_some() {
            // A late reply ends the series, too: there is nothing left to send.
            running.tally.count(time_ns);
            return Some(self.end(place));
        }
        if time_ns <= running.series.timeout_ns(number) {
            running.tally.count(time_ns);
        }
        // All replies have arrived: no need to wait.
        let all = u32::from(running.series.packets);
        (running.tally.sent == all && running.tally.received == all).then(|| self.end(place))
    }

    /// The reply as [`Pinger::take`] is about to count it; `None`: it is none.
    pub(super) fn expected(
        &mut self,
        from: IpAddr,
        payload: &[u8],
        now_ns: u64,
    ) -> Option<ExpectedReply> {
        let (place, serial, number) = parse(self.cookie, payload)?;
        let running = self.running.get_mut(place as usize)?.as_mut()?;
        let sent_ns = (*running.sent.of(number)?)?;
        let time_ns = now_ns.saturating_sub(sent_ns);
        let series = &running.series;
        let is_expected = running.target == from || series.takes_redirected;
        let in_time = series.retry_growth.is_some() || time_ns <= series.timeout_ns(number);
        let counts = is_expected && in_time;
        (running.serial == serial).then_some(ExpectedReply { number, time_ns, counts })
    }

    fn end(&mut self, place: u32) -> Over {
        let running = self.running[place as usize].take().expect("the caller found it there");
        self.free.push(place);
        Over { series: place, tally: running.tally }
    }
}

/// The series, if its place is still its own.
fn named(running: &mut [Option<Running>], name: Name) -> Option<&mut Running> {
    running.get_mut(name.place as usize)?.as_mut().filter(|it| it.serial == name.serial)
}

fn is_running(running: &[Option<Running>], name: Name) -> bool {
    let place = running.get(name.place as usize).and_then(Option::as_ref);
    place.is_some_and(|it| it.serial == name.serial)
}

impl SendTimes {
    /// Packets leave in the order of their numbers.
    fn note(&mut self, number: u32, now_ns: u64) {
        if number == 0 {
            self.first = Some(now_ns);
        } else {
            self.others.push(Some(now_ns));
        }
    }

    /// The send time of the packet with this number.
    fn of(&mut self, number: u32) -> Option<&mut Option<u64>> {
        match number.checked_sub(1) {
            None => Some(&mut self.first),
            Some(at) => self.others.get_mut(at as usize),
        }
    }
}

impl Series {
    /// The time to wait for the reply to a packet.
    fn timeout_ns(&self, number: u32) -> u64 {
        let first_ns = u64::from(self.timeout_ms) * NS_PER_MS;
        let Some(growth) = self.retry_growth.filter(|it| *it != 1_000) else { return first_ns };
        let grown = |ns: u64, _| u64::try_from(u128::from(ns) * u128::from(growth) / 1_000);
        (0..number).try_fold(first_ns, grown).unwrap_or(u64::MAX)
    }
}

fn write_payload(cookie: u64, (place, number): (u32, u32), running: &Running, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&cookie.to_be_bytes());
    out.extend_from_slice(&place.to_be_bytes());
    out.extend_from_slice(&running.serial.to_be_bytes());
    out.extend_from_slice(&number.to_be_bytes());
    out.resize(usize::from(running.series.size), 0);
}

fn packet(id: u16, number: u32, (target, payload): (IpAddr, &[u8])) -> Vec<u8> {
    let family = if target.is_ipv4() { Family::V4 } else { Family::V6 };
    let [_, _, seq_high, seq_low] = number.to_be_bytes();
    let echo = Echo { id, seq: u16::from_be_bytes([seq_high, seq_low]), payload };
    let mut packet = Vec::with_capacity(payload.len() + wire::icmp::HEADER_LEN);
    encode_request(family, echo, &mut packet);
    packet
}

fn parse(cookie: u64, payload: &[u8]) -> Option<(u32, u32, u32)> {
    let head = payload.get(..HEAD_LEN)?;
    let (found, rest) = head.split_first_chunk::<8>()?;
    let (place, rest) = rest.split_first_chunk::<4>()?;
    let (serial, rest) = rest.split_first_chunk::<4>()?;
    let (number, _) = rest.split_first_chunk::<4>()?;
    (u64::from_be_bytes(*found) == cookie).then(|| {
        (u32::from_be_bytes(*place), u32::from_be_bytes(*serial), u32::from_be_bytes(*number))
    })
}

#[cfg(test)]
mod tests {
    use wire::icmp::{Framing, Received};

    use super::*;

    const SERIES: Series = Series {
        packets: 3,
        interval_ms: 100,
        size: 56,
        timeout_ms: 50,
        takes_redirected: false,
        retry_growth: None,
    };
    const MS: u64 = NS_PER_MS;

    fn target() -> IpAddr {
        "127.0.0.9".parse().expect("an address")
    }

    fn payload(packet: &[u8]) -> Vec<u8> {
        match wire::icmp::parse(Family::V4, Framing::Bare, packet) {
            Ok(Received::Request(echo)) => echo.payload.to_vec(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn packets_leave_at_their_interval_and_each_reply_counts_once() {
        let mut pinger = Pinger::new(7);
        pinger.start(target(), SERIES);
        for n in 0..3_u64 {
            assert_eq!(pinger.next_ns(), Some(n * 100 * MS));
            let todo = pinger.step(n * 100 * MS, 10);
            assert_eq!((todo.send.len(), todo.over.len()), (1, 0));
            let reply = payload(&todo.send[0].1);
            assert_eq!(reply.len(), 56);
            if n == 1 {
                continue;
            }
            let stranger = "127.0.0.8".parse().expect("an address");
            for (from, after_ms, counts) in
                [(target(), 5, true), (target(), 51, false), (stranger, 5, false)]
            {
                let expected = pinger.expected(from, &reply, (n * 100 + after_ms) * MS);
                let number = u32::try_from(n).expect("three of them");
                assert_eq!(
                    expected,
                    Some(ExpectedReply { number, time_ns: after_ms * MS, counts })
                );
            }
            assert_eq!(pinger.take(stranger, &reply, n * 100 * MS + MS), None);
            for _ in 0..2 {
                assert_eq!(pinger.take(target(), &reply, n * 100 * MS + 5 * MS), None);
                assert_eq!(pinger.expected(target(), &reply, n * 100 * MS + 5 * MS), None);
            }
        }
        assert_eq!(pinger.next_ns(), Some(250 * MS));
        let over = pinger.step(250 * MS, 10).over;
        let tally = Tally { sent: 3, received: 2, min_ns: 5 * MS, max_ns: 5 * MS, sum_ns: 10 * MS };
        assert_eq!(over, [Over { series: 0, tally }]);
        assert_eq!(pinger.next_ns(), None);
    }

    #[test]
    fn a_reply_of_another_address_counts_where_that_is_allowed() {
        let stranger = "127.0.0.8".parse().expect("an address");
        for (takes_redirected, received) in [(false, None), (true, Some(1))] {
            let mut pinger = Pinger::new(7);
            pinger.start(target(), Series { packets: 1, takes_redirected, ..SERIES });
            let reply = payload(&pinger.step(0, 10).send[0].1);
            let over = pinger.take(stranger, &reply, MS);
            assert_eq!(over.map(|it| it.tally.received), received);
        }
    }

    #[test]
    fn a_retry_waits_longer_each_time_and_ends_with_the_first_reply() {
        let retry = Series { retry_growth: Some(2_000), interval_ms: 0, ..SERIES };
        let mut pinger = Pinger::new(7);
        pinger.start(target(), retry);
        let mut sent = Vec::new();
        for at_ms in [0, 50, 150] {
            assert_eq!(pinger.next_ns(), Some(at_ms * MS));
            sent.extend(pinger.step(at_ms * MS, 10).send);
        }
        assert_eq!(pinger.next_ns(), Some(350 * MS));
        let over = pinger.step(350 * MS, 10).over;
        assert_eq!(over.first().map(|it| (it.tally.sent, it.tally.received)), Some((3, 0)));
        pinger.start(target(), retry);
        let first = payload(&pinger.step(400 * MS, 10).send[0].1);
        pinger.step(450 * MS, 10);
        // Late for the first packet, but still a reply.
        let over = pinger.take(target(), &first, 460 * MS).expect("one is enough");
        assert_eq!((over.tally.sent, over.tally.received), (2, 1));
        assert!(pinger.step(u64::MAX, 10).over.is_empty(), "nothing is left of it");
        let huge = Series { retry_growth: Some(5_000), timeout_ms: 0x7fff_ffff, ..SERIES };
        assert_eq!(huge.timeout_ns(9_999), u64::MAX);
    }

    #[test]
    fn complete_series_ends_at_once_and_late_replies_are_losses() {
        let mut pinger = Pinger::new(7);
        let one = Series { packets: 1, ..SERIES };
        let (first, second) = (pinger.start(target(), one), pinger.start(target(), one));
        let todo = pinger.step(0, 10);
        let replies: Vec<_> = todo.send.iter().map(|it| payload(&it.1)).collect();
        let over = pinger.take(target(), &replies[0], MS).expect("complete");
        assert_eq!((over.series, over.tally.received), (first, 1));
        assert_eq!(pinger.take(target(), &replies[1], 51 * MS), None);
        assert_eq!(pinger.step(51 * MS, 10).over[0].series, second);
        assert_eq!(pinger.next_ns(), None);
        // Another series has its place now.
        pinger.start(target(), one);
        pinger.step(60 * MS, 10);
        assert_eq!(pinger.take(target(), &replies[1], 61 * MS), None);
        assert_eq!(pinger.take(target(), b"short", 61 * MS), None);
    }
}
