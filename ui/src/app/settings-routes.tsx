import { useNavigate } from "@tanstack/react-router";
import { QueuePage } from "@/features/queue/queue-page";
import { SettingsPage } from "@/features/settings/settings-page";
import { StoragePage } from "@/features/storage/storage-page";

export function HousekeepingRoute() {
  const navigate = useNavigate();
  const done = () => void navigate({ to: "/storage", ignoreBlocker: true });
  return <SettingsPage kind="housekeeping" onDone={done} />;
}

export function GeneralSettingsRoute() {
  const navigate = useNavigate();
  const done = () => void navigate({ to: "/", ignoreBlocker: true });
  return <SettingsPage kind="settings" onDone={done} />;
}

export function QueueRoute() {
  return <QueuePage />;
}

export function StorageRoute() {
  return <StoragePage />;
}
