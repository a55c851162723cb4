import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Clone “{name}”": "Клонировать «{name}»",
    "Clone …": "Клонировать …",
    "Delete template": "Удалить шаблон",
    "Items, triggers, graphs, discovery rules, web scenarios, value maps and dashboards. Without: groups, linked templates, tags and macros only.":
      "Элементы данных, триггеры, графики, правила обнаружения, веб-сценарии, преобразования значений и панели. Без этого: только группы, присоединённые шаблоны, теги и макросы.",
    "Linked templates": "Присоединённые шаблоны",
    "Linked templates: how": "Присоединённые шаблоны: как",
    "No template matches.": "Подходящих шаблонов нет.",
    "Search names, groups, tags": "Поиск по именам, группам, тегам",
    "Template cloned": "Шаблон клонирован",
    "Template created": "Шаблон создан",
    "Template groups: how": "Группы шаблонов: как",
    "Template name": "Имя шаблона",
    "Template saved": "Шаблон сохранён",
    "The templates could not be deleted.": "Не удалось удалить шаблоны.",
    "There is a template of that name already.": "Шаблон с таким именем уже есть.",
    "Values of secret macros are not told: they have to be typed again.":
      "Значения секретных макросов не сообщаются: их нужно ввести снова.",
    "What it brought to hosts stays there, without a template.":
      "То, что он дал узлам сети, останется там, без шаблона.",
    "What they brought to hosts stays there, without a template.":
      "То, что они дали узлам сети, останется там, без шаблона.",
    "With all that it has": "Со всем, что в нём есть",
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
