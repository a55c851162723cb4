import { Button } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { t } from "@/lib/i18n";

type FilterChipProps = {
  readonly name: string;
  readonly onRemove: () => void;
};

/** A value that a list is filtered by; a click takes it away. */
export function FilterChip({ name, onRemove }: FilterChipProps) {
  return (
    <Button
      variant="light"
      size="compact-xs"
      rightSection={<IconX size={12} />}
      aria-label={t("Remove filter {name}", { name })}
      onClick={onRemove}
    >
      {name}
    </Button>
  );
}
