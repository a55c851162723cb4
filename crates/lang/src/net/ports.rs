//! Lists of ports: `22,80-90,443`.

/// Ports from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRange {
    /// First port.
    pub first: u16,
    /// Last port.
    pub last: u16,
}

impl PortRange {
    /// Parses `80` or `80-90`; white space around it does not count.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = |it: &str| {
            let is_number = !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
            if is_number { it.parse().ok() } else { None }
        };
        let text = text.trim();
        let (first, last) = match text.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        (first <= last).then_some(Self { first, last })
    }

    /// Is the port in it?
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        (self.first..=self.last).contains(&port)
    }
}

/// A list of ports and ranges, separated by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortRanges {
    ranges: Vec<PortRange>,
}

impl PortRanges {
    /// Parses a list; `None` if a part of it is wrong.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let ranges: Option<Vec<PortRange>> = text.split(',').map(PortRange::parse).collect();
        Some(Self { ranges: ranges? })
    }

    /// Is the port in the list?
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        self.ranges.iter().any(|it| it.contains(port))
    }

    /// The ports in the order in which they are written, each once.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        self.ranges.iter().enumerate().flat_map(|(idx, it)| {
            let before = &self.ranges[..idx];
            (it.first..=it.last).filter(|port| !before.iter().any(|it| it.contains(*port)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_listed_once_and_in_order() {
        let ports = PortRanges::parse("80-82, 22,81-83").unwrap();
        assert_eq!(ports.iter().collect::<Vec<_>>(), [80, 81, 82, 22, 83]);
        assert!(ports.contains(83) && !ports.contains(84));
        for text in ["", "80-", "90-80", "65536", "+1", "1,,2"] {
            assert_eq!(PortRanges::parse(text), None, "{text}");
        }
    }
}
