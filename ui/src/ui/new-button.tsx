import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { MethodName } from "@/api/rights";
import { May } from "./rights";

export interface NewButtonProps {
  /** what makes it; nothing is shown to those who may not */
  readonly call: MethodName;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** Opens the form of a new object. */
export function NewButton({ call, onClick, children }: NewButtonProps) {
  return (
    <May call={call}>
      <Button leftSection={<IconPlus size={14} />} onClick={onClick}>
        {children}
      </Button>
    </May>
  );
}
