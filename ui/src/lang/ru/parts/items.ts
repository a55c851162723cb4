import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "30s, 1m; more after a semicolon: 10s/1-5,09:00-18:00 or wd1-5h9":
      "30s, 1m; другие через точку с запятой: 10s/1-5,09:00-18:00 или wd1-5h9",
    "All values stored up to now are deleted. This cannot be undone.":
      "Все сохранённые до сих пор значения удаляются. Это нельзя отменить.",
    "Clear history and trends": "Очистить историю и динамику изменений",
    "Clear history and trends of {name}?": "Очистить историю и динамику изменений «{name}»?",
    "Clear history and trends …": "Очистить историю и динамику изменений …",
    "Delete item": "Удалить элемент данных",
    "Delete item prototype": "Удалить прототип элемента данных",
    "Discover: rows create items": "Обнаруживать: строки создают по нему элементы данных",
    "Fills inventory field": "Заполняет поле инвентаря",
    "History and trends are deleted": "История и динамика изменений удалены",
    "Item created": "Элемент данных создан",
    "Item prototype saved": "Прототип элемента данных сохранён",
    "Item saved": "Элемент данных сохранён",
    "Items are enabled": "Элементы данных включены",
    "Items updated": "Элементы данных обновлены",
    "Its history and the triggers that use it are also deleted.":
      "Его история и триггеры с ним тоже удаляются.",
    "Keep history for": "Хранить историю",
    "Keep trends for": "Хранить динамику изменений",
    "Link a template or create an item.": "Присоедините шаблон или создайте элемент данных.",
    "New item": "Новый элемент данных",
    "New value of {name}": "Новое значение {name}",
    "On hosts with automatic inventory.": "На узлах сети с автоматическим инвентарём.",
    "Search names, keys, tags": "Поиск по именам, ключам, тегам",
    "Steps are applied to each value, in this order.":
      "Шаги применяются к каждому значению в этом порядке.",
    "The history could not be deleted.": "Не удалось удалить историю.",
    "The host has no interface for items of this type.":
      "У узла сети нет интерфейса для элементов этого типа.",
    "The item could not be deleted.": "Не удалось удалить элемент данных.",
    "The item prototype could not be deleted.": "Не удалось удалить прототип элемента данных.",
    "The items could not be deleted.": "Не удалось удалить элементы данных.",
    "The items could not be updated.": "Не удалось обновить элементы данных.",
    "Their history and the triggers that use them are also deleted.":
      "Их история и триггеры с ними тоже удаляются.",
    "There is no such item prototype.": "Такого прототипа элемента данных нет.",
    "There is no such item.": "Такого элемента данных нет.",
    Units: "Единицы измерения",
  },
  plurals: {
    "Clear history and trends of {n} items?": [
      "Очистить историю и динамику изменений {n} элемента данных?",
      "Очистить историю и динамику изменений {n} элементов данных?",
      "Очистить историю и динамику изменений {n} элементов данных?",
    ],
    "Delete {n} items?": [
      "Удалить {n} элемент данных?",
      "Удалить {n} элемента данных?",
      "Удалить {n} элементов данных?",
    ],
    "Update {n} items": [
      "Обновить {n} элемент данных",
      "Обновить {n} элемента данных",
      "Обновить {n} элементов данных",
    ],
    "{n} items updated": [
      "обновлён {n} элемент данных",
      "обновлено {n} элемента данных",
      "обновлено {n} элементов данных",
    ],
  },
};
