import { useNavigate } from "@tanstack/react-router";
import { AboutPage } from "@/features/about/about-page";
import { HealthPage } from "@/features/health/health-page";
import { MacrosPage } from "@/features/macros/macros-page";

export function SystemRoute() {
  return <HealthPage />;
}

export function AboutRoute() {
  return <AboutPage />;
}

export function MacrosRoute() {
  const navigate = useNavigate();
  return <MacrosPage onDone={() => void navigate({ to: "/", ignoreBlocker: true })} />;
}
