import { useParams } from "@tanstack/react-router";
import { EventPage } from "@/features/events/event-page";

export function EventRoute() {
  const { eventid } = useParams({ from: "/shell/events/$eventid" });
  return <EventPage eventid={eventid} />;
}
