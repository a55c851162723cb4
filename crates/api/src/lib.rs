//! JSON-RPC, access rules, live streams, hosting of the UI.
