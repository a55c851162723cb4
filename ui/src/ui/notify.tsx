import { notifications } from "@mantine/notifications";
import { Link } from "@tanstack/react-router";
import { errorText } from "@/api/http";

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
