import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All objects": "Все объекты",
    "All that was done": "Всё, что делалось",
    "All users": "Все пользователи",
    "Any time": "За всё время",
    "Nothing like that was done.": "Ничего такого не делалось.",
    Object: "Объект",
    "Search names of what was changed": "Поиск по именам изменённого",
    "The last 30 days": "Последние 30 дней",
    "The last day": "Последние сутки",
    "The last week": "Последняя неделя",
    "What was changed": "Что изменено",
    "What was done": "Что сделано",
  },
  plurals: {},
};
