import { feature, type Load, page } from "@/ui/feature";

/** `load`: the page of an event with the panels of other features. */
export const events = (load: Load<"EventRoute">) =>
  feature({
    guide: "explain",
    pages: [page("/events/$eventid", load, "EventRoute")],
  });
