import { t } from "@/lib/i18n";

export const SUPER_ADMIN = "3";

export function typeOptions() {
  return [
    { value: "1", label: t("User") },
    { value: "2", label: t("Admin") },
    { value: SUPER_ADMIN, label: t("Super admin") },
  ];
}

export function typeName(type: string): string {
  return typeOptions().find(({ value }) => value === type)?.label ?? type;
}
