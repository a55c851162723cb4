// Starts a script: what it asks first, and what came of it.

import { Button, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import {
  executeScript,
  fetchStartable,
  type ScriptTarget,
  type StartableScript,
} from "@/api/scripts";
import { t } from "@/lib/i18n";
import { safeUrl } from "@/lib/link";
import { asDialog } from "@/ui/dialog";
import { FormError } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import { checkInput, choicesOf, URL_TYPE } from "./script";
import classes from "./scripts.module.css";

export interface ScriptDialogProps {
  readonly script: StartableScript;
  readonly target: ScriptTarget;
  readonly onClose: () => void;
}

interface Outcome {
  readonly output?: string;
  readonly address?: string;
}

async function start(
  script: StartableScript,
  target: ScriptTarget,
  input: string | undefined,
): Promise<Outcome> {
  if (script.type !== URL_TYPE) {
    return { output: await executeScript(script.scriptid, target, input) };
  }
  if (input === undefined) return { address: script.url };
  // the address holds what was typed in: the server puts it there
  const asked = { scriptid: script.scriptid, manualinput: input };
  const [it] = await fetchStartable(target, asked);
  return { address: it?.url ?? "" };
}

export const ScriptDialog = asDialog(ScriptDialogBody);

function ScriptDialogBody({ script, target, onClose }: ScriptDialogProps) {
  const asksInput = script.manualinput === "1";
  const [first] = useState(() => choicesOf(script)?.[0] ?? script.manualinput_default_value);
  const [input, setInput] = useState(first);
  const mutation = useMutation({
    mutationFn: () => start(script, target, asksInput ? input : undefined),
  });
  const check = asksInput ? checkInput(script, input) : undefined;
  const isUrl = script.type === URL_TYPE;
  const isDone = mutation.data !== undefined;
  return (
    <FormDialog
      title={script.name}
      size="lg"
      changed={input !== first && !isDone}
      onClose={onClose}
    >
      <form
        className={classes["dialog"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (check === undefined || check.ok) mutation.mutate();
        }}
      >
        <Question script={script} />
        {asksInput ? (
          <Input
            script={script}
            value={input}
            onChange={setInput}
            error={check === undefined || check.ok ? undefined : check.message}
          />
        ) : null}
        {mutation.error === null ? null : <FormError error={mutation.error} />}
        {isDone ? <Result outcome={mutation.data} /> : null}
        <div className={classes["footer"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {isDone ? t("Close") : t("Cancel")}
          </Button>
          <Button type="submit" loading={mutation.isPending} data-autofocus={!asksInput}>
            {isUrl ? t("Get the URL") : isDone ? t("Execute again") : t("Execute")}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
}

function Question({ script: { description, confirmation, type } }: { script: StartableScript }) {
  const usual = type === URL_TYPE ? t("Open the URL of this script?") : t("Execute this script?");
  return (
    <>
      {description === "" ? null : <p className="dim">{description}</p>}
      <p>{confirmation === "" ? usual : confirmation}</p>
    </>
  );
}

interface InputProps {
  readonly script: StartableScript;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

function Input({ script, value, onChange, error }: InputProps) {
  const choices = choicesOf(script);
  const label = script.manualinput_prompt === "" ? t("Input") : script.manualinput_prompt;
  return choices === undefined ? (
    <TextInput
      label={label}
      value={value}
      error={error}
      data-autofocus
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <Select
      label={label}
      data={[...choices]}
      value={value}
      allowDeselect={false}
      data-autofocus
      onChange={(it) => onChange(it ?? value)}
    />
  );
}

function Result({ outcome: { output, address } }: { readonly outcome: Outcome }) {
  if (address === undefined) {
    return (
      <section aria-label={t("Output")}>
        {output === undefined || output === "" ? (
          <p className="dim" role="status">
            {t("It completed successfully without output.")}
          </p>
        ) : (
          <pre className={classes["output"]}>{output}</pre>
        )}
      </section>
    );
  }
  const safe = safeUrl(address);
  return safe === undefined ? (
    <p className="bad" role="alert">
      {t("This URL is not allowed: {address}", { address })}
    </p>
  ) : (
    <p role="status">
      <a href={safe} target="_blank" rel="noopener noreferrer">
        {safe}
      </a>
    </p>
  );
}
