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
use rt::settings::{Flag, LoadedSettings, SettingsError, Sources};
use script::Limits;

pub(crate) use values::{
    ApiVersion, CorsOrigins, DatabaseUrl, ExportTypes, HttpTls, HttpUrl, Level, NetworkList,
    Password, PostgresUrl, StoreName, StoreNames,
};

rt::settings! {
    /// Settings of `saker server`.
    pub(crate) struct Settings {
        /// Directory of all data of the server. It is created if it is missing, and refused if it contains
        /// other files.
        pub(crate) data: PathBuf = r#""./data""#,
        /// Threads that process values. Default: one for each core. The number may change from start to
        /// start.
        pub(crate) shards: Option<NonZeroUsize> = unset "4",
        /// Whether a server with an empty data directory monitors its own machine, with the built-in agent,
        /// as its first host.
        pub(crate) own_host: bool = "true",
    }

    /// Web pages and the JSON-RPC API.
    pub(crate) struct Http in http {
        /// Address and port to listen on. The default is reachable from this machine only.
        pub(crate) listen: SocketAddr = r#""127.0.0.1:8080""#,
        /// Most connections at once. At the limit, a new connection replaces one that makes no progress,
        /// and an address with many connections loses one to an address with fewer. The system's limit of
        /// open files may allow fewer; this is logged at the start.
        pub(crate) connections_max: u32 = "4_096",
        /// Largest request body in bytes; larger ones are refused.
        pub(crate) body_bytes_max: u64 = "16_777_216",
        /// The same limit for requests without a valid session or API token in their header: logins, and
        /// calls of older clients that have `auth` in the body.
        pub(crate) before_login_bytes_max: u64 = "1_048_576",
        /// Memory in bytes for request bodies, their parsed contents and unsent responses, over all
        /// connections. Requests without a valid session or token share an eighth of it, and live streams
        /// take an eighth at most. At the limit, the slowest clients are disconnected first.
        pub(crate) memory_bytes_max: u64 = "201_326_592",
        /// Time in milliseconds within which a client has to send 16 KiB of its request or to receive 16
        /// KiB of its response. Slower clients are disconnected.
        pub(crate) stall_timeout_ms: u64 = "30_000",
        /// Most live streams of the pages at once.
        pub(crate) streams_max: u64 = "1_000",
        /// Most live streams of one user. One address has at most half of all streams. At the limit, the
        /// oldest stream of the user with the most streams ends.
        pub(crate) streams_user_max: u64 = "100",
        /// Origins whose pages may use the API in browsers, such as `https://board.example.org`, separated
        /// by commas; `*` for all, as in Zabbix. These pages need an API token or a session of their own.
        /// Empty: none.
        pub(crate) cors_origins: CorsOrigins = r#""""#,
        /// Reverse proxies, as addresses and networks separated by commas. Their `X-Forwarded-For` is
        /// accepted as the address of a request (for the audit log and delays after failed logins), and
        /// with their `X-Forwarded-Proto: https` the browser's cookie is `Secure`. These headers of other
        /// senders are ignored.
        pub(crate) trusted_proxies: NetworkList = r#""""#,
        /// Certificate for HTTPS, followed by its intermediate certificates (PEM). With it, clients that
        /// use HTTP are redirected to the same address with HTTPS. SIGHUP reloads it and its key.
        pub(crate) tls_cert_file: Option<PathBuf> = unset r#""/etc/saker/http.pem""#,
        /// Its private key (PEM).
        pub(crate) tls_key_file: Option<PathBuf> = unset r#""/etc/saker/http.key""#,
        /// `self-signed`: HTTPS with a certificate that the server creates in its data directory if there
        /// is none; its fingerprint is logged at each start. Also as `--tls self-signed`.
        pub(crate) tls: Option<HttpTls> = unset r#""self-signed""#,
    }

    /// The JSON-RPC API for other programs.
    pub(crate) struct ApiPort in api {
        /// Version of the Zabbix API: `7.0`, `7.2` or `7.4`. `apiinfo.version` returns it, and it
        /// determines which fields, parameters and methods exist. The pages are not affected.
        pub(crate) zabbix_version: ApiVersion = r#""7.0""#,
    }

    /// Metrics of the server for Prometheus.
    pub(crate) struct MetricsPort in metrics {
        /// Address and port that serve `/metrics` without a login; use an address of this machine or of a
        /// separate network. On the port of the pages, `/metrics` requires the token of a super admin.
        pub(crate) listen: Option<SocketAddr> = unset r#""127.0.0.1:9180""#,
    }

    /// The port for senders, active agents and proxies.
    pub(crate) struct Trapper in trapper {
        /// Address and port to listen on; Zabbix's own port is 10051. The default is reachable
        /// from this machine only.
        pub(crate) listen: SocketAddr = r#""127.0.0.1:10051""#,
        /// Most connections at once. At the limit, a new connection replaces one that makes no progress,
        /// and an address with many connections loses one to an address with fewer. The system's limit of
        /// open files may allow fewer; this is logged at the start.
        pub(crate) connections_max: u32 = "10_000",
        /// Largest packet in bytes, before and after decompression; larger ones are refused.
        pub(crate) packet_bytes_max: u64 = "134_217_728",
        /// Memory in bytes for the packets of all connections, allocated as their bytes arrive. Packets
        /// above 64 KiB share three quarters of it. At the limit, peers that send nothing are disconnected
        /// first; a packet that gets no memory within `timeout_ms` is answered with an error.
        pub(crate) memory_bytes_max: u64 = "268_435_456",
        /// Time in milliseconds for a peer to send its packet, for the server to write the values, and for
        /// the peer to receive the answer, each. Large packets have 1 s more for each MiB.
        pub(crate) timeout_ms: u64 = "30_000",
        /// Addresses and networks, separated by commas, that may request figures of the server with
        /// `zabbix.stats`: items `zabbix[stats,…]` of other servers, and agents; Zabbix's `StatsAllowedIP`.
        pub(crate) stats_allowed: NetworkList = r#""127.0.0.1, ::1""#,
    }

    /// Series that Prometheus's remote write and OpenTelemetry push to the port of the pages. Senders
    /// need an API token. Hosts with a discovery rule `push.series` accept series.
    pub(crate) struct Push in push {
        /// Labels and attributes that name the host of a series, separated by commas: the first one that
        /// the series has is used. The name may be followed by a port.
        pub(crate) host_labels: String = r#""host.name,host,instance""#,
        /// Whether unknown hosts are created, for tokens of super admins.
        pub(crate) new_hosts: bool = "false",
        /// Group of such hosts; it is created if it is missing.
        pub(crate) group: String = r#""Pushed hosts""#,
        /// Template that is linked to them. The default template is imported if it is missing when a host
        /// is created.
        pub(crate) template: String = r#""Pushed metrics""#,
        /// Most series of one host; further ones are refused and counted.
        pub(crate) host_series_max: u64 = "10_000",
        /// Most series of all hosts.
        pub(crate) series_max: u64 = "1_000_000",
        /// Most new series within a minute.
        pub(crate) new_series_per_minute: u32 = "30_000",
        /// Most labels of a series.
        pub(crate) labels_max: u64 = "64",
        /// Longest name and value of a label, in bytes each.
        pub(crate) label_bytes_max: u64 = "512",
        /// Seconds without values after which a series has stopped; its items then count as lost in their
        /// discovery rule.
        pub(crate) lost_after_s: u64 = "900",
    }

    /// Discovery rules of hosts.
    pub(crate) struct Discovery in discovery {
        /// Most rows of a value of a discovery rule. A rule with a larger value becomes not supported, and
        /// its discovered objects do not change.
        pub(crate) rows_max: u64 = "100_000",
    }

    /// Messages of syslog, for items `syslog[…]`.
    pub(crate) struct Syslog in syslog {
        /// Address and port for datagrams, usually port 514. If not given, none are received.
        pub(crate) listen_udp: Option<SocketAddr> = unset r#""127.0.0.1:514""#,
        /// Address and port for connections. If not given, there are none.
        pub(crate) listen_tcp: Option<SocketAddr> = unset r#""127.0.0.1:514""#,
        /// Addresses and networks, separated by commas, that relay messages of other hosts: for them the
        /// host name in the message counts, otherwise the sender's address.
        pub(crate) relays: NetworkList = r#""""#,
        /// Longest message in bytes; longer ones are cut.
        pub(crate) message_bytes_max: u64 = "8_192",
        /// Most messages in the queue. Further datagrams are lost and counted; connections wait.
        pub(crate) queue_max: u64 = "20_000",
        /// Most messages of one host within a second; further ones are dropped and counted.
        pub(crate) host_messages_per_second: u32 = "2_000",
        /// Most connections at once; more wait to be accepted.
        pub(crate) connections_max: u64 = "1_000",
    }

    /// Polling: checks that this server starts.
    pub(crate) struct Collect in collect {
        /// Time in milliseconds for a check whose item has no timeout of its own. Active agents receive it
        /// too, in whole seconds.
        pub(crate) timeout_ms: u64 = "3_000",
        /// Seconds after which an interface that did not answer is checked again; Zabbix's
        /// `UnreachableDelay`.
        pub(crate) unreachable_delay_s: u64 = "15",
        /// Seconds of failures after which an interface counts as not available; Zabbix's
        /// `UnreachablePeriod`.
        pub(crate) unreachable_period_s: u64 = "45",
        /// Seconds between probes of an interface that is not available; Zabbix's
        /// `UnavailableDelay`.
        pub(crate) unavailable_delay_s: u64 = "60",
        /// Most connections of network discovery at once, of all its rules together. Each takes a file
        /// descriptor; a connection to an unused address takes `timeout_ms`. At most 1 of 32 descriptors
        /// that the system grants is used for them.
        pub(crate) discovery_connections_max: NonZeroUsize = "500",
    }

    /// Storage of configuration, users, events and problems. Values are stored elsewhere.
    pub(crate) struct Database in database {
        /// `sqlite` is a file in the data directory. `postgres://user:password@host:port/name` is a
        /// PostgreSQL database (15 or newer), which must exist and may be empty. `?` may be followed by
        /// `sslmode` (`disable`, `prefer`, `require`, `verify-ca`, `verify-full`) and `sslrootcert`, the
        /// file of a certificate authority. Without both, the connection is encrypted if the database
        /// supports it, and its certificate is not verified.
        pub(crate) url: DatabaseUrl = r#""sqlite""#,
    }

    /// Delivery of the messages of actions.
    pub(crate) struct Alerting in alerting {
        /// Most messages that are sent at the same time, of all media types together. A media type may have
        /// a lower limit of its own.
        pub(crate) sessions_max: NonZeroUsize = "16",
        /// Most messages that one media type sends within a second. The limit protects the receiver from a
        /// storm of problems; further messages wait. 0: no limit.
        pub(crate) rate_per_s: u32 = "50",
        /// Folder of the scripts that media types execute; Zabbix's `AlertScriptsPath`. If not given, none
        /// is executed.
        pub(crate) scripts: Option<PathBuf> = unset r#""/usr/lib/saker/alertscripts""#,
        /// Time in milliseconds for one run of such a script.
        pub(crate) script_timeout_ms: u64 = "30_000",
        /// Time in milliseconds for one e-mail, from the connection to the answer.
        pub(crate) smtp_timeout_ms: u64 = "40_000",
        /// Hours for which a link in a message (`{ALERT.ACKURL}`) acknowledges its problem. 0: messages
        /// have no such links, and links that were sent earlier have no effect.
        pub(crate) acknowledge_link_hours: u32 = "24",
    }

    /// Deletion of old events, records of the audit log and sessions in the database. Their storage
    /// periods are set on the page of housekeeping.
    pub(crate) struct Housekeeping in housekeeping {
        /// Seconds between rounds; Zabbix's `HousekeepingFrequency`. 0: no rounds.
        pub(crate) interval_s: u64 = "3_600",
        /// Rows that one transaction reads and may delete. Edits and new events wait for one transaction at
        /// most.
        pub(crate) rows_max: NonZeroU32 = "2_000",
        /// Percent of the time, 1 to 100, for which a round may keep the database busy; it pauses for the
        /// rest.
        pub(crate) busy_percent: u32 = "20",
    }

    /// Stores of values, and the server's own store.
    pub(crate) struct History in history {
        /// Stores in the order in which they are read, separated by commas: `embedded` (the server's own),
        /// `clickhouse`, `postgres`. All stores with a URL receive all values. The first one that answers
        /// is read, and the next one while it is unavailable. Without `embedded` the server's own store
        /// keeps nothing: values that the first store does not have yet are in memory and in the journal.
        pub(crate) stores: StoreNames = r#""embedded""#,
        /// Time in milliseconds for a store on another machine to answer a query.
        pub(crate) read_timeout_ms: u64 = "10_000",
        /// Most bytes of its files; 0: as many as the storage periods of items need. Above the limit, the
        /// oldest files are removed before their time, which `/health`, log and metrics report. A merge of
        /// files may temporarily take a sixteenth more. The journal is not included.
        pub(crate) disk_budget_bytes: u64 = "0",
        /// Seconds after which values are written to a file at the latest; until then they are in memory
        /// and in the journal. Busy servers write earlier, as soon as there are enough values for a file.
        pub(crate) flush_interval_s: u64 = "3_600",
    }

    /// History in ClickHouse (18.16 or newer) in addition to the server's own store: it receives all
    /// values and trends. While it is unavailable, they wait in the journal.
    pub(crate) struct ClickHouse in clickhouse {
        /// URL of its HTTP interface, `http://` or `https://`. If not given, nothing is sent.
        pub(crate) url: Option<HttpUrl> = unset r#""http://127.0.0.1:8123""#,
        /// Database for the tables; both are created if they are missing.
        pub(crate) database: String = r#""saker""#,
        /// User that may create tables there.
        pub(crate) user: String = r#""default""#,
        /// Its password. The environment variable `SAKER_CLICKHOUSE_PASSWORD` is safer than a file that
        /// other users may read.
        pub(crate) password: Password = r#""""#,
        /// Cluster of ClickHouse's own configuration: with it, tables are replicated and distributed over
        /// the cluster.
        pub(crate) cluster: Option<String> = unset r#""monitoring""#,
        /// Certificate authority for `https`, as PEM; if not given, the authorities that the system trusts.
        pub(crate) ca_file: Option<PathBuf> = unset r#""/etc/saker/clickhouse-ca.pem""#,
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "30_000",
    }

    /// History in PostgreSQL (15 or newer) in addition to the server's own store: it receives all
    /// values and trends. While it is unavailable, they wait in the journal.
    pub(crate) struct Postgres in postgres {
        /// `postgres://user:password@host:port/name`, a database that exists; it may be the one of
        /// `database.url`. If not given, nothing is sent.
        pub(crate) url: Option<PostgresUrl> = unset r#""postgres://saker:secret@127.0.0.1/history""#,
        /// Schema for the tables; both are created if they are missing.
        pub(crate) schema: String = r#""saker_history""#,
        /// Certificate authority of the server, as PEM. With it, the connection is encrypted, and the
        /// certificate and the name of the server are verified with this authority only
        /// (`sslmode=verify-ca` in the URL leaves out the name). If not given, `sslmode=require` verifies
        /// with the authorities that the system trusts; without that the connection is encrypted if the
        /// server supports it, and its certificate is not verified.
        pub(crate) ca_file: Option<PathBuf> = unset r#""/etc/saker/postgres-ca.pem""#,
        /// Time in milliseconds for one statement.
        pub(crate) timeout_ms: u64 = "60_000",
    }

    /// Values, trends and problems for other programs in real time: as lines of JSON in files, to
    /// connectors (which users create in the pages), to Elasticsearch and to Prometheus. While a target
    /// is unavailable, the journal keeps its data.
    pub(crate) struct Export in export {
        /// Directory for these files, which must exist; Zabbix's `ExportDir`. If not given, no files are
        /// written.
        pub(crate) dir: Option<PathBuf> = unset r#""/var/lib/saker/export""#,
        /// Largest size of a file in bytes, at least 1 MiB. A full file gets the ending `.old` and replaces
        /// the earlier one. Zabbix's `ExportFileSize`.
        pub(crate) file_bytes_max: u64 = "1_073_741_824",
        /// Contents of the files, separated by commas: `events`, `history`, `trends`. Zabbix's
        /// `ExportType`.
        pub(crate) types: ExportTypes = r#""events,history,trends""#,
        /// Most bytes of journal that a target of any kind may lag; a value takes about 8 bytes.
        pub(crate) lag_bytes_max: u64 = "4_294_967_296",
        /// Most seconds that it may lag.
        pub(crate) lag_max_s: u64 = "86_400",
        /// Policy for a target that lags more. `leave-behind`: the oldest data is skipped, counted, and
        /// missing in the target. `hold`: the journal is kept, and no values are accepted after the disk is
        /// full. `/health` reports both cases.
        pub(crate) when_target_lags: export::WhenBehind = r#""leave-behind""#,
    }

    /// Values, trends and problems for Elasticsearch (7.8 or newer) or OpenSearch in real time, through
    /// its bulk API. The limits of `export` apply.
    pub(crate) struct Elasticsearch in elasticsearch {
        /// Its URL, `http://` or `https://`. If not given, nothing is sent.
        pub(crate) url: Option<HttpUrl> = unset r#""http://127.0.0.1:9200""#,
        /// Prefix of the names of indices: `saker-history-2026.11.23`.
        pub(crate) index: String = r#""saker""#,
        /// Data to send, separated by commas: `events`, `history`, `trends`.
        pub(crate) types: ExportTypes = r#""events,history,trends""#,
        /// User for basic authentication; empty for none.
        pub(crate) user: String = r#""""#,
        /// Its password. The environment variable `SAKER_ELASTICSEARCH_PASSWORD` is safer than a file that
        /// other users may read.
        pub(crate) password: Password = r#""""#,
        /// Whether its certificate is verified.
        pub(crate) tls_verify: bool = "true",
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "30_000",
    }

    /// Numeric values for Prometheus, or another receiver of its remote write (1.0), in real time. The
    /// limits of `export` apply.
    pub(crate) struct RemoteWrite in remote_write {
        /// URL of the receiver. If not given, nothing is sent.
        pub(crate) url: Option<HttpUrl> = unset r#""http://127.0.0.1:9090/api/v1/write""#,
        /// Prefix of the names of metrics: `zabbix_system_cpu_util`.
        pub(crate) prefix: String = r#""zabbix_""#,
        /// User for basic authentication; empty for none.
        pub(crate) user: String = r#""""#,
        /// Its password; preferably in the environment, as `SAKER_REMOTE_WRITE_PASSWORD`.
        pub(crate) password: Password = r#""""#,
        /// Whether its certificate is verified.
        pub(crate) tls_verify: bool = "true",
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "30_000",
    }

    /// The journal: the log to which every value is written before it is accepted.
    pub(crate) struct Journal in journal {
        /// Milliseconds between syncs to disk: a power failure loses at most the values of this period, a
        /// crash of the server alone loses none. 0: every batch is synced before it is acknowledged.
        pub(crate) sync_ms: u64 = "1_000",
        /// Bytes of journal that are kept for a store of history on another machine that is unavailable or
        /// too slow; a value takes about 8 bytes.
        pub(crate) store_lag_bytes_max: u64 = "17_179_869_184",
        /// Policy for a store that lags more. `leave-behind`: the journal is removed without it, so values
        /// will be missing in the store. `hold`: the journal is kept, and no values are accepted after the
        /// disk is full. `/health` reports both cases.
        pub(crate) when_store_lags: history::LagPolicy = r#""leave-behind""#,
    }

    /// Scripts (JavaScript) of preprocessing steps, and other steps that process long texts.
    pub(crate) struct Script in script {
        /// Threads that run them. Default: one more than the machine has cores. Items whose scripts take
        /// longer than 1 s may use all of them but one.
        pub(crate) workers: Option<NonZeroUsize> = unset "3",
        /// Time in milliseconds for a script, including its requests and sleeps.
        pub(crate) timeout_ms: u64 = "10_000",
        /// Most processes that run scripts of items, media types, commands and tests at once; each takes
        /// about 20 MB. Further scripts wait, at most for their own timeout. Scripts of preprocessing run
        /// in processes of their own, one for each thread.
        pub(crate) processes_max: NonZeroUsize = "32",
        /// Memory in bytes for the scripts of one thread. Official templates assume 512 MB.
        pub(crate) memory_bytes_max: u64 = "536_870_912",
        /// Whether the certificates of HTTPS servers that scripts access are verified.
        pub(crate) tls_verify: bool = "true",
    }

    /// Responses of devices and servers while they are being read.
    pub(crate) struct Reading in reading {
        /// Memory in bytes for responses above 64 KiB, including their decompressed contents: of HTTP
        /// requests of all kinds, agents, external checks, ODBC and SNMP walks. At the limit, small
        /// responses come before large ones. A response that gets no memory makes its item not supported
        /// until the next check.
        pub(crate) memory_bytes_max: u64 = "268_435_456",
    }

    /// Requests that the server sends for users: those of scripts and HTTP agent items, and
    /// `web.page.get` of the built-in agent.
    pub(crate) struct Outgoing in outgoing {
        /// Addresses and networks, separated by commas, that such requests must not access, by whatever
        /// name. Those of the default return secrets of a machine in a cloud; add `127.0.0.0/8, ::1` and
        /// your own networks to deny them to users.
        pub(crate) denied: NetworkList = r#""169.254.0.0/16, fe80::/10, fd00:ec2::254, fd20:ce::254, 100.100.100.200, 168.63.129.16, 192.0.0.192""#,
        /// Exceptions to `denied`.
        pub(crate) allowed: NetworkList = r#""""#,
        /// Folder of the client certificates (PEM, followed by the intermediate ones) that HTTP agent
        /// items, web scenarios and connectors name by file; Zabbix's `SSLCertLocation`. If not given,
        /// there are none.
        pub(crate) ssl_certs: Option<PathBuf> = unset r#""/etc/saker/ssl/certs""#,
        /// Folder of their keys (PEM); Zabbix's `SSLKeyLocation`. If not given, the folder of the
        /// certificates.
        pub(crate) ssl_keys: Option<PathBuf> = unset r#""/etc/saker/ssl/keys""#,
        /// File (PEM) with certificates of authorities, or a folder of such files, that are trusted instead
        /// of the system's; Zabbix's `SSLCALocation`.
        pub(crate) ssl_authorities: Option<PathBuf> = unset r#""/etc/saker/ssl/ca""#,
    }

    /// Values of macros of type *Vault secret*, in a HashiCorp vault (KV engine, versions 1 and 2).
    pub(crate) struct Vault in vault {
        /// Its URL, `http://` or `https://`. If not given, such macros have no value.
        pub(crate) url: Option<HttpUrl> = unset r#""https://127.0.0.1:8200""#,
        /// File with the token. It is read before each use, so an agent of the vault may renew it.
        pub(crate) token_file: Option<PathBuf> = unset r#""/run/vault/token""#,
        /// The token, if there is no file; preferably in the environment, as `SAKER_VAULT_TOKEN`.
        pub(crate) token: Password = r#""""#,
        /// Prefix of the path of a macro, such as `/v1/secret/data/`; Zabbix's `VaultPrefix`. If it is
        /// empty, the path begins with its mount, and both versions of the engine are tried.
        pub(crate) prefix: String = r#""""#,
        /// Seconds after which secrets are read again; secrets of new macros are read at once.
        pub(crate) refresh_s: u64 = "60",
        /// Time in milliseconds for one request.
        pub(crate) timeout_ms: u64 = "5_000",
        /// Whether its certificate is verified.
        pub(crate) tls_verify: bool = "true",
    }

    /// Commands of scripts that users and actions start.
    pub(crate) struct RemoteCommands in commands {
        /// Whether scripts may be executed on the server's own machine, as the user of the server process.
        /// Users who may edit scripts then have all permissions of that user.
        pub(crate) on_server: bool = "false",
        /// Whether scripts may be executed on hosts: by their agents, by SSH, Telnet and IPMI. Without this
        /// and `commands.on_server` only webhooks are executed, as with Zabbix's `EnableGlobalScripts=0`.
        pub(crate) on_hosts: bool = "true",
        /// Seconds for a command; webhooks have a timeout of their own.
        pub(crate) timeout_s: u64 = "60",
        /// Most commands of actions that are executed at once; others wait.
        pub(crate) sessions_max: NonZeroUsize = "10",
        /// Folder of the SSH keys that scripts and items name by file; Zabbix's `SSHKeyLocation`. If not
        /// given, there are none.
        pub(crate) ssh_keys: Option<PathBuf> = unset r#""/etc/saker/ssh_keys""#,
    }

    /// Tests of configuration that is not saved yet.
    pub(crate) struct Trial in trial {
        /// Seconds for one backtest; after them it returns its results so far.
        pub(crate) backtest_s: u64 = "60",
    }

    /// Logging to standard error.
    pub(crate) struct Log in log {
        /// `error`, `warn`, `info`, `debug` or `trace`, also for each part: `info,collect=debug`.
        pub(crate) level: Level = r#""info""#,
        /// `human` for readable lines, `json` for one object per line.
        pub(crate) format: rt::log::LogFormat = r#""human""#,
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
    /// Overlays file, environment and flags, and checks combinations of settings.
    ///
    /// # Errors
    /// The first mistake and its place, in words for the operator.
    pub(crate) fn load(
        file: Option<PathBuf>,
        flags: Vec<Flag>,
    ) -> Result<LoadedSettings<Self>, SettingsError> {
        let env = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self::load_from(&Sources { file, env, env_known: ENV_KNOWN, flags, ..Sources::default() })
    }

    fn load_from(sources: &Sources) -> Result<LoadedSettings<Self>, SettingsError> {
        let loaded: LoadedSettings<Self> = rt::settings::load(sources)?;
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

    /// Polling, for a process that may have `descriptors_max` files and sockets open: less than
    /// three eighths of those for collectors with many connections, so that others, files and
    /// databases have the rest.
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
