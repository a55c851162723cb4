import { Button } from "@mantine/core";
import { useRef } from "react";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { itemKindName, valueTypeName } from "@/lib/item-types";
import { toSeverity } from "@/lib/severity";
import { Page, Panel } from "@/ui/page";
import { SeverityLabel } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import type { Owner } from "@/widgets/owner";
import { PartLink } from "@/widgets/part-link";
import classes from "./discovery.module.css";
import { usePrototypes, useRule } from "./queries";
import { RuleForm } from "./rule-form";

export interface RulePageProps {
  readonly owner: Owner;
  readonly ruleid: Id | "new";
  /** with the rule that was created */
  readonly onDone: (created?: Id) => void;
  readonly onPrototype: (itemid: "new") => void;
  readonly onTriggerPrototype: (triggerid: "new") => void;
}

export function RulePage(props: RulePageProps) {
  const { owner, ruleid, onDone, onPrototype, onTriggerPrototype } = props;
  const query = useRule(ruleid);
  const prototypes = useRef<HTMLDivElement>(null);
  if (ruleid === "new") {
    return (
      <Page title={t("New discovery rule")} scroll>
        <RuleForm owner={owner} rule={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page
      title={query.data?.name ?? t("Discovery rule")}
      actions={
        <Button variant="default" onClick={() => prototypes.current?.scrollIntoView()}>
          {t("Prototypes")}
        </Button>
      }
      scroll
    >
      <QueryGate query={query}>
        {(rule) =>
          rule === null ? (
            <EmptyState title={t("There is no such discovery rule.")} />
          ) : (
            <div className={classes["page"]}>
              {rule.error === "" ? null : (
                <p className={`bad ${classes["error"]}`} role="alert">
                  {rule.state === "1"
                    ? t("Not supported")
                    : t("The last value was applied in part")}
                  {": "}
                  {rule.error}
                </p>
              )}
              <RuleForm key={ruleid} owner={owner} rule={rule} onDone={onDone} />
              <div ref={prototypes} className={classes["page"]}>
                <Prototypes
                  owner={owner}
                  ruleid={ruleid}
                  inherited={rule.templateid !== "0" && rule.templateid !== ""}
                  onItem={onPrototype}
                  onTrigger={onTriggerPrototype}
                />
              </div>
            </div>
          )
        }
      </QueryGate>
    </Page>
  );
}

interface PrototypesProps {
  readonly owner: Owner;
  readonly ruleid: Id;
  readonly inherited: boolean;
  readonly onItem: (itemid: "new") => void;
  readonly onTrigger: (triggerid: "new") => void;
}

function Prototypes({ owner, ruleid, inherited, onItem, onTrigger }: PrototypesProps) {
  const query = usePrototypes(ruleid);
  return (
    <QueryGate query={query}>
      {({ items, triggers }) => (
        <>
          <Panel
            title={t("Item prototypes ({n})", { n: items.length })}
            actions={
              inherited ? null : (
                <Button variant="default" size="compact-xs" onClick={() => onItem("new")}>
                  {t("New item prototype")}
                </Button>
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
                <Button variant="default" size="compact-xs" onClick={() => onTrigger("new")}>
                  {t("New trigger prototype")}
                </Button>
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
                    <td className="mono">{trigger.expression}</td>
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
        </>
      )}
    </QueryGate>
  );
}
