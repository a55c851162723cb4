import { IconLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./kept-note.module.css";

/** Why some fields cannot be changed here. */
export function KeptNote({ children }: { readonly children: ReactNode }) {
  return (
    <p className={classes["note"]}>
      <IconLock size={15} stroke={1.6} aria-hidden />
      {children}
    </p>
  );
}
