// A trigger expression as text: brackets and quotes are checked at once, names and functions by the server
// after a pause in typing. An error points at its place.

import { Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { checkExpressionOnServer } from "@/api/native";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { checkExpression } from "@/lib/expression";
import { t } from "@/lib/i18n";
import classes from "./expression-field.module.css";

export interface ExpressionFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hostid: Id | undefined;
  readonly showAll: boolean;
  readonly disabled?: boolean;
}

const CHECK_AFTER_MS = 400;

interface Problem {
  readonly message: string;
  readonly position: number;
}

export function ExpressionField(props: ExpressionFieldProps) {
  const { label, value, onChange, hostid, showAll, disabled = false } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const [settled] = useDebouncedValue(value, CHECK_AFTER_MS);
  const local = checkExpression(value);
  const server = useQuery({
    queryKey: keys.expressionCheck(settled, hostid),
    queryFn: ({ signal }) => checkExpressionOnServer(settled, hostid, signal),
    enabled: settled !== "" && checkExpression(settled).ok && !disabled,
    staleTime: 60_000,
    retry: false,
  });
  const current = settled === value ? server.data : undefined;
  const problem: Problem | undefined = local.ok ? current?.error : local;
  const show = problem !== undefined && (value !== "" || showAll);
  const goTo = (position: number) => {
    area.current?.focus();
    area.current?.setSelectionRange(position, position + 1);
  };
  return (
    <div>
      <Textarea
        ref={area}
        label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        disabled={disabled}
        autosize={false}
        rows={Math.min(10, Math.max(3, value.split("\n").length + 1))}
        classNames={{ input: "mono" }}
        spellCheck={false}
        placeholder="avg(/web01/system.cpu.load[all,avg1],5m)>{$LOAD.MAX}"
        error={show}
        withAsterisk
      />
      <div className={classes["status"]} aria-live="polite">
        {show && problem !== undefined ? (
          <button
            type="button"
            className={classes["problem"]}
            onClick={() => goTo(problem.position)}
          >
            {t("{message} (at {position})", {
              message: problem.message,
              position: problem.position + 1,
            })}
          </button>
        ) : null}
        {show && problem !== undefined ? <Marker text={value} position={problem.position} /> : null}
        {current?.ok === true && local.ok ? (
          <span className="ok">
            <IconCheck size={13} aria-hidden /> {t("checked by the server")}
          </span>
        ) : null}
      </div>
    </div>
  );
}

// so much of the text is shown around an error
const AROUND = 28;

function Marker({ text, position }: { readonly text: string; readonly position: number }) {
  const from = Math.max(0, position - AROUND);
  const before = text.slice(from, position);
  const at = text.slice(position, position + 1);
  return (
    <code className={classes["marker"]}>
      {from > 0 ? "…" : ""}
      {before}
      <mark>{at === "" ? "⎵" : at}</mark>
      {text.slice(position + 1, position + 1 + AROUND)}
    </code>
  );
}
