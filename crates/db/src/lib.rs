//! Relational store (SQLite, PostgreSQL): configuration, users, events, problems, audit; discovery results.
