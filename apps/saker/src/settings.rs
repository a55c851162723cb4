//! The settings of `saker server`: this file is their manual.
//!
//! `docs/user/settings.md` and `docs/user/saker.sample.toml` are made from it by
//! `cargo xtask docs`; a test fails when they are stale.

mod values;

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use model::networks::Destinations;
use rt::settings::{Flag, Loaded, SettingsError, Sources};
use script::Limits;

pub(crate) use values::{
    ApiVersion, CorsOrigins, DatabaseUrl, ExportTypes, HttpTls, HttpUrl, Level, NetworkList,
    Password, PostgresUrl, StoreName, StoreNames,
};

rt::settings! {
    /// Settings of `saker server`.
    pub(crate) struct Settings {
        /// Directory that holds everything the server keeps. It is made if it is missing, and
        /// refused if it belongs to something else.
        pub(crate) data: PathBuf = r#""./data""#,
        /// Threads that process values; if not given, as many as the machine has cores. It may
        /// change from start to start.
        pub(crate) shards: Option<NonZeroUsize> = unset "4",
        /// Whether an empty data directory starts with this machine as its first host, watched by
        /// the built-in agent.
        pub(crate) own_host: bool = "true",
    }

    /// Web pages and the JSON-RPC API.
    pub(crate) struct Http in http {
        /// Address and port to listen on. The default is reachable from this machine only.
        pub(crate) listen: SocketAddr = r#""127.0.0.1:8080""#,
        /// Most connections at once. When all places are taken, a connection without progress loses its own to the next
        /// one, and an address that has most of the places loses one to an address that has fewer. The system's limit of
        /// open files may allow fewer, which is logged at the start.
        pub(crate) connections_max: u32 = "4_096",
        /// Largest request body in bytes; larger ones are refused.
        pub(crate) body_bytes_max: u64 = "16_777_216",
        /// The same for requests without a valid session or API token in their header: logins, and calls of older
        /// clients that have `auth` in the body.
        pub(crate) before_login_bytes_max: u64 = "1_048_576",
        /// Memory in bytes that request bodies, what is parsed of them, and answers that are not taken yet have together,
        /// over all connections. Requests without a valid session or token share an eighth of it, and what live streams
        /// keep takes another eighth at most. Where there is no room, the slowest clients are disconnected first.
        pub(crate) memory_bytes_max: u64 = "201_326_592",
        /// Time in milliseconds in which a client sends 16 KiB of its request, or takes 16 KiB of its answer, at least.
        pub(crate) stall_timeout_ms: u64 = "30_000",
        /// Most live streams of the pages at once.
        pub(crate) streams_max: u64 = "1_000",
        /// Most live streams of one user. An address has half of all at most: beyond, the oldest stream of the user with
        /// most of them ends.
        pub(crate) streams_user_max: u64 = "100",
        /// Origins whose pages may use the API in browsers, as `https://board.example.org`, with commas between; `*` for
        /// all, as Zabbix has it. They need an API token or a session of their own. Without it there are none.
        pub(crate) cors_origins: CorsOrigins = r#""""#,
        /// Reverse proxies, as addresses and networks with commas between: what they say in
        /// `X-Forwarded-For` is where a request comes from (for the audit log and waits after
        /// failed logins), and with `X-Forwarded-Proto: https` the browser's cookie is `Secure`.
        /// Nobody else is believed.
        pub(crate) trusted_proxies: NetworkList = r#""""#,
        /// Certificate for HTTPS, with those between it and its authority (PEM). Then whoever comes by HTTP is sent to the
        /// same address by HTTPS. SIGHUP has it and its key read anew.
        pub(crate) tls_cert_file: Option<PathBuf> = unset r#""/etc/saker/http.pem""#,
        /// Its private key (PEM).
        pub(crate) tls_key_file: Option<PathBuf> = unset r#""/etc/saker/http.key""#,
        /// `self-signed`: HTTPS by a certificate that the server makes in its data directory when there is
        /// none; its fingerprint is logged at each start. Also as `--tls self-signed`.
        pub(crate) tls: Option<HttpTls> = unset r#""self-signed""#,
    }

    /// What programs that use the JSON-RPC API meet.
    pub(crate) struct ApiPort in api {
        /// The version of Zabbix whose API is spoken: `7.0`, `7.2` or `7.4`. It is what `apiinfo.version` answers, and decides
        /// which fields, parameters and methods there are; the pages are not affected.
        pub(crate) zabbix_version: ApiVersion = r#""7.0""#,
    }

    /// Figures of the server for Prometheus.
    pub(crate) struct MetricsPort in metrics {
        /// Address and port where `/metrics` is open to whoever reaches it; best of this machine
        /// or a network of its own. On the port of the pages it takes a super admin's token.
        pub(crate) listen: Option<SocketAddr> = unset r#""127.0.0.1:9180""#,
    }

    /// The port for senders, active agents and proxies.
    pub(crate) struct Trapper in trapper {
        /// Address and port to listen on; Zabbix's own port is 10051. The default is reachable
        /// from this machine only.
        pub(crate) listen: SocketAddr = r#""127.0.0.1:10051""#,
        /// Most connections at once. When all places are taken, a connection without progress loses its own to the next
        /// one, and an address that has most of the places loses one to an address that has fewer. The system's limit of
        /// open files may allow fewer, which is logged at the start.
        pub(crate) connections_max: u32 = "10_000",
        /// Largest packet in bytes, before and after decompression; larger ones are refused.
        pub(crate) packet_bytes_max: u64 = "134_217_728",
        /// Memory in bytes that the packets of all connections may take together, as their bytes come.
        /// Packets above 64 KiB have three quarters of it. Where there is no room, peers that send nothing are
        /// disconnected first; a packet that finds none within `timeout_ms` is answered by an error.
        pub(crate) memory_bytes_max: u64 = "268_435_456",
        /// Time in milliseconds for a peer to send its packet, for the values to be written, and for
        /// the peer to take the answer, each. Large packets have a second more for each MiB.
        pub(crate) timeout_ms: u64 = "30_000",
        /// Who may ask for figures of the server by `zabbix.stats`, as addresses and networks with commas between:
        /// items `zabbix[stats,…]` of other servers, and agents; Zabbix's `StatsAllowedIP`.
        pub(crate) stats_allowed: NetworkList = r#""127.0.0.1, ::1""#,
    }

    /// Series that Prometheus's remote write and OpenTelemetry push to the port of the pages. They need an
    /// API token, and hosts take them that have a discovery rule `push.series`.
    pub(crate) struct Push in push {
        /// Labels and attributes that name the host of a series, with commas between: the first that it
        /// has counts. Behind a name there may be a port.
        pub(crate) host_labels: String = r#""host.name,host,instance""#,
        /// Whether hosts that are not known are made, for tokens of super admins.
        pub(crate) new_hosts: bool = "false",
        /// Group of such hosts; it is made if it is missing.
        pub(crate) group: String = r#""Pushed hosts""#,
        /// Template that they are linked to. The default is imported if it is missing and hosts are made.
        pub(crate) template: String = r#""Pushed metrics""#,
        /// Most series of one host; more are refused and counted.
        pub(crate) host_series_max: u64 = "10_000",
        /// Most series of all hosts.
        pub(crate) series_max: u64 = "1_000_000",
        /// Most new series within a minute.
        pub(crate) new_series_per_minute: u32 = "30_000",
        /// Most labels of a series.
        pub(crate) labels_max: u64 = "64",
        /// Longest name and value of a label, in bytes each.
        pub(crate) label_bytes_max: u64 = "512",
        /// Seconds without values after which a series has stopped; its items are then what a discovery
        /// rule calls lost.
        pub(crate) lost_after_s: u64 = "900",
    }

    /// Discovery rules of hosts.
    pub(crate) struct Discovery in discovery {
        /// Most rows of a value of a discovery rule. The rule becomes not supported when a value has more, and
        /// nothing that it discovered changes.
        pub(crate) rows_max: u64 = "100_000",
    }

    /// Messages of syslog, for items `syslog[…]`.
    pub(crate) struct Syslog in syslog {
        /// Address and port on which datagrams are received, mostly port 514. Without it there are none.
        pub(crate) listen_udp: Option<SocketAddr> = unset r#""127.0.0.1:514""#,
        /// Address and port for connections. Without it there are none.
        pub(crate) listen_tcp: Option<SocketAddr> = unset r#""127.0.0.1:514""#,
        /// Addresses and networks, with commas between, that send messages of others: of these the host's
        /// name in the message counts, else the sender's address.
        pub(crate) relays: NetworkList = r#""""#,
        /// Longest message in bytes; longer ones are cut.
        pub(crate) message_bytes_max: u64 = "8_192",
        /// Most messages that wait. Datagrams beyond are lost and counted, connections wait.
        pub(crate) queue_max: u64 = "20_000",
        /// Most messages of one host within a second; more are thrown away and counted.
        pub(crate) host_messages_per_second: u32 = "2_000",
        /// Most connections at once; more wait to be accepted.
        pub(crate) connections_max: u64 = "1_000",
    }

    /// Polling: checks that this server makes by itself.
    pub(crate) struct Collect in collect {
        /// Time in milliseconds for a check whose item has no time-out of its own. Active agents are
        /// told it too, in whole seconds.
        pub(crate) timeout_ms: u64 = "3_000",
        /// Seconds after which an interface that did not answer is asked again; Zabbix's
        /// `UnreachableDelay`.
        pub(crate) unreachable_delay_s: u64 = "15",
        /// Seconds of failures after which an interface counts as not available; Zabbix's
        /// `UnreachablePeriod`.
        pub(crate) unreachable_period_s: u64 = "45",
        /// Seconds between probes of an interface that is not available; Zabbix's
        /// `UnavailableDelay`.
        pub(crate) unavailable_delay_s: u64 = "60",
        /// Connections of network discovery at once, of all its rules together. Each takes a file descriptor; a
        /// connection to an address that is not there takes `timeout_ms`. At most one of 32 descriptors that the
        /// system grants is used for them.
        pub(crate) discovery_connections_max: NonZeroUsize = "500",
    }

    /// Where configuration, users, events and problems are kept. Values are not.
    pub(crate) struct Database in database {
        /// `sqlite` is a file in the data directory. `postgres://user:password@host:port/name` is
        /// a PostgreSQL database (15 or newer), which must exist and may be empty. Behind a `?` it may say `sslmode`
        /// (`disable`, `prefer`, `require`, `verify-ca`, `verify-full`) and `sslrootcert`, a certificate authority's
        /// file; without either the connection is encrypted if the server can, and nobody checks with whom.
        pub(crate) url: DatabaseUrl = r#""sqlite""#,
    }

    /// Messages of actions: how they leave this server.
    pub(crate) struct Alerting in alerting {
        /// Messages that are sent at once, of all media types together. A media type may have a lower
        /// limit of its own.
        pub(crate) sessions_max: NonZeroUsize = "16",
        /// Messages that one media type sends in a second at most, so that a storm of problems is no
        /// storm at whoever takes them; 0: as many as it can.
        pub(crate) rate_per_s: u32 = "50",
        /// Folder of the scripts that media types execute; Zabbix's `AlertScriptsPath`. Without it none is
        /// executed.
        pub(crate) scripts: Option<PathBuf> = unset r#""/usr/lib/saker/alertscripts""#,
        /// Time in milliseconds for one run of such a script.
        pub(crate) script_timeout_ms: u64 = "30_000",
        /// Time in milliseconds for one e-mail, from the connection to the answer.
        pub(crate) smtp_timeout_ms: u64 = "40_000",
        /// Hours for which a link in a message (`{ALERT.ACKURL}`) acknowledges its problem; 0: there are no such
        /// links, and those that were sent do nothing.
        pub(crate) acknowledge_link_hours: u32 = "24",
    }

    /// Deletes of old events, records of the audit log and sessions in the database. For how long these are kept
    /// is set on the page of housekeeping.
    pub(crate) struct Housekeeping in housekeeping {
        /// Seconds between rounds; Zabbix's `HousekeepingFrequency`. 0: none are made.
        pub(crate) interval_s: u64 = "3_600",
        /// Rows that one transaction looks at and may delete: edits and new events wait for no longer.
        pub(crate) rows_max: NonZeroU32 = "2_000",
        /// Percent of the time, 1 to 100, that a round may keep the database busy; in between it rests.
        pub(crate) busy_percent: u32 = "20",
    }

    /// Where values are stored and read, and the server's own store.
    pub(crate) struct History in history {
        /// Stores in the order in which they are read, with commas: `embedded` (the server's own),
        /// `clickhouse`, `postgres`. All stores with a URL are fed; the first of these that answers is read, and the
        /// next one while it is away. Without `embedded` the server's own store keeps nothing: what
        /// the first one has not stored yet is in memory and in the journal.
        pub(crate) stores: StoreNames = r#""embedded""#,
        /// Time in milliseconds that a store on another machine has to answer a query.
        pub(crate) read_timeout_ms: u64 = "10_000",
        /// Bytes that its files may take; 0 for as many as the periods of items need. Above that the oldest
        /// files are removed before their time, and `/health`, log and metrics say so. A merge of files may
        /// take a sixteenth more for a while; the journal is not part of it.
        pub(crate) disk_budget_bytes: u64 = "0",
        /// Seconds after which values are written to a file at the latest; until then memory and the journal hold
        /// them. Busy servers write earlier, as soon as a file's worth has come together.
        pub(crate) flush_interval_s: u64 = "3_600",
    }

    /// History in ClickHouse (18.16 or newer) beside the server's own: all values and trends go there too.
    /// While it is away they wait in the journal.
    pub(crate) struct ClickHouse in clickhouse {
        /// Where its HTTP interface listens, `http://` or `https://`. Without it nothing is sent.
        pub(crate) url: Option<HttpUrl> = unset r#""http://127.0.0.1:8123""#,
        /// Database for the tables; it and they are made if they are missing.
        pub(crate) database: String = r#""saker""#,
        /// User that may make tables there.
        pub(crate) user: String = r#""default""#,
        /// Its password. Better than in a file that others may read: in the environment, as
        /// `SAKER_CLICKHOUSE_PASSWORD`.
        pub(crate) password: Password = r#""""#,
        /// Cluster of ClickHouse's own configuration: then tables are replicated and distributed
        /// over it.
        pub(crate) cluster: Option<String> = unset r#""monitoring""#,
        /// Certificate authority for `https`, as PEM; if not given, those that the system trusts.
        pub(crate) ca_file: Option<PathBuf> = unset r#""/etc/saker/clickhouse-ca.pem""#,
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "30_000",
    }

    /// History in PostgreSQL (15 or newer) beside the server's own: all values and trends go there too.
    /// While it is away they wait in the journal.
    pub(crate) struct Postgres in postgres {
        /// `postgres://user:password@host:port/name`, a database that exists; it may be that of
        /// `database.url`. Without it nothing is sent.
        pub(crate) url: Option<PostgresUrl> = unset r#""postgres://saker:secret@127.0.0.1/history""#,
        /// Schema for the tables; it and they are made if they are missing.
        pub(crate) schema: String = r#""saker_history""#,
        /// Certificate authority of the server, as PEM: then the connection is encrypted, and certificate and
        /// name of the server are checked by this one only (`sslmode=verify-ca` in the URL leaves out the name). If not
        /// given, `sslmode=require` checks with those that the system trusts; without that the connection is
        /// encrypted if the server can, and nobody checks with whom.
        pub(crate) ca_file: Option<PathBuf> = unset r#""/etc/saker/postgres-ca.pem""#,
        /// Time in milliseconds for one statement.
        pub(crate) timeout_ms: u64 = "60_000",
    }

    /// Values, trends and problems for other programs as they happen: to files as lines of JSON, to
    /// connectors (which users make in the pages), to Elasticsearch and to Prometheus. While a target is
    /// away the journal keeps what it has to get.
    pub(crate) struct Export in export {
        /// Directory for files of lines, which must exist; Zabbix's `ExportDir`. Without it no files are
        /// written.
        pub(crate) dir: Option<PathBuf> = unset r#""/var/lib/saker/export""#,
        /// Largest size of a file in bytes, one MiB at least; it then gets the ending `.old`, in place of
        /// the one before. Zabbix's `ExportFileSize`.
        pub(crate) file_bytes_max: u64 = "1_073_741_824",
        /// What files are written of, with commas between: `events`, `history`, `trends`. Zabbix's
        /// `ExportType`.
        pub(crate) types: ExportTypes = r#""events,history,trends""#,
        /// Bytes of journal that a target of any kind may be behind; a value takes some 8.
        pub(crate) lag_bytes_max: u64 = "4_294_967_296",
        /// Seconds that it may be behind.
        pub(crate) lag_max_s: u64 = "86_400",
        /// What happens to a target that is further behind: with `leave-behind` what is oldest is passed
        /// over, counted, and missing there; with `hold` the journal is kept all the same, and no more
        /// values are accepted when the disk is full. `/health` says so either way.
        pub(crate) when_target_lags: export::WhenBehind = r#""leave-behind""#,
    }

    /// Values, trends and problems to Elasticsearch (7.8 or newer) or OpenSearch as they happen, by its
    /// bulk API. Limits are those of `export`.
    pub(crate) struct Elasticsearch in elasticsearch {
        /// Where it listens, `http://` or `https://`. Without it nothing is sent.
        pub(crate) url: Option<HttpUrl> = unset r#""http://127.0.0.1:9200""#,
        /// What names of indices begin with: `saker-history-2026.11.23`.
        pub(crate) index: String = r#""saker""#,
        /// What is sent, with commas between: `events`, `history`, `trends`.
        pub(crate) types: ExportTypes = r#""events,history,trends""#,
        /// User for basic authentication; empty for none.
        pub(crate) user: String = r#""""#,
        /// Its password. Better than in a file that others may read: in the environment, as
        /// `SAKER_ELASTICSEARCH_PASSWORD`.
        pub(crate) password: Password = r#""""#,
        /// Whether its certificate is checked.
        pub(crate) tls_verify: bool = "true",
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "30_000",
    }

    /// Numbers to Prometheus, or whoever takes its remote write (1.0), as they happen. Limits are those of
    /// `export`.
    pub(crate) struct RemoteWrite in remote_write {
        /// Where it is taken. Without it nothing is sent.
        pub(crate) url: Option<HttpUrl> = unset r#""http://127.0.0.1:9090/api/v1/write""#,
        /// What names of metrics begin with: `zabbix_system_cpu_util`.
        pub(crate) prefix: String = r#""zabbix_""#,
        /// User for basic authentication; empty for none.
        pub(crate) user: String = r#""""#,
        /// Its password; better in the environment, as `SAKER_REMOTE_WRITE_PASSWORD`.
        pub(crate) password: Password = r#""""#,
        /// Whether its certificate is checked.
        pub(crate) tls_verify: bool = "true",
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "30_000",
    }

    /// The journal: the log that every value passes before it counts as accepted.
    pub(crate) struct Journal in journal {
        /// Milliseconds between syncs to disk, which is what a power cut may cost at most; a crash
        /// of the server alone costs nothing. 0 syncs every batch before it is acknowledged.
        pub(crate) sync_ms: u64 = "1_000",
        /// Bytes of journal that are kept for a store of history on another machine that is away or too
        /// slow; a value takes some 8.
        pub(crate) store_lag_bytes_max: u64 = "17_179_869_184",
        /// What happens when a store is further behind: `leave-behind` lets the journal go without it, so
        /// that values will be missing there; `hold` keeps the journal all the same, and no more values
        /// are accepted when the disk is full. `/health` says so either way.
        pub(crate) when_store_lags: history::WhenFull = r#""leave-behind""#,
    }

    /// Scripts (JavaScript) of preprocessing steps, and other steps over long texts.
    pub(crate) struct Script in script {
        /// Threads that run them; if not given, one more than the machine has cores. Items whose
        /// scripts take longer than a second may hold all of them but one.
        pub(crate) workers: Option<NonZeroUsize> = unset "3",
        /// Time in milliseconds that a script may take, its requests and sleeping included.
        pub(crate) timeout_ms: u64 = "10_000",
        /// Processes that run scripts of items, media types, commands and trials at once; each takes some 20 MB. With more scripts
        /// the next ones wait, at most for the time that they may take. Scripts of preprocessing have their own, one a thread.
        pub(crate) processes_max: NonZeroUsize = "32",
        /// Memory in bytes that the scripts of one thread may take. Official templates assume
        /// 512 MB.
        pub(crate) memory_bytes_max: u64 = "536_870_912",
        /// Whether certificates of servers that scripts ask by HTTPS are checked.
        pub(crate) tls_verify: bool = "true",
    }

    /// Answers of devices and servers, while they are read.
    pub(crate) struct Reading in reading {
        /// Memory in bytes that answers above 64 KiB may take together, with what is decompressed of them: of HTTP requests of
        /// all kinds, agents, external checks, ODBC, SNMP walks. Where there is no room small answers go before large ones; an
        /// answer that finds none makes its item unsupported until the next time.
        pub(crate) memory_bytes_max: u64 = "268_435_456",
    }

    /// Requests that users make the server send: those of scripts and HTTP agent items, and the
    /// built-in agent's `web.page.get`.
    pub(crate) struct Outgoing in outgoing {
        /// Addresses and networks, with commas between, that no such request goes to, whatever
        /// name leads there. Those of the default answer with the secrets of a machine in a cloud;
        /// add `127.0.0.0/8, ::1` and your own networks to keep users out of them.
        pub(crate) denied: NetworkList = r#""169.254.0.0/16, fe80::/10, fd00:ec2::254, fd20:ce::254, 100.100.100.200, 168.63.129.16, 192.0.0.192""#,
        /// Exceptions from those.
        pub(crate) allowed: NetworkList = r#""""#,
        /// The folder with certificates of ours (PEM, those that lead to the authority behind them), which HTTP agent items,
        /// web scenarios and connectors name by their files; Zabbix's `SSLCertLocation`. If not given, there are none.
        pub(crate) ssl_certs: Option<PathBuf> = unset r#""/etc/saker/ssl/certs""#,
        /// The folder with their keys (PEM); Zabbix's `SSLKeyLocation`. If not given, it is that of the certificates.
        pub(crate) ssl_keys: Option<PathBuf> = unset r#""/etc/saker/ssl/keys""#,
        /// A file (PEM) with certificates of authorities, or a folder of such files, that are trusted instead of the
        /// system's; Zabbix's `SSLCALocation`.
        pub(crate) ssl_authorities: Option<PathBuf> = unset r#""/etc/saker/ssl/ca""#,
    }

    /// Secrets of macros of type *Vault secret*, in a HashiCorp vault (KV engine, versions 1 and 2).
    pub(crate) struct Vault in vault {
        /// Where it listens, `http://` or `https://`. Without it such macros have no value.
        pub(crate) url: Option<HttpUrl> = unset r#""https://127.0.0.1:8200""#,
        /// File with the token, which is read each time: an agent of the vault may renew it.
        pub(crate) token_file: Option<PathBuf> = unset r#""/run/vault/token""#,
        /// The token, if there is no file; better in the environment, as `SAKER_VAULT_TOKEN`.
        pub(crate) token: Password = r#""""#,
        /// What stands before the path of a macro, such as `/v1/secret/data/`; Zabbix's `VaultPrefix`. If it is empty the
        /// path begins with its mount, and both versions of the engine are asked.
        pub(crate) prefix: String = r#""""#,
        /// Seconds after which secrets are read again; those of new macros are read at once.
        pub(crate) refresh_s: u64 = "60",
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "5_000",
        /// Whether its certificate is checked.
        pub(crate) tls_verify: bool = "true",
    }

    /// Commands of scripts that users and actions start.
    pub(crate) struct RemoteCommands in commands {
        /// Whether scripts may be executed on the server's own machine, as the user that the server runs as. Whoever
        /// may write scripts can then do what that user can.
        pub(crate) on_server: bool = "false",
        /// Whether scripts may be executed on hosts: by their agents, by SSH, Telnet and IPMI. Without it and
        /// `commands.on_server` only webhooks are, as with Zabbix's `EnableGlobalScripts=0`.
        pub(crate) on_hosts: bool = "true",
        /// Seconds that a command may take; webhooks have a time-out of their own.
        pub(crate) timeout_s: u64 = "60",
        /// Commands of actions that are executed at once; others wait.
        pub(crate) sessions_max: NonZeroUsize = "10",
        /// The folder with keys of SSH, which scripts and items name by their files; Zabbix's `SSHKeyLocation`. If not
        /// given, there are none.
        pub(crate) ssh_keys: Option<PathBuf> = unset r#""/etc/saker/ssh_keys""#,
    }

    /// Trying out what is not saved yet.
    pub(crate) struct Trial in trial {
        /// Seconds that one backtest may take; it then answers with what it has.
        pub(crate) backtest_s: u64 = "60",
    }

    /// Logging to standard error.
    pub(crate) struct Log in log {
        /// `error`, `warn`, `info`, `debug` or `trace`, also by part: `info,collect=debug`.
        pub(crate) level: Level = r#""info""#,
        /// `human` for readable lines, `json` for one object per line.
        pub(crate) format: rt::log::Format = r#""human""#,
    }

    use collect::CollectorSettings as collectors;
    use collect::SnmpTrapSettings as snmp_traps;
    use rt::tls::TlsSettings as tls;
}

/// As in Zabbix; a batch of lines fits.
const EXPORT_FILE_BYTES_MIN: u64 = 1 << 20;

/// Variables with Saker's prefix that are read elsewhere.
const ENV_KNOWN: &[&str] = &[
    ADMIN_PASSWORD_ENV,
    "SAKER_SETTINGS",
    "SAKER_TEST_",
    "SAKER_BIN",
    "SAKER_CHROMIUM",
    "SAKER_REQUIRE_PEERS",
];

/// Sets the password of user `Admin` when the data directory is new. It is no setting, because
/// passwords do not belong into files and command lines that others can read.
pub(crate) const ADMIN_PASSWORD_ENV: &str = "SAKER_ADMIN_PASSWORD";

impl Settings {
    /// Overlays file, environment and flags, and checks what several settings say together.
    ///
    /// # Errors
    /// The first mistake and its place, in words for the operator.
    pub(crate) fn load(
        file: Option<PathBuf>,
        flags: Vec<Flag>,
    ) -> Result<Loaded<Self>, SettingsError> {
        let env = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self::load_from(&Sources { file, env, env_known: ENV_KNOWN, flags, ..Sources::default() })
    }

    fn load_from(sources: &Sources) -> Result<Loaded<Self>, SettingsError> {
        let loaded: Loaded<Self> = rt::settings::load(sources)?;
        loaded.settings.check()?;
        Ok(loaded)
    }

    fn check(&self) -> Result<(), SettingsError> {
        if self.http.listen == self.trapper.listen && self.http.listen.port() != 0 {
            let message = format!(
                "{} is also the address of http.listen; they need different ports",
                self.trapper.listen
            );
            return Err(SettingsError::Inconsistent { key: "trapper.listen", message });
        }
        if self.export.file_bytes_max < EXPORT_FILE_BYTES_MIN {
            let message = format!("files of exports have {EXPORT_FILE_BYTES_MIN} bytes at least");
            return Err(SettingsError::Inconsistent { key: "export.file_bytes_max", message });
        }
        let missing = self.history.stores.0.iter().find_map(|it| match it {
            StoreName::ClickHouse if self.clickhouse.url.is_none() => Some("clickhouse.url"),
            StoreName::Postgres if self.postgres.url.is_none() => Some("postgres.url"),
            _ => None,
        });
        match missing {
            Some(url) => {
                let message = format!("a store is named that has no {url}");
                Err(SettingsError::Inconsistent { key: "history.stores", message })
            }
            None => Ok(()),
        }
    }

    /// Polling, for a process that may have `descriptors_max` files and sockets open: less than three eighths of those for
    /// what has many connections, so that others, files and databases have the rest.
    #[must_use]
    pub(crate) fn for_collectors(&self, descriptors_max: u64) -> collect::CollectSettings {
        let mut collectors = self.collectors.clone();
        let fit = |wanted: &mut NonZeroUsize, of| {
            *wanted = (*wanted).min(one_of(of, descriptors_max));
        };
        fit(&mut collectors.agent.checks_max, 8);
        fit(&mut collectors.http.requests_max, 8);
        fit(&mut collectors.service.checks_max, 32);
        fit(&mut collectors.web.scenarios_max, 32);
        fit(&mut collectors.ipmi.devices_max, 64);
        let polling = &self.collect;
        collect::CollectSettings {
            collectors,
            timeout: Duration::from_millis(polling.timeout_ms),
            unreachable_delay: Duration::from_secs(polling.unreachable_delay_s),
            unreachable_period: Duration::from_secs(polling.unreachable_period_s),
            unavailable_delay: Duration::from_secs(polling.unavailable_delay_s),
        }
    }

    /// The same with no more connections accepted than a process may have with `descriptors_max` files and sockets open:
    /// half of those for all listeners together. Polling, files and databases have the rest.
    #[must_use]
    pub(crate) fn fitted(&self, descriptors_max: u64) -> Self {
        let part = |of: u64| (descriptors_max / of).max(1);
        let narrow = |it: u64| u32::try_from(it).unwrap_or(u32::MAX);
        let mut fitted = self.clone();
        fitted.trapper.connections_max = self.trapper.connections_max.min(narrow(part(4)));
        fitted.http.connections_max = self.http.connections_max.min(narrow(part(8)));
        fitted.http.streams_max = self.http.streams_max.min(part(16));
        fitted.syslog.connections_max = self.syslog.connections_max.min(part(16));
        let discovery_max = self.collect.discovery_connections_max;
        fitted.collect.discovery_connections_max = discovery_max.min(one_of(32, descriptors_max));
        fitted
    }

    /// The number of shard threads on a machine with `n_cores`.
    #[must_use]
    pub(crate) fn n_shards(&self, n_cores: NonZeroUsize) -> usize {
        self.shards.unwrap_or(n_cores).get()
    }
}

/// One in so many parts.
fn one_of(parts: u64, descriptors_max: u64) -> NonZeroUsize {
    let part = usize::try_from(descriptors_max / parts).unwrap_or(usize::MAX);
    NonZeroUsize::new(part).unwrap_or(NonZeroUsize::MIN)
}

impl Outgoing {
    #[must_use]
    pub(crate) fn destinations(&self) -> Destinations {
        Destinations { denied: self.denied.0.clone(), allowed: self.allowed.0.clone() }
    }
}

impl Script {
    /// How many threads run scripts. One of them is for the quick ones.
    #[must_use]
    pub(crate) fn workers(&self) -> usize {
        let n_cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.workers.map_or(n_cores.get() + 1, NonZeroUsize::get)
    }

    /// Limits of one run.
    #[must_use]
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            time: Duration::from_millis(self.timeout_ms),
            memory_bytes: usize::try_from(self.memory_bytes_max).unwrap_or(usize::MAX),
            ..Limits::default()
        }
    }
}

impl Journal {
    /// Time between syncs; `None` to sync each batch.
    #[must_use]
    pub(crate) fn sync_interval(&self) -> Option<Duration> {
        (self.sync_ms != 0).then(|| Duration::from_millis(self.sync_ms))
    }
}

#[cfg(test)]
mod tests;
