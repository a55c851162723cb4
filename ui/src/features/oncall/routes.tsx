import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { isZone } from "@/lib/zone";
import { ScheduleEditPage } from "./schedule-edit-page";
import { SchedulePage } from "./schedule-page";

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
