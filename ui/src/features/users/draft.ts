// A user while it is edited: what the form holds, what it checks, what is sent.

import type { Media } from "@/api/media";
import type { User, UserDraft } from "@/api/users";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export interface UserWithMedias extends User {
  readonly medias: readonly Media[];
}

export interface UserFields {
  readonly username: string;
  readonly name: string;
  readonly surname: string;
  readonly roleid: string;
  readonly groups: readonly string[];
  readonly autologout: string;
  readonly timezone: string;
  readonly lang: string;
  /** empty of an existing user: it stays */
  readonly password: string;
  readonly again: string;
  /** the password so far, of one's own */
  readonly current: string;
  readonly medias: readonly Keyed<Media>[];
}

export function fieldsOf(user: UserWithMedias | undefined): UserFields {
  return {
    username: user?.username ?? "",
    name: user?.name ?? "",
    surname: user?.surname ?? "",
    roleid: user?.roleid ?? "",
    groups: user?.usrgrps.map(({ usrgrpid }) => usrgrpid) ?? [],
    autologout: user?.autologout ?? "15m",
    timezone: user?.timezone ?? "default",
    lang: user?.lang ?? "default",
    password: "",
    again: "",
    current: "",
    medias: user?.medias.map(keyed) ?? [],
  };
}

export function checkUsername(text: string): Check {
  return text.trim() === "" ? bad(t("a user name is required"), 0) : OK;
}

export function checkAgain(password: string, again: string): Check {
  return password === again ? OK : bad(t("the two passwords differ"), 0);
}

/** What the form needs before it is sent, by whether the user is new. */
export function isComplete(fields: UserFields, isNew: boolean): boolean {
  return (
    checkUsername(fields.username).ok &&
    fields.roleid !== "" &&
    (!isNew || fields.password !== "") &&
    checkAgain(fields.password, fields.again).ok
  );
}

/** Medias that the role may not edit are not sent: the server would refuse all of it. */
export function draftOf(
  fields: UserFields,
  { mayEditMedia }: { readonly mayEditMedia: boolean } = { mayEditMedia: true },
): UserDraft {
  const addresses = (sendto: string) =>
    sendto
      .split("\n")
      .map((it) => it.trim())
      .filter((it) => it !== "");
  return {
    username: fields.username.trim(),
    name: fields.name.trim(),
    surname: fields.surname.trim(),
    roleid: fields.roleid,
    usrgrps: fields.groups.map((usrgrpid) => ({ usrgrpid })),
    autologout: fields.autologout.trim(),
    timezone: fields.timezone,
    lang: fields.lang,
    ...(fields.password === "" ? {} : { passwd: fields.password }),
    ...(fields.password === "" || fields.current === "" ? {} : { current_passwd: fields.current }),
    ...(mayEditMedia
      ? {
          medias: fields.medias.map(({ key: _, ...media }) => ({
            ...media,
            sendto: addresses(media.sendto),
          })),
        }
      : {}),
  };
}
