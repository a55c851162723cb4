// What the page of an event has of its problem: the values around it, the trigger, earlier problems, and updates.

import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { changed } from "@/api/changes";
import { ACKNOWLEDGE } from "@/api/events";
import type { ProblemRow } from "@/api/problem-table";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Panel } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { PROBLEM_ACTIONS, useMayAct } from "@/widgets/role";
import { ScriptMenu } from "@/widgets/scripts/script-menu";
import { AcknowledgeDialog } from "./acknowledge-dialog";
import { ProblemItems } from "./problem-items";
import { EventHistory, EventLinks, TriggerFacts } from "./problem-panel";
import classes from "./problems.module.css";
import { useAcknowledge, useEvent, usePastProblem, useTriggerEvents, useUndo } from "./queries";

/** Nothing of events that are no problems, and of those that are gone. */
export function EventActions({ eventid }: { readonly eventid: Id }) {
  const query = usePastProblem(eventid);
  return query.data == null ? null : <Actions problem={query.data} />;
}

function Actions({ problem }: { readonly problem: ProblemRow }) {
  const [updating, setUpdating] = useState(false);
  const client = useQueryClient();
  const mutation = useAcknowledge(() => void changed(client, "event"));
  const undo = useUndo();
  const may = useMayAct();
  const { eventid, hostid, acknowledged } = problem;
  return (
    <>
      {acknowledged || !may("acknowledge_problems") ? null : (
        <Button
          variant="default"
          loading={mutation.isPending}
          onClick={() => mutation.mutate({ eventids: [eventid], action: ACKNOWLEDGE.acknowledge })}
        >
          {t("Acknowledge")}
        </Button>
      )}
      {PROBLEM_ACTIONS.some(may) ? (
        <Button variant="default" onClick={() => setUpdating(true)}>
          {t("Update")}
        </Button>
      ) : null}
      <ScriptMenu hostid={hostid} eventid={eventid} />
      {updating ? (
        <AcknowledgeDialog
          problems={[problem]}
          symptoms={[]}
          // the list of problems has them, and only it
          causesFor={() => []}
          onUpdated={undo.offer}
          onClose={() => setUpdating(false)}
        />
      ) : null}
    </>
  );
}

export function EventPanels({ eventid }: { readonly eventid: Id }) {
  const query = usePastProblem(eventid);
  return query.data == null ? null : <Panels problem={query.data} />;
}

function Panels({ problem }: { readonly problem: ProblemRow }) {
  const events = useTriggerEvents(problem.objectid);
  const event = useEvent(problem.eventid);
  const navigate = useNavigate();
  return (
    <>
      <Panel title={t("Items of the trigger")} label={t("Items of the trigger")}>
        <div className={classes["eventPart"]}>
          <ProblemItems problem={problem} />
        </div>
      </Panel>
      <Panel title={t("Trigger")} label={t("Trigger")}>
        <div className={classes["eventPart"]}>
          <TriggerFacts problem={problem} />
          <EventLinks urls={event.data?.urls ?? []} />
        </div>
      </Panel>
      <Panel title={t("Event history")} label={t("Event history")}>
        <div className={classes["eventPart"]}>
          <QueryGate query={events}>
            {(list) => (
              <EventHistory
                events={list}
                current={problem.eventid}
                onOpen={(next) =>
                  void navigate({ to: "/events/$eventid", params: { eventid: next } })
                }
              />
            )}
          </QueryGate>
        </div>
      </Panel>
    </>
  );
}
