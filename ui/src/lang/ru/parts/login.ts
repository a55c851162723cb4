import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Show what is typed": "Показать введённое",
    "Sign in": "Войти",
  },
  plurals: {},
};
