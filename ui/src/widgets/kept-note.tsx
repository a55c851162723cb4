import { Alert } from "@mantine/core";
import type { ReactNode } from "react";

/** Why some fields cannot be changed here. */
export function KeptNote({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="blue" variant="light" py={6}>
      {children}
    </Alert>
  );
}
