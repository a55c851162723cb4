// A token, and its key where one was just made: it is shown this once.

import { Alert, Button, Code, CopyButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Id } from "@/api/types";
import { generateToken, type Token, type TokenDraft } from "@/api/users";
import { t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { Dialog } from "@/ui/dialog";
import { notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";
import { ObjectPage } from "@/widgets/objects/object-page";
import { TOKENS, useToken } from "./queries";
import { TokenForm } from "./token-form";

export interface TokenPageProps {
  readonly tokenid: Id | "new";
  readonly self: Id;
  /** may make tokens of other users */
  readonly forOthers: boolean;
  readonly onDone: () => void;
}

export function TokenPage({ tokenid, self, forOthers, onDone }: TokenPageProps) {
  const [shown, setShown] = useState("");
  const made = useRef("");
  const calls: ObjectCalls<TokenDraft> = {
    ...TOKENS,
    create: async (draft) => {
      const id = await TOKENS.create(draft);
      made.current = await generateToken(id);
      return id;
    },
  };
  return (
    <>
      <ObjectPage
        id={tokenid}
        words={TOKENS.words}
        query={useToken(tokenid)}
        actions={tokenid === "new" ? null : <Renew tokenid={tokenid} onMade={setShown} />}
      >
        {(token: Token | undefined) => (
          <TokenForm
            key={tokenid}
            token={token}
            calls={calls}
            self={self}
            forOthers={forOthers}
            onDone={() => (made.current === "" ? onDone() : setShown(made.current))}
          />
        )}
      </ObjectPage>
      <Dialog opened={shown !== ""} onClose={onDone} title={t("Auth token")} size="lg">
        <Alert color="yellow">
          {t("It is shown only once. Store it where the program reads it.")}
        </Alert>
        <p>
          <Code block>{shown}</Code>
        </p>
        <CopyButton value={shown}>
          {({ copied, copy }) => (
            <Button onClick={copy}>{copied ? t("Copied") : t("Copy the token")}</Button>
          )}
        </CopyButton>{" "}
        <Button variant="default" onClick={onDone}>
          {t("Close")}
        </Button>
      </Dialog>
    </>
  );
}

interface RenewProps {
  readonly tokenid: Id;
  readonly onMade: (key: string) => void;
}

function Renew({ tokenid, onMade }: RenewProps) {
  const [asks, setAsks] = useState(false);
  const renew = useMutation({
    mutationFn: () => generateToken(tokenid),
    onSuccess: (key) => {
      setAsks(false);
      onMade(key);
    },
    onError: (error) => notifyFailed(t("The token could not be generated."), error),
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsks(true)}>
        {t("Regenerate")}
      </Button>
      <Confirm
        opened={asks}
        title={t("Regenerate the token?")}
        action={t("Regenerate the token")}
        busy={renew.isPending}
        onConfirm={() => renew.mutate()}
        onClose={() => setAsks(false)}
      >
        {t("The current token stops working immediately.")}
      </Confirm>
    </>
  );
}
