//! Bytes to messages and back, for every protocol; no sockets.
