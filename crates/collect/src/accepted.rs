//! Connections on their way to the lane that serves them.

use rt::lanes::LanePlace;
use tokio::net::TcpStream;

/// A connection on its way to its lane, from the first one, which accepted it.
pub(crate) enum Accepted {
    Here(TcpStream),
    ForAnother(std::net::TcpStream),
}

impl Accepted {
    pub(crate) fn for_lane(stream: TcpStream, lane: &LanePlace) -> std::io::Result<Self> {
        match lane.is_first() {
            true => Ok(Self::Here(stream)),
            false => Ok(Self::ForAnother(stream.into_std()?)),
        }
    }

    /// In its lane.
    pub(crate) fn here(self) -> std::io::Result<TcpStream> {
        match self {
            Self::Here(stream) => Ok(stream),
            Self::ForAnother(stream) => TcpStream::from_std(stream),
        }
    }
}
