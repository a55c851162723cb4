import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Edit own macros": "Изменить собственные макросы",
    "Global macros saved": "Глобальные макросы сохранены",
    "No macros apply here.": "Макросов здесь нет.",
    "Overridden value": "Переопределённое значение",
    "Search names, values, sources": "Поиск по именам, значениям, источникам",
    "These macros apply to every host and template that does not define the macro itself.":
      "Эти макросы действуют для всех узлов сети и шаблонов, которые не задают такой макрос сами.",
  },
  plurals: {
    "{n} macros": ["{n} макрос", "{n} макроса", "{n} макросов"],
  },
};
