import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All actions": "Все действия",
    "All objects": "Все объекты",
    "All users": "Все пользователи",
    "Any time": "За всё время",
    "No matching entries.": "Подходящих записей нет.",
    Object: "Объект",
    "Object type": "Тип объекта",
    "Search names of changed objects": "Поиск по именам изменённых объектов",
    "The last 30 days": "Последние 30 дней",
    "The last day": "Последние сутки",
    "The last week": "Последняя неделя",
  },
  plurals: {},
};
