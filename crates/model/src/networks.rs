//! Lists of networks, as settings name them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

/// An address with the bits of it that count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Network {
    address: IpAddr,
    bits: u32,
}

/// A list of networks and single addresses: `10.0.0.0/8, fe80::/10, 192.0.2.1`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Networks(Vec<Network>);

impl Networks {
    /// Whether an address is in one of them. An IPv4 address that is written as IPv6 is the same one.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = meant(address);
        self.0.iter().any(|it| it.contains(address))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differ = u32::from(own) ^ u32::from(other);
                self.bits <= differ.leading_zeros()
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differ = u128::from(own) ^ u128::from(other);
                self.bits <= differ.leading_zeros()
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// The address that packets go to: IPv4 mapped into IPv6 and the prefix of translators (NAT64) are
/// other writings of an IPv4 address.
fn meant(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(it) => match it.segments() {
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                IpAddr::V4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
            }
            _ => IpAddr::V6(it),
        },
        it @ IpAddr::V4(_) => it,
    }
}

impl FromStr for Networks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let networks: Result<Vec<Network>, String> = parts.map(network).collect();
        networks.map(Self)
    }
}

fn network(text: &str) -> Result<Network, String> {
    let wrong = || format!("\"{text}\" is no address and no network such as 10.0.0.0/8");
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().map_err(|_error| wrong())?;
    let bits_max = if address.is_ipv4() { 32 } else { 128 };
    let bits = match bits {
        Some(it) => it.parse().ok().filter(|it| *it <= bits_max).ok_or_else(wrong)?,
        None => bits_max,
    };
    Ok(Network { address, bits })
}

impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, it) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}/{}", it.address, it.bits)?;
        }
        Ok(())
    }
}

/// Where requests that users make the server send may go.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Destinations {
    pub denied: Networks,
    /// Exceptions from those.
    pub allowed: Networks,
}

impl Destinations {
    #[must_use]
    pub fn admit(&self, address: IpAddr) -> bool {
        !self.denied.contains(address) || self.allowed.contains(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses_in_any_notation() {
        let networks: Networks =
            "169.254.0.0/16, fe80::/10,192.0.2.7 , fd00:ec2::254,".parse().expect("a list");
        for (address, is_in) in [
            ("169.254.169.254", true),
            ("169.255.0.0", false),
            ("::ffff:169.254.1.1", true),
            ("64:ff9b::169.254.169.254", true),
            ("64:ff9b:1::169.254.169.254", false),
            ("fe80::1", true),
            ("febf:ffff::", true),
            ("fec0::", false),
            ("192.0.2.7", true),
            ("192.0.2.6", false),
            ("fd00:ec2::254", true),
            ("fd00:ec2::255", false),
            ("::1", false),
        ] {
            let address: IpAddr = address.parse().expect("an address");
            assert_eq!(networks.contains(address), is_in, "{address}");
        }
        assert_eq!(networks.to_string().parse(), Ok(networks));
        let all: Networks = "0.0.0.0/0".parse().expect("a list");
        assert!(all.contains(IpAddr::from([1, 2, 3, 4])));
        assert!(Networks::default().is_empty());
    }

    #[test]
    fn a_wrong_network_is_reported() {
        for text in
            ["10.0.0.0/33", "10.0.0/8", "fe80::/129", "host.example", "10.0.0.0/-1", "1.2.3.4/"]
        {
            let message = text.parse::<Networks>().expect_err("no network");
            assert!(message.contains(text), "{message}");
        }
    }

    #[test]
    fn exceptions_are_admitted() {
        let list = |text: &str| text.parse().expect("a list");
        let destinations =
            Destinations { denied: list("169.254.0.0/16"), allowed: list("169.254.7.7") };
        assert!(destinations.admit(IpAddr::from([169, 254, 7, 7])));
        assert!(!destinations.admit(IpAddr::from([169, 254, 169, 254])));
        assert!(destinations.admit(IpAddr::from([127, 0, 0, 1])));
    }
}
