//! How a process runs: tasks and shutdown, clock, bounded queues, settings, metrics, logging.
