//! The cores in one process under a seeded clock, network and disk, with an oracle.
