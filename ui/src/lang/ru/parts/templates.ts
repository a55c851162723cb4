import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A template with this name already exists.": "Шаблон с таким именем уже есть.",
    "Clone “{name}”": "Клонировать «{name}»",
    "Clone …": "Клонировать …",
    "Delete template": "Удалить шаблон",
    "Items, triggers, graphs, discovery rules, web scenarios, value maps and dashboards. Without: groups, linked templates, tags and macros only.":
      "Элементы данных, триггеры, графики, правила обнаружения, веб-сценарии, преобразования значений и панели. Без этого: только группы, присоединённые шаблоны, теги и макросы.",
    "Linked templates": "Присоединённые шаблоны",
    "Objects that hosts inherited from it remain on the hosts as their own.":
      "Объекты, унаследованные от него узлами сети, останутся у узлов как собственные.",
    "Objects that hosts inherited from them remain on the hosts as their own.":
      "Объекты, унаследованные от них узлами сети, останутся у узлов как собственные.",
    "Search names, groups, tags": "Поиск по именам, группам, тегам",
    "Secret macro values are not shown; enter them again.":
      "Значения секретных макросов не показываются, введите их снова.",
    "Template cloned": "Шаблон клонирован",
    "Template created": "Шаблон создан",
    "Template name": "Имя шаблона",
    "Template saved": "Шаблон сохранён",
    "The template could not be deleted.": "Не удалось удалить шаблон.",
    "The templates could not be deleted.": "Не удалось удалить шаблоны.",
    "With all its objects": "Со всеми его объектами",
  },
  plurals: {
    "Delete {n} templates?": [
      "Удалить {n} шаблон?",
      "Удалить {n} шаблона?",
      "Удалить {n} шаблонов?",
    ],
    "Update {n} templates": [
      "Обновить {n} шаблон",
      "Обновить {n} шаблона",
      "Обновить {n} шаблонов",
    ],
    "{n} templates": ["{n} шаблон", "{n} шаблона", "{n} шаблонов"],
    "{n} templates updated": [
      "обновлён {n} шаблон",
      "обновлено {n} шаблона",
      "обновлено {n} шаблонов",
    ],
  },
};
