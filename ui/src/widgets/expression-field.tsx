// A trigger expression as text: brackets and quotes are checked at once, names and functions by the server
// after a pause in typing. The text is drawn in colours below a field whose own letters are clear, so that keys, caret
// and selection are the browser's; the place of an error is underlined.

import { Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { checkExpressionOnServer } from "@/api/native";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { checkExpression } from "@/lib/expression";
import { t } from "@/lib/i18n";
import { Suggestions, useCompletion } from "./completion";
import classes from "./expression-field.module.css";
import { ExpressionText } from "./expression-text";

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
  // where one types, for completion; and where the caret stands, for brackets
  const [caret, setCaret] = useState<number>();
  const [marked, setMarked] = useState<number>();
  const completion = useCompletion(value, disabled ? undefined : caret, (done) => {
    onChange(done.text);
    setCaret(done.caret);
    // once the text is in the field
    requestAnimationFrame(() => area.current?.setSelectionRange(done.caret, done.caret));
  });
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
        onChange={(event) => {
          setCaret(event.currentTarget.selectionStart);
          onChange(event.currentTarget.value);
        }}
        onKeyDown={(event) => completion.onKey(event)}
        onBlur={() => {
          setCaret(undefined);
          setMarked(undefined);
        }}
        disabled={disabled}
        onSelect={(event) => setMarked(event.currentTarget.selectionStart)}
        inputContainer={(input) => (
          <div className={classes["editor"]} data-disabled={disabled || undefined}>
            <pre className={classes["colored"]} aria-hidden>
              <ExpressionText
                text={value}
                wrongAt={show ? problem?.position : undefined}
                caret={marked}
              />
              {/* the last line counts even when nothing stands in it */}
              {"\n"}
            </pre>
            {input}
          </div>
        )}
        autosize={false}
        classNames={{ wrapper: classes["wrapper"] ?? "", input: classes["input"] ?? "" }}
        spellCheck={false}
        placeholder="avg(/web01/system.cpu.load[all,avg1],5m)>{$LOAD.MAX}"
        error={show}
        withAsterisk
      />
      <Suggestions completion={completion} label={t("Completions")} />
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
        {current?.ok === true && local.ok ? (
          <span className="ok">
            <IconCheck size={13} aria-hidden /> {t("checked by the server")}
          </span>
        ) : null}
      </div>
    </div>
  );
}
