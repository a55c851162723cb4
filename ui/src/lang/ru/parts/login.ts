import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Show password": "Показать пароль",
    "Sign in": "Войти",
  },
  plurals: {},
};
