// Answers are checked at the border: one of another shape is an error here, not in a page.

import type { ZodMiniType } from "zod/mini";
import { t } from "@/lib/i18n";
import { ApiError } from "./http";

export function checked<T>(what: string, answer: unknown, shape: ZodMiniType<T>): T {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
  throw new ApiError(
    "answer",
    t("{call}: the response has an unexpected format.", { call: what }),
    where,
  );
}
