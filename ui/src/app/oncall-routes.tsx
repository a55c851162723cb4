import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { ScheduleEditPage } from "@/features/oncall/schedule-edit-page";
import { SchedulePage } from "@/features/oncall/schedule-page";
import { SchedulesPage } from "@/features/oncall/schedules-page";
import { isZone } from "@/lib/zone";

export function SchedulesRoute() {
  const { q = "" } = useSearch({ from: "/shell/oncall" });
  const navigate = useNavigate();
  return (
    <SchedulesPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/oncall", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function ScheduleRoute() {
  const { oncallid } = useParams({ from: "/shell/oncall/$oncallid" });
  const { view, zone, at } = useSearch({ from: "/shell/oncall/$oncallid" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <SchedulePage
      oncallid={oncallid}
      state={{
        view: view === "week" ? "week" : "month",
        zone: zone !== undefined && isZone(zone) ? zone : undefined,
        at: at !== undefined && /^\d{1,10}$/.test(at) ? Number(at) : undefined,
      }}
      onState={(state) =>
        void navigate({
          to: "/oncall/$oncallid",
          params: { oncallid },
          search: {
            ...(state.view === "week" ? { view: "week" } : {}),
            ...(state.zone === undefined ? {} : { zone: state.zone }),
            ...(state.at === undefined ? {} : { at: String(Math.floor(state.at)) }),
          },
          replace: true,
        })
      }
      serverZone={user.serverZone}
    />
  );
}

export function ScheduleEditRoute() {
  const { oncallid } = useParams({ from: "/shell/oncall/$oncallid/edit" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <ScheduleEditPage
      oncallid={oncallid}
      serverZone={user.serverZone}
      onDone={() => void navigate({ to: "/oncall", ignoreBlocker: true })}
    />
  );
}
