//! The connection to PostgreSQL, encrypted.

use db::{Db, DbSettings, Location};
use peers::{Certificates, Postgres};

#[test]
fn the_configuration_goes_encrypted_to_the_server_that_the_authority_knows_and_to_no_other() {
    let Some(certificates) = Certificates::new() else { return };
    let Some(server) = Postgres::start(Some(&certificates)) else { return };
    let other = Certificates::new().unwrap();
    let settings = |host: &str, authority: &Certificates| {
        let (port, file) = (server.address.port(), authority.authority.display());
        DbSettings::new(Location::Postgres(format!(
            "postgres://saker:secret@{host}:{port}/saker?sslmode=verify-full&sslrootcert={file}"
        )))
    };
    // The certificate is for localhost.
    let db = Db::open(&settings("localhost", &certificates)).unwrap();
    let mut client = postgres::Client::connect(&server.url(), postgres::NoTls).unwrap();
    let sql = "select count(*), count(*) filter (where ssl) from pg_stat_ssl \
               join pg_stat_activity using (pid) where application_name = 'saker'";
    let row = client.query_one(sql, &[]).unwrap();
    let (n, n_encrypted): (i64, i64) = (row.get(0), row.get(1));
    assert!(n >= 1 && n == n_encrypted, "{n_encrypted} of {n}");
    drop(db);
    for (host, authority, why) in [
        ("localhost", &other, "certificate verify failed"),
        ("127.0.0.1", &certificates, "IP address mismatch"),
    ] {
        let error = Db::open(&settings(host, authority)).err().unwrap().to_string();
        assert!(error.contains(why) && !error.contains("secret"), "{error}");
    }
}
