// What several sections of these forms have.

import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { checkRequest, type RequestFields } from "./request-fields";

const ROWS_MIN = 3;
const ROWS_MAX = 24;

/** Lines that a field shows of a text. */
export function rowsFor(text: string): number {
  return Math.min(ROWS_MAX, Math.max(ROWS_MIN, text.split("\n").length + 1));
}

interface TimeoutFieldProps {
  readonly fields: RequestFields;
  readonly set: (change: Partial<RequestFields>) => void;
  readonly locked: boolean;
  readonly attempted: boolean;
}

/** Of checks that may have one of their own. */
export function TimeoutField({ fields, set, locked, attempted }: TimeoutFieldProps) {
  return (
    <CheckedInput
      label={t("Timeout")}
      value={fields.timeout}
      onChange={(timeout) => set({ timeout })}
      check={() => checkRequest(fields).timeout}
      placeholder={t("server default")}
      disabled={locked}
      showAll={attempted}
    />
  );
}
