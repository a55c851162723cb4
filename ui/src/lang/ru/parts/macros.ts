import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Edit own macros": "Изменить собственные макросы",
    "Global macros saved": "Глобальные макросы сохранены",
    "Instead of": "Вместо",
    "No macro holds here.": "Здесь не действует ни один макрос.",
    "Search names, values, sources": "Поиск по именам, значениям, источникам",
    "They hold for all hosts and templates that have no own value of the name.":
      "Действуют для всех узлов сети и шаблонов без собственного значения с этим именем.",
  },
  plurals: {
    "{n} macros": ["{n} макрос", "{n} макроса", "{n} макросов"],
  },
};
