// Checks whether any user is notified of problems: that takes an enabled action with a recipient who has an address
// for an enabled media type. The recipients' permissions on the host are checked per problem, not here.

import { ACTIONS, type Action } from "./actions";
import { ACTION } from "./generated/action";
import { USER } from "./generated/user";
import { fetchMediaTypeNames } from "./media";
import { type AnswerOf, readerOf } from "./objects";
import type { Id } from "./types";

const RECIPIENTS = readerOf(USER, {
  output: ["userid"],
  selects: { usrgrps: ["usrgrpid", "users_status"], medias: ["mediatypeid", "active"] },
});
/** A user as far as messages are concerned. */
export type Recipient = AnswerOf<typeof RECIPIENTS>;

export interface RecipientsCheck {
  readonly hasMediaType: boolean;
  /** a recipient of some action has an address for such a media type */
  readonly hasAddress: boolean;
  readonly hasAction: boolean;
  /** one enabled action has all of it */
  readonly isAnybodyNotified: boolean;
}

const { TRIGGERS } = ACTION.fields.eventsource.names;
const { MESSAGE } = ACTION.fields.operations.fields.operationtype.names;
const ON = "0";

function messagesOf(actions: readonly Action[]) {
  return actions.flatMap(({ status, operations }) =>
    operations
      .filter((it) => it.operationtype === MESSAGE)
      .map((it) => ({
        isEnabled: status === ON,
        mediatypeid: it.opmessage?.mediatypeid ?? "0",
        users: new Set((it.opmessage_usr ?? []).map(({ userid }) => userid)),
        groups: new Set((it.opmessage_grp ?? []).map(({ usrgrpid }) => usrgrpid)),
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

export async function fetchRecipientsCheck(signal?: AbortSignal): Promise<RecipientsCheck> {
  const [actions, types, recipients] = await Promise.all([
    ACTIONS.list(signal),
    fetchMediaTypeNames(signal),
    RECIPIENTS.get({}, signal),
  ]);
  const enabled = types.filter(({ status }) => status === ON).map(({ mediatypeid }) => mediatypeid);
  return checkRecipients(actions, recipients, new Set(enabled));
}
