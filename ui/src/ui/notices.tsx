// Where notifications stand: at the lower right, but never on the buttons of a form, which `data-foot` marks.

import { Notifications, useNotifications } from "@mantine/notifications";
import { useEffect, useState } from "react";
import classes from "./notices.module.css";

/** Room that the notifications take: their width, and the height of as many as are shown at a time. */
const WIDTH = 460;
const HEIGHT = 340;
const GAP = 8;
/** There is a container for each corner, and all have the style: only that of the corner in use may be raised. */
const ROOM = "--room-below";

interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly right: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How far notifications are raised, in pixels, so that all of them stand above each foot that they would cover. */
export function roomBelow(feet: readonly Box[], { width, height }: Size): number {
  const covered = feet.filter(
    ({ top, bottom, right }) =>
      right > width - WIDTH && bottom > height - HEIGHT && top < height && bottom > top,
  );
  // a foot in the upper half would push them out of view
  const tops = covered.map(({ top }) => top).filter((top) => top > height / 2);
  return tops.length === 0 ? 0 : height - Math.min(...tops) + GAP;
}

function measured(): number {
  const feet = [...document.querySelectorAll("[data-foot]")].map((it) =>
    it.getBoundingClientRect(),
  );
  return roomBelow(feet, { width: window.innerWidth, height: window.innerHeight });
}

export function Notices() {
  const shown = useNotifications().notifications.length > 0;
  const [room, setRoom] = useState(0);
  useEffect(() => {
    if (!shown) return;
    // forms come, go, grow and scroll while one is shown: it is looked at each frame, for these seconds
    let frame = 0;
    const look = () => {
      setRoom(measured());
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [shown]);
  return (
    <Notifications
      position="bottom-right"
      limit={4}
      className={classes["raised"]}
      style={room === 0 ? undefined : { [ROOM]: `${room}px` }}
    />
  );
}
