// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Alert, AlertGet, AlertSelects } from "./alert";
import type { AuditRecord, AuditRecordGet, AuditRecordSelects } from "./audit-record";
import type { DiscoveredHost, DiscoveredHostGet, DiscoveredHostSelects } from "./discovered-host";
import type {
  DiscoveredService,
  DiscoveredServiceGet,
  DiscoveredServiceSelects,
} from "./discovered-service";
import type { DiscoveryCheck, DiscoveryCheckGet, DiscoveryCheckSelects } from "./discovery-check";
import type {
  DiscoveryRule,
  DiscoveryRuleCreate,
  DiscoveryRuleGet,
  DiscoveryRuleSelects,
  DiscoveryRuleUpdate,
} from "./discovery-rule";
import type {
  DiscoveryRulePrototype,
  DiscoveryRulePrototypeCreate,
  DiscoveryRulePrototypeGet,
  DiscoveryRulePrototypeSelects,
  DiscoveryRulePrototypeUpdate,
} from "./discovery-rule-prototype";
import type { DocumentMethods } from "./documents";
import type { Event, EventGet, EventSelects } from "./event";
import type { GlobalMacroCreate, GlobalMacroUpdate } from "./global-macro";
import type { Graph, GraphCreate, GraphGet, GraphSelects, GraphUpdate } from "./graph";
import type { GraphItem, GraphItemGet, GraphItemSelects } from "./graph-item";
import type {
  GraphPrototype,
  GraphPrototypeCreate,
  GraphPrototypeGet,
  GraphPrototypeSelects,
  GraphPrototypeUpdate,
} from "./graph-prototype";
import type { HaNode, HaNodeGet } from "./ha-node";
import type { HistoryValue, HistoryValueGet } from "./history-value";
import type { Host, HostCreate, HostGet, HostSelects, HostUpdate } from "./host";
import type {
  HostGroup,
  HostGroupCreate,
  HostGroupGet,
  HostGroupSelects,
  HostGroupUpdate,
} from "./host-group";
import type {
  HostInterface,
  HostInterfaceCreate,
  HostInterfaceGet,
  HostInterfaceSelects,
  HostInterfaceUpdate,
} from "./host-interface";
import type {
  HostPrototype,
  HostPrototypeCreate,
  HostPrototypeGet,
  HostPrototypeSelects,
  HostPrototypeUpdate,
} from "./host-prototype";
import type { Item, ItemCreate, ItemGet, ItemSelects, ItemUpdate } from "./item";
import type {
  ItemPrototype,
  ItemPrototypeCreate,
  ItemPrototypeGet,
  ItemPrototypeSelects,
  ItemPrototypeUpdate,
} from "./item-prototype";
import type { Problem, ProblemGet, ProblemSelects } from "./problem";
import type { Task, TaskCreate, TaskGet } from "./task";
import type {
  Template,
  TemplateCreate,
  TemplateGet,
  TemplateSelects,
  TemplateUpdate,
} from "./template";
import type {
  TemplateGroup,
  TemplateGroupCreate,
  TemplateGroupGet,
  TemplateGroupSelects,
  TemplateGroupUpdate,
} from "./template-group";
import type { Token, TokenCreate, TokenGet, TokenUpdate } from "./token";
import type { Trend, TrendGet } from "./trend";
import type { Trigger, TriggerCreate, TriggerGet, TriggerSelects, TriggerUpdate } from "./trigger";
import type {
  TriggerPrototype,
  TriggerPrototypeCreate,
  TriggerPrototypeGet,
  TriggerPrototypeSelects,
  TriggerPrototypeUpdate,
} from "./trigger-prototype";
import type { User, UserCreate, UserGet, UserSelects, UserUpdate } from "./user";
import type {
  UserGroup,
  UserGroupCreate,
  UserGroupGet,
  UserGroupSelects,
  UserGroupUpdate,
} from "./user-group";
import type {
  UserMacro,
  UserMacroCreate,
  UserMacroGet,
  UserMacroSelects,
  UserMacroUpdate,
} from "./user-macro";
import type {
  WebScenario,
  WebScenarioCreate,
  WebScenarioGet,
  WebScenarioSelects,
  WebScenarioUpdate,
} from "./web-scenario";

/** Methods by name: their parameters and their answers. */
export interface Methods extends DocumentMethods {
  readonly "auditlog.get": {
    readonly params: AuditRecordGet;
    readonly result: readonly (Partial<AuditRecord> & Partial<AuditRecordSelects>)[];
  };
  readonly "configuration.import": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "configuration.importcompare": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "configuration.export": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "hanode.get": {
    readonly params: HaNodeGet;
    readonly result: readonly (Partial<HaNode>)[];
  };
  readonly "alert.get": {
    readonly params: AlertGet;
    readonly result: readonly (Partial<Alert> & Partial<AlertSelects>)[];
  };
  readonly "dcheck.get": {
    readonly params: DiscoveryCheckGet;
    readonly result: readonly (Partial<DiscoveryCheck> & Partial<DiscoveryCheckSelects>)[];
  };
  readonly "dhost.get": {
    readonly params: DiscoveredHostGet;
    readonly result: readonly (Partial<DiscoveredHost> & Partial<DiscoveredHostSelects>)[];
  };
  readonly "dservice.get": {
    readonly params: DiscoveredServiceGet;
    readonly result: readonly (Partial<DiscoveredService> & Partial<DiscoveredServiceSelects>)[];
  };
  readonly "discoveryrule.get": {
    readonly params: DiscoveryRuleGet;
    readonly result: readonly (Partial<DiscoveryRule> & Partial<DiscoveryRuleSelects>)[];
  };
  readonly "discoveryrule.create": {
    readonly params: DiscoveryRuleCreate | readonly DiscoveryRuleCreate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "discoveryrule.update": {
    readonly params: DiscoveryRuleUpdate | readonly DiscoveryRuleUpdate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "discoveryrule.delete": {
    readonly params: readonly string[];
    readonly result: { readonly ruleids: readonly string[] };
  };
  readonly "discoveryruleprototype.get": {
    readonly params: DiscoveryRulePrototypeGet;
    readonly result: readonly (Partial<DiscoveryRulePrototype> & Partial<DiscoveryRulePrototypeSelects>)[];
  };
  readonly "discoveryruleprototype.create": {
    readonly params: DiscoveryRulePrototypeCreate | readonly DiscoveryRulePrototypeCreate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "discoveryruleprototype.update": {
    readonly params: DiscoveryRulePrototypeUpdate | readonly DiscoveryRulePrototypeUpdate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "discoveryruleprototype.delete": {
    readonly params: readonly string[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "graph.get": {
    readonly params: GraphGet;
    readonly result: readonly (Partial<Graph> & Partial<GraphSelects>)[];
  };
  readonly "graph.create": {
    readonly params: GraphCreate | readonly GraphCreate[];
    readonly result: { readonly graphids: readonly string[] };
  };
  readonly "graph.update": {
    readonly params: GraphUpdate | readonly GraphUpdate[];
    readonly result: { readonly graphids: readonly string[] };
  };
  readonly "graph.delete": {
    readonly params: readonly string[];
    readonly result: { readonly graphids: readonly string[] };
  };
  readonly "graphitem.get": {
    readonly params: GraphItemGet;
    readonly result: readonly (Partial<GraphItem> & Partial<GraphItemSelects>)[];
  };
  readonly "graphprototype.get": {
    readonly params: GraphPrototypeGet;
    readonly result: readonly (Partial<GraphPrototype> & Partial<GraphPrototypeSelects>)[];
  };
  readonly "graphprototype.create": {
    readonly params: GraphPrototypeCreate | readonly GraphPrototypeCreate[];
    readonly result: { readonly graphids: readonly string[] };
  };
  readonly "graphprototype.update": {
    readonly params: GraphPrototypeUpdate | readonly GraphPrototypeUpdate[];
    readonly result: { readonly graphids: readonly string[] };
  };
  readonly "graphprototype.delete": {
    readonly params: readonly string[];
    readonly result: { readonly graphids: readonly string[] };
  };
  readonly "history.get": {
    readonly params: HistoryValueGet;
    readonly result: readonly (Partial<HistoryValue>)[];
  };
  readonly "history.clear": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "history.push": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "trend.get": {
    readonly params: TrendGet;
    readonly result: readonly (Partial<Trend>)[];
  };
  readonly "hostgroup.get": {
    readonly params: HostGroupGet;
    readonly result: readonly (Partial<HostGroup> & Partial<HostGroupSelects>)[];
  };
  readonly "hostgroup.create": {
    readonly params: HostGroupCreate | readonly HostGroupCreate[];
    readonly result: { readonly groupids: readonly string[] };
  };
  readonly "hostgroup.update": {
    readonly params: HostGroupUpdate | readonly HostGroupUpdate[];
    readonly result: { readonly groupids: readonly string[] };
  };
  readonly "hostgroup.delete": {
    readonly params: readonly string[];
    readonly result: { readonly groupids: readonly string[] };
  };
  readonly "hostgroup.massadd": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "hostgroup.massremove": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "hostgroup.massupdate": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "hostgroup.propagate": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "templategroup.get": {
    readonly params: TemplateGroupGet;
    readonly result: readonly (Partial<TemplateGroup> & Partial<TemplateGroupSelects>)[];
  };
  readonly "templategroup.create": {
    readonly params: TemplateGroupCreate | readonly TemplateGroupCreate[];
    readonly result: { readonly groupids: readonly string[] };
  };
  readonly "templategroup.update": {
    readonly params: TemplateGroupUpdate | readonly TemplateGroupUpdate[];
    readonly result: { readonly groupids: readonly string[] };
  };
  readonly "templategroup.delete": {
    readonly params: readonly string[];
    readonly result: { readonly groupids: readonly string[] };
  };
  readonly "templategroup.massadd": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "templategroup.massremove": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "templategroup.massupdate": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "templategroup.propagate": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "host.get": {
    readonly params: HostGet;
    readonly result: readonly (Partial<Host> & Partial<HostSelects>)[];
  };
  readonly "host.create": {
    readonly params: HostCreate | readonly HostCreate[];
    readonly result: { readonly hostids: readonly string[] };
  };
  readonly "host.update": {
    readonly params: HostUpdate | readonly HostUpdate[];
    readonly result: { readonly hostids: readonly string[] };
  };
  readonly "host.delete": {
    readonly params: readonly string[];
    readonly result: { readonly hostids: readonly string[] };
  };
  readonly "host.massadd": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "host.massremove": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "host.massupdate": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "hostprototype.get": {
    readonly params: HostPrototypeGet;
    readonly result: readonly (Partial<HostPrototype> & Partial<HostPrototypeSelects>)[];
  };
  readonly "hostprototype.create": {
    readonly params: HostPrototypeCreate | readonly HostPrototypeCreate[];
    readonly result: { readonly hostids: readonly string[] };
  };
  readonly "hostprototype.update": {
    readonly params: HostPrototypeUpdate | readonly HostPrototypeUpdate[];
    readonly result: { readonly hostids: readonly string[] };
  };
  readonly "hostprototype.delete": {
    readonly params: readonly string[];
    readonly result: { readonly hostids: readonly string[] };
  };
  readonly "hostinterface.get": {
    readonly params: HostInterfaceGet;
    readonly result: readonly (Partial<HostInterface> & Partial<HostInterfaceSelects>)[];
  };
  readonly "hostinterface.create": {
    readonly params: HostInterfaceCreate | readonly HostInterfaceCreate[];
    readonly result: { readonly interfaceids: readonly string[] };
  };
  readonly "hostinterface.update": {
    readonly params: HostInterfaceUpdate | readonly HostInterfaceUpdate[];
    readonly result: { readonly interfaceids: readonly string[] };
  };
  readonly "hostinterface.delete": {
    readonly params: readonly string[];
    readonly result: { readonly interfaceids: readonly string[] };
  };
  readonly "hostinterface.massadd": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "hostinterface.massremove": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "hostinterface.replacehostinterfaces": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "httptest.get": {
    readonly params: WebScenarioGet;
    readonly result: readonly (Partial<WebScenario> & Partial<WebScenarioSelects>)[];
  };
  readonly "httptest.create": {
    readonly params: WebScenarioCreate | readonly WebScenarioCreate[];
    readonly result: { readonly httptestids: readonly string[] };
  };
  readonly "httptest.update": {
    readonly params: WebScenarioUpdate | readonly WebScenarioUpdate[];
    readonly result: { readonly httptestids: readonly string[] };
  };
  readonly "httptest.delete": {
    readonly params: readonly string[];
    readonly result: { readonly httptestids: readonly string[] };
  };
  readonly "item.get": {
    readonly params: ItemGet;
    readonly result: readonly (Partial<Item> & Partial<ItemSelects>)[];
  };
  readonly "item.create": {
    readonly params: ItemCreate | readonly ItemCreate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "item.update": {
    readonly params: ItemUpdate | readonly ItemUpdate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "item.delete": {
    readonly params: readonly string[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "itemprototype.get": {
    readonly params: ItemPrototypeGet;
    readonly result: readonly (Partial<ItemPrototype> & Partial<ItemPrototypeSelects>)[];
  };
  readonly "itemprototype.create": {
    readonly params: ItemPrototypeCreate | readonly ItemPrototypeCreate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "itemprototype.update": {
    readonly params: ItemPrototypeUpdate | readonly ItemPrototypeUpdate[];
    readonly result: { readonly itemids: readonly string[] };
  };
  readonly "itemprototype.delete": {
    readonly params: readonly string[];
    readonly result: { readonly prototypeids: readonly string[] };
  };
  readonly "event.get": {
    readonly params: EventGet;
    readonly result: readonly (Partial<Event> & Partial<EventSelects>)[];
  };
  readonly "event.acknowledge": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "problem.get": {
    readonly params: ProblemGet;
    readonly result: readonly (Partial<Problem> & Partial<ProblemSelects>)[];
  };
  readonly "task.get": {
    readonly params: TaskGet;
    readonly result: readonly (Partial<Task>)[];
  };
  readonly "task.create": {
    readonly params: TaskCreate | readonly TaskCreate[];
    readonly result: { readonly taskids: readonly string[] };
  };
  readonly "template.get": {
    readonly params: TemplateGet;
    readonly result: readonly (Partial<Template> & Partial<TemplateSelects>)[];
  };
  readonly "template.create": {
    readonly params: TemplateCreate | readonly TemplateCreate[];
    readonly result: { readonly templateids: readonly string[] };
  };
  readonly "template.update": {
    readonly params: TemplateUpdate | readonly TemplateUpdate[];
    readonly result: { readonly templateids: readonly string[] };
  };
  readonly "template.delete": {
    readonly params: readonly string[];
    readonly result: { readonly templateids: readonly string[] };
  };
  readonly "template.massadd": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "template.massremove": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "template.massupdate": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "token.get": {
    readonly params: TokenGet;
    readonly result: readonly (Partial<Token>)[];
  };
  readonly "token.create": {
    readonly params: TokenCreate | readonly TokenCreate[];
    readonly result: { readonly tokenids: readonly string[] };
  };
  readonly "token.update": {
    readonly params: TokenUpdate | readonly TokenUpdate[];
    readonly result: { readonly tokenids: readonly string[] };
  };
  readonly "token.delete": {
    readonly params: readonly string[];
    readonly result: { readonly tokenids: readonly string[] };
  };
  readonly "token.generate": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "trigger.get": {
    readonly params: TriggerGet;
    readonly result: readonly (Partial<Trigger> & Partial<TriggerSelects>)[];
  };
  readonly "trigger.create": {
    readonly params: TriggerCreate | readonly TriggerCreate[];
    readonly result: { readonly triggerids: readonly string[] };
  };
  readonly "trigger.update": {
    readonly params: TriggerUpdate | readonly TriggerUpdate[];
    readonly result: { readonly triggerids: readonly string[] };
  };
  readonly "trigger.delete": {
    readonly params: readonly string[];
    readonly result: { readonly triggerids: readonly string[] };
  };
  readonly "triggerprototype.get": {
    readonly params: TriggerPrototypeGet;
    readonly result: readonly (Partial<TriggerPrototype> & Partial<TriggerPrototypeSelects>)[];
  };
  readonly "triggerprototype.create": {
    readonly params: TriggerPrototypeCreate | readonly TriggerPrototypeCreate[];
    readonly result: { readonly triggerids: readonly string[] };
  };
  readonly "triggerprototype.update": {
    readonly params: TriggerPrototypeUpdate | readonly TriggerPrototypeUpdate[];
    readonly result: { readonly triggerids: readonly string[] };
  };
  readonly "triggerprototype.delete": {
    readonly params: readonly string[];
    readonly result: { readonly triggerids: readonly string[] };
  };
  readonly "user.get": {
    readonly params: UserGet;
    readonly result: readonly (Partial<User> & Partial<UserSelects>)[];
  };
  readonly "user.create": {
    readonly params: UserCreate | readonly UserCreate[];
    readonly result: { readonly userids: readonly string[] };
  };
  readonly "user.update": {
    readonly params: UserUpdate | readonly UserUpdate[];
    readonly result: { readonly userids: readonly string[] };
  };
  readonly "user.delete": {
    readonly params: readonly string[];
    readonly result: { readonly userids: readonly string[] };
  };
  readonly "user.unblock": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "user.provision": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "user.resettotp": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "user.logout": {
    readonly params: unknown;
    readonly result: unknown;
  };
  readonly "usergroup.get": {
    readonly params: UserGroupGet;
    readonly result: readonly (Partial<UserGroup> & Partial<UserGroupSelects>)[];
  };
  readonly "usergroup.create": {
    readonly params: UserGroupCreate | readonly UserGroupCreate[];
    readonly result: { readonly usrgrpids: readonly string[] };
  };
  readonly "usergroup.update": {
    readonly params: UserGroupUpdate | readonly UserGroupUpdate[];
    readonly result: { readonly usrgrpids: readonly string[] };
  };
  readonly "usergroup.delete": {
    readonly params: readonly string[];
    readonly result: { readonly usrgrpids: readonly string[] };
  };
  readonly "usermacro.get": {
    readonly params: UserMacroGet;
    readonly result: readonly (Partial<UserMacro> & Partial<UserMacroSelects>)[];
  };
  readonly "usermacro.create": {
    readonly params: UserMacroCreate | readonly UserMacroCreate[];
    readonly result: { readonly hostmacroids: readonly string[] };
  };
  readonly "usermacro.update": {
    readonly params: UserMacroUpdate | readonly UserMacroUpdate[];
    readonly result: { readonly hostmacroids: readonly string[] };
  };
  readonly "usermacro.delete": {
    readonly params: readonly string[];
    readonly result: { readonly hostmacroids: readonly string[] };
  };
  readonly "usermacro.createglobal": {
    readonly params: GlobalMacroCreate | readonly GlobalMacroCreate[];
    readonly result: { readonly globalmacroids: readonly string[] };
  };
  readonly "usermacro.updateglobal": {
    readonly params: GlobalMacroUpdate | readonly GlobalMacroUpdate[];
    readonly result: { readonly globalmacroids: readonly string[] };
  };
  readonly "usermacro.deleteglobal": {
    readonly params: readonly string[];
    readonly result: { readonly globalmacroids: readonly string[] };
  };
}
