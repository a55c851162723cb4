// A test message by a media type as it is saved, with all that was said.

import { Button, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { MediaTrial, MediaType } from "@/api/media";
import { t } from "@/lib/i18n";
import { Row, Section } from "@/ui/form";
import classes from "./mediatypes.module.css";
import { useMediaTrial } from "./queries";

export function MediaTypeTrial({ mediaType }: { readonly mediaType: MediaType }) {
  const trial = useMediaTrial(mediaType.mediatypeid);
  const [sendto, setSendto] = useState("");
  const [subject, setSubject] = useState(t("Test subject"));
  const [message, setMessage] = useState(t("This is a test message."));
  const failed = trial.error === null ? undefined : String(trial.error.message);
  return (
    <div className={classes["trial"]}>
      <Section
        title={t("Test")}
        hint={t(
          "Sends a message immediately with the saved configuration and shows the whole exchange.",
        )}
      >
        <Row>
          <TextInput
            label={t("Send to")}
            value={sendto}
            onChange={(event) => setSendto(event.currentTarget.value)}
          />
          <TextInput
            label={t("Subject")}
            value={subject}
            onChange={(event) => setSubject(event.currentTarget.value)}
          />
        </Row>
        <Textarea
          label={t("Message")}
          rows={2}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        <div>
          <Button
            variant="default"
            loading={trial.isPending}
            onClick={() => trial.mutate({ sendto, subject, message })}
          >
            {t("Send test message")}
          </Button>
        </div>
        {failed === undefined ? null : <p className="bad">{failed}</p>}
        {trial.data === undefined ? null : <Exchange trial={trial.data} />}
      </Section>
    </div>
  );
}

function Exchange({ trial }: { readonly trial: MediaTrial }) {
  const lines = trial.exchange.map((it, at) => ({ ...it, key: `${at} ${it.by}` }));
  return (
    <section aria-label={t("Exchange")}>
      {trial.error === null ? <p role="status">{t("The message was sent.")}</p> : null}
      {trial.error === null ? null : (
        <p className="bad" role="status">
          {trial.error}
        </p>
      )}
      <ol className={classes["exchange"]}>
        {lines.map((it) => (
          <li key={it.key} data-by={it.by}>
            <pre>{it.text}</pre>
          </li>
        ))}
      </ol>
      {trial.result === null || trial.result === "" ? null : (
        <pre className={classes["result"]}>{trial.result}</pre>
      )}
    </section>
  );
}
