import { notifications } from "@mantine/notifications";
import { errorText } from "@/api/http";

export function notifyDone(message: string): void {
  notifications.show({ message, color: "teal", autoClose: 3000 });
}

export function notifyFailed(what: string, error: unknown): void {
  notifications.show({ title: what, message: errorText(error), color: "red", autoClose: 10_000 });
}
