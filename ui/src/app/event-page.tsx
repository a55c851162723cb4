import { useParams } from "@tanstack/react-router";
import { EventPage } from "@/features/events/event-page";
import { EventActions, EventPanels } from "@/features/problems/event-parts";

export function EventRoute() {
  const { eventid } = useParams({ from: "/shell/events/$eventid" });
  return (
    <EventPage
      eventid={eventid}
      actions={<EventActions eventid={eventid} />}
      panels={<EventPanels eventid={eventid} />}
    />
  );
}
