-- A database as version 6 of the tables left it.
BEGIN TRANSACTION;
CREATE TABLE acknowledges (
  acknowledgeid integer not null,
  eventid integer not null,
  userid integer not null,
  clock integer not null,
  message text not null,
  action integer not null,
  old_severity integer not null,
  new_severity integer not null,
  suppress_until integer not null,
  primary key (acknowledgeid)
);
CREATE TABLE audit (
  auditid integer not null,
  clock integer not null,
  userid integer not null,
  action integer not null,
  kind text not null,
  resourceid integer not null,
  name text not null,
  details text not null,
  primary key (auditid)
);
CREATE TABLE content (
  contentid integer not null,
  kind integer not null,
  version integer not null,
  body text not null,
  primary key (contentid)
);
INSERT INTO "content" VALUES(10008,0,1,'{"key_":"link","name":"Link","type":"2","value_type":"3","delay":"0","history":"31d","trends":"365d","units":"","description":"","status":"0","interfaceid":"0","valuemapid":"10004","master_itemid":"0","tags":[],"preprocessing":[],"uuid":"","params":"","snmp_oid":"","trapper_hosts":"","username":"","password":"","publickey":"","privatekey":"","authtype":"0","jmx_endpoint":"","ipmi_sensor":"","logtimefmt":"","timeout":"","url":"","query_fields":[],"posts":"","headers":[],"parameters":[],"post_type":"0","request_method":"0","retrieve_mode":"0","output_format":"0","status_codes":"200","http_proxy":"","follow_redirects":"1","verify_peer":"0","verify_host":"0","ssl_cert_file":"","ssl_key_file":"","ssl_key_password":"","allow_traps":"0","inventory_link":"0","filter":{"evaltype":"0","formula":"","conditions":[]},"lld_macro_paths":[],"lifetime":"7d","lifetime_type":"0","enabled_lifetime":"0","enabled_lifetime_type":"2","overrides":[],"ruleid":"0","discover":"0"}');
CREATE TABLE cursors (
  name text not null,
  lsn integer not null,
  primary key (name)
);
CREATE TABLE discovered (
  id integer not null,
  kind integer not null,
  ruleid integer not null,
  prototypeid integer not null,
  key_ text not null,
  name text not null,
  row_ text not null,
  lost_since integer not null,
  delete_at integer not null,
  disable_at integer not null,
  primary key (id)
);
CREATE TABLE events (
  eventid integer not null,
  source integer not null,
  object integer not null,
  objectid integer not null,
  clock integer not null,
  ns integer not null,
  value integer not null,
  severity integer not null,
  name text not null,
  opdata text not null,
  tags text not null,
  hosts text not null,
  recovers text not null,
  userid integer not null,
  primary key (eventid)
);
CREATE TABLE global_macros (
  globalmacroid integer not null,
  body text not null,
  primary key (globalmacroid)
);
INSERT INTO "global_macros" VALUES(2,'{"hostmacroid":"2","macro":"{$SNMP_COMMUNITY}","value":"public","description":"","type":"0"}');
CREATE TABLE host_groups (
  groupid integer not null,
  name text not null,
  uuid text not null,
  primary key (groupid)
);
INSERT INTO "host_groups" VALUES(2,'Linux servers','dc579cd7a1a34222933f24f52a68bcd8');
INSERT INTO "host_groups" VALUES(4,'Zabbix servers','6f6799aa69e844b4b3918f779f2abf08');
INSERT INTO "host_groups" VALUES(5,'Discovered hosts','f2481361f99448eea617b7b1d4765566');
INSERT INTO "host_groups" VALUES(6,'Virtual machines','137f19e6e2dc4219b33553b812627bc2');
INSERT INTO "host_groups" VALUES(7,'Hypervisors','1b837a3c078647049a0c00c61b4d57b5');
CREATE TABLE host_inventory (
  hostid integer not null,
  body text not null,
  primary key (hostid)
);
CREATE TABLE host_macros (
  hostmacroid integer not null,
  hostid integer not null,
  position integer not null,
  body text not null,
  primary key (hostmacroid)
);
CREATE TABLE host_templates (
  hostid integer not null,
  templateid integer not null,
  position integer not null,
  primary key (hostid, templateid)
);
INSERT INTO "host_templates" VALUES(10006,10003,0);
CREATE TABLE hosts (
  hostid integer not null,
  kind integer not null,
  host text not null,
  name text not null,
  status integer not null,
  body text not null,
  primary key (hostid)
);
INSERT INTO "hosts" VALUES(10003,1,'Switch','Switch',0,'{"description":"","uuid":"","tags":[],"inventory_mode":-1}');
INSERT INTO "hosts" VALUES(10006,0,'sw1','sw1',0,'{"description":"","uuid":"","tags":[],"inventory_mode":-1}');
CREATE TABLE hosts_in_groups (
  hostid integer not null,
  groupid integer not null,
  position integer not null,
  primary key (hostid, groupid)
);
INSERT INTO "hosts_in_groups" VALUES(10003,1,0);
INSERT INTO "hosts_in_groups" VALUES(10006,2,0);
CREATE TABLE ids (
  name text not null,
  next integer not null,
  primary key (name)
);
INSERT INTO "ids" VALUES('object',10009);
INSERT INTO "ids" VALUES('epoch',2);
INSERT INTO "ids" VALUES('edit',7540112028102885049);
CREATE TABLE interface_states (
  interfaceid integer not null,
  available integer not null,
  error text not null,
  errors_from integer not null,
  disable_until integer not null,
  primary key (interfaceid)
);
CREATE TABLE interfaces (
  interfaceid integer not null,
  hostid integer not null,
  position integer not null,
  body text not null,
  primary key (interfaceid)
);
CREATE TABLE items (
  itemid integer not null,
  hostid integer not null,
  sourceid integer not null,
  contentid integer not null,
  flags integer not null,
  primary key (itemid)
);
INSERT INTO "items" VALUES(10005,10003,0,10008,0);
INSERT INTO "items" VALUES(10007,10006,10005,0,0);
CREATE TABLE overrides (
  id integer not null,
  kind integer not null,
  body text not null,
  primary key (id)
);
CREATE TABLE problems (
  eventid integer not null,
  severity integer not null,
  acknowledged integer not null,
  r_eventid integer not null,
  r_clock integer not null,
  r_ns integer not null,
  userid integer not null,
  suppressed_until integer not null,
  primary key (eventid)
);
CREATE TABLE regexps (
  regexpid integer not null,
  body text not null,
  primary key (regexpid)
);
INSERT INTO "regexps" VALUES(10002,'{"regexpid":"10002","name":"Disks","test_string":"sda","expressions":[{"expression":"^[sv]d[a-z]$","expression_type":"3","exp_delimiter":",","case_sensitive":"1"},{"expression":"loop,ram","expression_type":"1","exp_delimiter":",","case_sensitive":"0"}]}');
CREATE TABLE roles (
  roleid integer not null,
  name text not null,
  body text not null,
  primary key (roleid)
);
INSERT INTO "roles" VALUES(1,'User role','{"roleid":"1","name":"User role","type":"1","readonly":"0","api_access":"1"}');
INSERT INTO "roles" VALUES(2,'Admin role','{"roleid":"2","name":"Admin role","type":"2","readonly":"0","api_access":"1"}');
INSERT INTO "roles" VALUES(3,'Super admin role','{"roleid":"3","name":"Super admin role","type":"3","readonly":"1","api_access":"1"}');
INSERT INTO "roles" VALUES(4,'Guest role','{"roleid":"4","name":"Guest role","type":"1","readonly":"0","api_access":"0"}');
INSERT INTO "roles" VALUES(10001,'Operators','{"roleid":"10001","name":"Operators","type":"2","readonly":"0","api_access":"0"}');
CREATE TABLE rule_states (
  itemid integer not null,
  state integer not null,
  error text not null,
  primary key (itemid)
);
CREATE TABLE schema_version (
  version integer not null,
  name text not null,
  primary key (version)
);
INSERT INTO "schema_version" VALUES(1,'first tables');
INSERT INTO "schema_version" VALUES(2,'global regular expressions');
INSERT INTO "schema_version" VALUES(3,'errors of discovery rules');
INSERT INTO "schema_version" VALUES(4,'host inventory');
INSERT INTO "schema_version" VALUES(5,'last changes of triggers');
INSERT INTO "schema_version" VALUES(6,'states of discovery rules');
CREATE TABLE sessions (
  hash text not null,
  userid integer not null,
  created_at integer not null,
  used_at integer not null,
  primary key (hash)
);
CREATE TABLE template_groups (
  groupid integer not null,
  name text not null,
  uuid text not null,
  primary key (groupid)
);
INSERT INTO "template_groups" VALUES(1,'Templates','7df96b18c230490a9a0a9e2307226338');
INSERT INTO "template_groups" VALUES(8,'Templates/Modules','57b7ae836ca64446ba2c296389c009b7');
INSERT INTO "template_groups" VALUES(9,'Templates/Network devices','36bff6c29af64692839d077febfc7079');
INSERT INTO "template_groups" VALUES(10,'Templates/Operating systems','846977d1dfed4968bc5f8bdb363285bc');
INSERT INTO "template_groups" VALUES(11,'Templates/Server hardware','e960332b3f6c46a1956486d4f3f99fce');
INSERT INTO "template_groups" VALUES(12,'Templates/Applications','a571c0d144b14fd4a87a9d9b2aa9fcd6');
INSERT INTO "template_groups" VALUES(13,'Templates/Databases','748ad4d098d447d492bb935c907f652f');
INSERT INTO "template_groups" VALUES(14,'Templates/Virtualization','02e4df4f20b848e79267641790f241da');
CREATE TABLE token_secrets (
  tokenid integer not null,
  hash text not null,
  primary key (tokenid)
);
CREATE TABLE tokens (
  tokenid integer not null,
  userid integer not null,
  name text not null,
  body text not null,
  primary key (tokenid)
);
CREATE TABLE trigger_changes (
  triggerid integer not null,
  eventid integer not null,
  clock integer not null,
  ns integer not null,
  primary key (triggerid)
);
CREATE TABLE triggers (
  triggerid integer not null,
  hostid integer not null,
  sourceid integer not null,
  contentid integer not null,
  flags integer not null,
  primary key (triggerid)
);
CREATE TABLE user_groups (
  usrgrpid integer not null,
  name text not null,
  body text not null,
  primary key (usrgrpid)
);
INSERT INTO "user_groups" VALUES(7,'Zabbix administrators','{"usrgrpid":"7","name":"Zabbix administrators","gui_access":"0","users_status":"0","debug_mode":"0","hostgroup_rights":[],"templategroup_rights":[]}');
INSERT INTO "user_groups" VALUES(8,'Guests','{"usrgrpid":"8","name":"Guests","gui_access":"1","users_status":"1","debug_mode":"0","hostgroup_rights":[],"templategroup_rights":[]}');
INSERT INTO "user_groups" VALUES(9,'Disabled','{"usrgrpid":"9","name":"Disabled","gui_access":"0","users_status":"1","debug_mode":"0","hostgroup_rights":[],"templategroup_rights":[]}');
INSERT INTO "user_groups" VALUES(11,'Enabled debug mode','{"usrgrpid":"11","name":"Enabled debug mode","gui_access":"0","users_status":"0","debug_mode":"1","hostgroup_rights":[],"templategroup_rights":[]}');
INSERT INTO "user_groups" VALUES(12,'No access to the frontend','{"usrgrpid":"12","name":"No access to the frontend","gui_access":"3","users_status":"0","debug_mode":"0","hostgroup_rights":[],"templategroup_rights":[]}');
INSERT INTO "user_groups" VALUES(13,'Internal','{"usrgrpid":"13","name":"Internal","gui_access":"1","users_status":"0","debug_mode":"0","hostgroup_rights":[],"templategroup_rights":[]}');
CREATE TABLE user_secrets (
  userid integer not null,
  password_hash text not null,
  primary key (userid)
);
CREATE TABLE users (
  userid integer not null,
  username text not null,
  body text not null,
  primary key (userid)
);
INSERT INTO "users" VALUES(1,'Admin','{"userid":"1","username":"Admin","name":"Saker","surname":"Administrator","roleid":"3","groups":["7","13"],"lang":"default","theme":"default","timezone":"default","url":"","autologin":"0","autologout":"0","refresh":"30s","rows_per_page":"50"}');
INSERT INTO "users" VALUES(2,'guest','{"userid":"2","username":"guest","name":"","surname":"","roleid":"4","groups":["8","9","13"],"lang":"default","theme":"default","timezone":"default","url":"","autologin":"0","autologout":"0","refresh":"30s","rows_per_page":"50"}');
CREATE TABLE valuemaps (
  valuemapid integer not null,
  hostid integer not null,
  position integer not null,
  body text not null,
  primary key (valuemapid)
);
INSERT INTO "valuemaps" VALUES(10004,10003,0,'{"valuemapid":"10004","uuid":"","name":"Link state","mappings":[{"type":"0","value":"1","newvalue":"up"},{"type":"5","value":"","newvalue":"down"}]}');
CREATE INDEX events_objectid_eventid on events (objectid, eventid);
CREATE INDEX events_clock on events (clock);
CREATE INDEX problems_r_eventid_r_clock on problems (r_eventid, r_clock);
CREATE INDEX acknowledges_eventid on acknowledges (eventid);
CREATE INDEX audit_clock on audit (clock);
COMMIT;
