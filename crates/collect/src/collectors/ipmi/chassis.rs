//! The chassis of a device, for commands of users and actions.
//!
//! A command has a session of its own, in addition to that of the items, and closes it. A command
//! that must not be executed twice is sent once, however long its answer takes.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use model::content::IpmiLogin;
use rt::clock::Clock;
use wire::ipmi::{
    CHASSIS_CONTROL, CHASSIS_STATUS, ChassisControl, NetFn, completion_text, is_powered,
};

use super::device::{Device, Failure, SENDS};

const NO_PRIVILEGE: u8 = 0xd4;

/// A chassis that is commanded or queried.
pub struct Chassis<'a> {
    device: Device,
    clock: &'a Clock,
}

impl fmt::Debug for Chassis<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chassis").finish_non_exhaustive()
    }
}

impl<'a> Chassis<'a> {
    /// `time`: for the answer to one packet.
    #[must_use]
    pub fn new(login: &IpmiLogin, address: SocketAddr, time: Duration, clock: &'a Clock) -> Self {
        Self { device: Device::new(login, address, time), clock }
    }

    /// Whether its power is on.
    ///
    /// # Errors
    /// Why that is not known, for people.
    pub async fn is_powered(mut self) -> Result<bool, String> {
        let command = (NetFn::Chassis, CHASSIS_STATUS, 0);
        let asked = self.device.exchange(command, &[], self.clock).await;
        self.device.close().await;
        match asked.map_err(words)? {
            (0, status) => {
                is_powered(&status).ok_or_else(|| "The device's answer is damaged.".to_owned())
            }
            (code, _) => Err(refused(code)),
        }
    }

    /// Has it do something.
    ///
    /// # Errors
    /// Why it is not done, or that the outcome is unknown; for people.
    pub async fn control(mut self, control: ChassisControl) -> Result<(), String> {
        let answer = self.send(control).await;
        self.device.close().await;
        match answer.map_err(words)? {
            Some((0, _)) => Ok(()),
            Some((code, _)) => Err(refused(code)),
            None => Err(
                "The device did not answer the command. It is not known whether it was executed."
                    .to_owned(),
            ),
        }
    }

    async fn send(&mut self, control: ChassisControl) -> Result<Option<(u8, Vec<u8>)>, Failure> {
        self.device.open(self.clock).await?;
        let command = (NetFn::Chassis, CHASSIS_CONTROL, 0);
        let n_sends = if control.is_repeatable() { SENDS } else { 1 };
        self.device.exchange_in_session(command, &[control.code()], n_sends, self.clock).await
    }
}

fn refused(code: u8) -> String {
    let why = completion_text(code);
    let needed = if code == NO_PRIVILEGE {
        " The host's IPMI privilege level has to be Operator or Admin."
    } else {
        ""
    };
    format!("The device refuses the command: {why}.{needed}")
}

fn words(failure: Failure) -> String {
    match failure {
        Failure::Network(reason) | Failure::NotSupported(reason) | Failure::Refused(reason) => {
            reason
        }
        Failure::NotMade => "The server is too busy for this now.".to_owned(),
    }
}
