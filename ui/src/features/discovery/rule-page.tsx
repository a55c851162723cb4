import { Button } from "@mantine/core";
import { useRef } from "react";
import type { HostPrototypeRow } from "@/api/prototypes";
import type { DiscoveryRule, Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { itemKindName, valueTypeName } from "@/lib/item-types";
import type { Owner } from "@/lib/owner";
import { toSeverity } from "@/lib/severity";
import { Panel } from "@/ui/page";
import { May } from "@/ui/rights";
import { SeverityLabel } from "@/ui/severity-mark";
import { QueryGate } from "@/ui/states";
import { ExpressionCode } from "@/widgets/expression-text";
import { kindName } from "@/widgets/graph/kinds";
import { ObjectPage } from "@/widgets/objects/object-page";
import { PartLink } from "@/widgets/part-link";
import classes from "./discovery.module.css";
import {
  RULE_CALLS,
  RULE_PROTOTYPE_CALLS,
  useGraphPrototypes,
  usePrototypes,
  useRule,
  useRulePrototypes,
} from "./queries";
import { RuleForm } from "./rule-form";

export interface RulePageProps {
  readonly owner: Owner;
  readonly ruleid: Id | "new";
  /** of a new prototype of a rule: the rule or prototype that it belongs to */
  readonly parent?: Id | undefined;
  /** with the rule that was created */
  readonly onDone: (created?: Id) => void;
  readonly onPrototype: (itemid: "new") => void;
  readonly onTriggerPrototype: (triggerid: "new") => void;
  readonly onHostPrototype: (hostid: "new") => void;
  readonly onGraphPrototype: (graphid: "new") => void;
  readonly onRulePrototype: (itemid: "new") => void;
}

export function RulePage(props: RulePageProps) {
  const { owner, ruleid, parent, onDone, onPrototype, onTriggerPrototype } = props;
  const { onHostPrototype, onGraphPrototype, onRulePrototype } = props;
  const prototypes = useRef<HTMLDivElement>(null);
  return (
    <ObjectPage
      id={ruleid}
      audited="rule"
      words={(parent === undefined ? RULE_CALLS : RULE_PROTOTYPE_CALLS).words}
      query={useRule(ruleid)}
      actions={
        <Button variant="default" onClick={() => prototypes.current?.scrollIntoView()}>
          {t("Prototypes")}
        </Button>
      }
    >
      {(rule) =>
        rule === undefined ? (
          <RuleForm owner={owner} rule={rule} parent={parent} onDone={onDone} />
        ) : (
          <div className={classes["page"]}>
            {rule.error === "" ? null : (
              <p className={`bad ${classes["error"]}`} role="alert">
                {rule.state === "1"
                  ? t("Not supported")
                  : t("The last value was applied only partly")}
                {": "}
                {rule.error}
              </p>
            )}
            <RuleForm key={ruleid} owner={owner} rule={rule} onDone={onDone} />
            <div ref={prototypes} className={classes["page"]}>
              <Prototypes
                owner={owner}
                ruleid={ruleid}
                inherited={isClosed(rule)}
                onItem={onPrototype}
                onTrigger={onTriggerPrototype}
                onHost={onHostPrototype}
              />
              <GraphPrototypes
                owner={owner}
                ruleid={ruleid}
                inherited={isClosed(rule)}
                onGraph={onGraphPrototype}
              />
              <RulePrototypes
                owner={owner}
                ruleid={ruleid}
                onNew={isClosed(rule) ? undefined : () => onRulePrototype("new")}
              />
            </div>
          </div>
        )
      }
    </ObjectPage>
  );
}

/** Whether prototypes are added somewhere else: on the template, or to the prototype that made the rule. */
function isClosed(rule: DiscoveryRule): boolean {
  return rule.flags === "5" || (rule.templateid !== "0" && rule.templateid !== "");
}

interface PrototypesProps {
  readonly owner: Owner;
  readonly ruleid: Id;
  readonly inherited: boolean;
  readonly onItem: (itemid: "new") => void;
  readonly onTrigger: (triggerid: "new") => void;
  readonly onHost: (hostid: "new") => void;
}

function Prototypes(props: PrototypesProps) {
  const { owner, ruleid, inherited, onItem, onTrigger, onHost } = props;
  const query = usePrototypes(ruleid);
  return (
    <QueryGate query={query}>
      {({ items, triggers, hosts }) => (
        <>
          <Panel
            title={t("Item prototypes ({n})", { n: items.length })}
            actions={
              inherited ? null : (
                <May call="itemprototype.create">
                  <Button variant="default" size="compact-xs" onClick={() => onItem("new")}>
                    {t("New item prototype")}
                  </Button>
                </May>
              )
            }
          >
            <table className={classes["table"]} aria-label={t("Item prototypes")}>
              <tbody>
                {items.map((item) => (
                  <tr key={item.itemid}>
                    <td>
                      <PartLink
                        owner={owner}
                        part={`discovery/${ruleid}/prototypes/${item.itemid}`}
                        name={item.name}
                      />
                    </td>
                    <td className="mono">{item.key_}</td>
                    <td className="dim">{itemKindName(item.type)}</td>
                    <td className="dim">{valueTypeName(item.value_type)}</td>
                    <td className="dim">{item.delay === "0" ? "" : item.delay}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Panel>
          <Panel
            title={t("Trigger prototypes ({n})", { n: triggers.length })}
            actions={
              inherited ? null : (
                <May call="triggerprototype.create">
                  <Button variant="default" size="compact-xs" onClick={() => onTrigger("new")}>
                    {t("New trigger prototype")}
                  </Button>
                </May>
              )
            }
          >
            <table className={classes["table"]} aria-label={t("Trigger prototypes")}>
              <tbody>
                {triggers.map((trigger) => (
                  <tr key={trigger.triggerid}>
                    <td>
                      <SeverityLabel severity={toSeverity(trigger.priority)} />
                    </td>
                    <td>
                      <PartLink
                        owner={owner}
                        part={`discovery/${ruleid}/trigger-prototypes/${trigger.triggerid}`}
                        name={trigger.description}
                      />
                    </td>
                    <td>
                      <ExpressionCode text={trigger.expression} />
                    </td>
                    <td className="dim">
                      {trigger.dependencies.length === 0
                        ? null
                        : t("depends on {names}", {
                            names: trigger.dependencies.map((it) => it.description).join(", "),
                          })}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Panel>
          <HostPrototypes
            owner={owner}
            ruleid={ruleid}
            hosts={hosts}
            onNew={inherited ? undefined : () => onHost("new")}
          />
        </>
      )}
    </QueryGate>
  );
}

interface HostPrototypesProps {
  readonly owner: Owner;
  readonly ruleid: Id;
  readonly hosts: readonly HostPrototypeRow[];
  readonly onNew: (() => void) | undefined;
}

function HostPrototypes({ owner, ruleid, hosts, onNew }: HostPrototypesProps) {
  return (
    <Panel
      title={t("Host prototypes ({n})", { n: hosts.length })}
      actions={
        onNew === undefined ? null : (
          <May call="hostprototype.create">
            <Button variant="default" size="compact-xs" onClick={onNew}>
              {t("New host prototype")}
            </Button>
          </May>
        )
      }
    >
      <table className={classes["table"]} aria-label={t("Host prototypes")}>
        <tbody>
          {hosts.map((host) => (
            <tr key={host.hostid}>
              <td>
                <PartLink
                  owner={owner}
                  part={`discovery/${ruleid}/host-prototypes/${host.hostid}`}
                  name={host.name}
                />
              </td>
              <td className="mono">{host.host}</td>
              <td className="dim">{host.templates.map((it) => it.name).join(", ")}</td>
              <td className="dim">{host.status === "1" ? t("Disabled") : ""}</td>
              <td className="dim">{host.discover === "1" ? t("Not discovered") : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

interface RulePrototypesProps {
  readonly owner: Owner;
  readonly ruleid: Id;
  readonly onNew: (() => void) | undefined;
}

function RulePrototypes({ owner, ruleid, onNew }: RulePrototypesProps) {
  const query = useRulePrototypes(ruleid);
  return (
    <QueryGate query={query}>
      {(rules) => (
        <Panel
          title={t("Rule prototypes ({n})", { n: rules.length })}
          actions={
            onNew === undefined ? null : (
              <May call="discoveryruleprototype.create">
                <Button variant="default" size="compact-xs" onClick={onNew}>
                  {t("New rule prototype")}
                </Button>
              </May>
            )
          }
        >
          <table className={classes["table"]} aria-label={t("Rule prototypes")}>
            <tbody>
              {rules.map((rule) => (
                <tr key={rule.itemid}>
                  <td>
                    <PartLink owner={owner} part={`discovery/${rule.itemid}`} name={rule.name} />
                  </td>
                  <td className="mono">{rule.key_}</td>
                  <td className="dim">{itemKindName(rule.type)}</td>
                  <td className="dim">{rule.status === "1" ? t("Disabled") : ""}</td>
                  <td className="dim">{rule.discover === "1" ? t("Not discovered") : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
    </QueryGate>
  );
}

interface GraphPrototypesProps extends Pick<PrototypesProps, "owner" | "ruleid" | "inherited"> {
  readonly onGraph: (graphid: "new") => void;
}

function GraphPrototypes({ owner, ruleid, inherited, onGraph }: GraphPrototypesProps) {
  const query = useGraphPrototypes(ruleid);
  return (
    <QueryGate query={query}>
      {(graphs) => (
        <Panel
          title={t("Graph prototypes ({n})", { n: graphs.length })}
          actions={
            inherited ? null : (
              <May call="graphprototype.create">
                <Button variant="default" size="compact-xs" onClick={() => onGraph("new")}>
                  {t("New graph prototype")}
                </Button>
              </May>
            )
          }
        >
          <table className={classes["table"]} aria-label={t("Graph prototypes")}>
            <tbody>
              {graphs.map((graph) => (
                <tr key={graph.graphid}>
                  <td>
                    <PartLink
                      owner={owner}
                      part={`discovery/${ruleid}/graph-prototypes/${graph.graphid}`}
                      name={graph.name}
                    />
                  </td>
                  <td className="dim">{kindName(graph.kind)}</td>
                  <td className="dim">{plural(graph.gitems.length, "1 item", "{n} items")}</td>
                  <td className="dim">{graph.discover === "1" ? t("creates no graphs") : null}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
    </QueryGate>
  );
}
