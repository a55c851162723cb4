// Checks whether any user is notified of problems: that takes an enabled action with a recipient who has an address
// for an enabled media type. The recipients' permissions on the host are checked per problem, not here.

import * as z from "zod/mini";
import { ACTIONS, type Action } from "./actions";
import { fetchMediaTypeNames } from "./media";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** A user as far as messages are concerned. */
export interface Recipient {
  readonly userid: Id;
  readonly usrgrps: readonly { readonly usrgrpid: Id; readonly users_status: string }[];
  readonly medias: readonly { readonly mediatypeid: Id; readonly active: string }[];
}

export interface RecipientsCheck {
  readonly hasMediaType: boolean;
  /** a recipient of some action has an address for such a media type */
  readonly hasAddress: boolean;
  readonly hasAction: boolean;
  /** one enabled action has all of it */
  readonly isAnybodyNotified: boolean;
}

const TRIGGERS = "0";
const MESSAGE = "0";
const ON = "0";

function messagesOf(actions: readonly Action[]) {
  return actions.flatMap(({ status, operations }) =>
    operations
      .filter((it) => it.operationtype === MESSAGE)
      .map((it) => ({
        isEnabled: status === ON,
        mediatypeid: it.opmessage?.mediatypeid ?? "0",
        users: new Set(it.opmessage_usr.map(({ userid }) => userid)),
        groups: new Set(it.opmessage_grp.map(({ usrgrpid }) => usrgrpid)),
      })),
  );
}

export function checkRecipients(
  all: readonly Action[],
  recipients: readonly Recipient[],
  enabledTypes: ReadonlySet<Id>,
): RecipientsCheck {
  const messages = messagesOf(all.filter((it) => it.eventsource === TRIGGERS));
  const reached = messages.filter(({ mediatypeid, users, groups }) =>
    recipients.some(
      (it) =>
        (users.has(it.userid) || it.usrgrps.some(({ usrgrpid }) => groups.has(usrgrpid))) &&
        it.usrgrps.every(({ users_status }) => users_status === ON) &&
        it.medias.some(
          (media) =>
            media.active === ON &&
            enabledTypes.has(media.mediatypeid) &&
            (mediatypeid === "0" || mediatypeid === media.mediatypeid),
        ),
    ),
  );
  return {
    hasMediaType: enabledTypes.size > 0,
    hasAddress: reached.length > 0,
    hasAction: messages.some(({ isEnabled }) => isEnabled),
    isAnybodyNotified: reached.some(({ isEnabled }) => isEnabled),
  };
}

const text = z.string();
const recipient: z.ZodMiniType<Recipient> = z.object({
  userid: text,
  usrgrps: z.array(z.object({ usrgrpid: text, users_status: text })),
  medias: z.array(z.object({ mediatypeid: text, active: text })),
});

export async function fetchRecipientsCheck(signal?: AbortSignal): Promise<RecipientsCheck> {
  const [actions, types, recipients] = await Promise.all([
    ACTIONS.list(signal),
    fetchMediaTypeNames(signal),
    call(
      "user.get",
      {
        output: ["userid"],
        selectUsrgrps: ["usrgrpid", "users_status"],
        selectMedias: ["mediatypeid", "active"],
      },
      schema.listOf(recipient),
      signal,
    ),
  ]);
  const enabled = types.filter(({ status }) => status === ON).map(({ mediatypeid }) => mediatypeid);
  return checkRecipients(actions, recipients, new Set(enabled));
}
