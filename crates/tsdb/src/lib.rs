//! Embedded history engine: head, segments, manifest; knows series, time, value, and nothing of Zabbix.
