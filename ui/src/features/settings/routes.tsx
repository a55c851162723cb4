import { useNavigate } from "@tanstack/react-router";
import { SettingsPage } from "./settings-page";

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
