import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Add mapping": "Добавить соответствие",
    "Delete value map": "Удалить преобразование значений",
    "Items that use it show their values without names.":
      "Элементы данных с ним покажут значения без имён.",
    "Kind of mapping {n}": "Вид соответствия {n}",
    "Name of value {n}": "Имя значения {n}",
    "New value map": "Новое преобразование значений",
    "No value maps here": "Преобразований значений здесь нет",
    "Remove mapping {n}": "Удалить соответствие {n}",
    "Search names and values": "Поиск по именам и значениям",
    "The first that fits counts.": "Считается первое подходящее.",
    "The value map could not be deleted.": "Не удалось удалить преобразование значений.",
    "There is no such value map.": "Такого преобразования значений нет.",
    "They give names to values: 1 is “up”.": "Они дают значениям имена: 1 — «работает».",
    "Value map saved": "Преобразование значений сохранено",
    "Value {n}": "Значение {n}",
    "any other": "любое другое",
    "is at least": "не меньше",
    "is at most": "не больше",
    "is in range": "в диапазоне",
  },
  plurals: {
    "{n} value maps": [
      "{n} преобразование значений",
      "{n} преобразования значений",
      "{n} преобразований значений",
    ],
  },
};
