import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link } from "@tanstack/react-router";
import { errorText } from "@/api/http";
import { t } from "@/lib/i18n";

// long enough to go there
const PLACE_MS = 8000;

export interface Place {
  readonly path: string;
  readonly name: string;
}

/** `place` is what was made, where the page does not go there by itself. */
export function notifyDone(message: string, place?: Place): void {
  notifications.show({
    message:
      place === undefined ? (
        message
      ) : (
        <>
          {message}: <Link to={place.path}>{place.name}</Link>
        </>
      ),
    color: "teal",
    autoClose: place === undefined ? 3000 : PLACE_MS,
  });
}

export function notifyFailed(what: string, error: unknown): void {
  notifications.show({ title: what, message: errorText(error), color: "red", autoClose: 10_000 });
}

/** Something that was done and can be taken back for a while. Returns what takes the offer away. */
export function notifyUndo(
  message: string,
  forMs: number,
  onUndo: () => void,
  onGone: () => void,
): () => void {
  const id = notifications.show({
    message: (
      <>
        {message}{" "}
        <Button size="compact-xs" variant="default" onClick={onUndo}>
          {t("Undo")}
        </Button>
      </>
    ),
    color: "teal",
    autoClose: forMs,
    onClose: onGone,
  });
  return () => notifications.hide(id);
}
