import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Add mapping": "Добавить соответствие",
    "Delete value map": "Удалить преобразование значений",
    "Items that use it will show raw values.":
      "Элементы данных с ним будут показывать исходные значения.",
    "Name of value {n}": "Имя значения {n}",
    "New value map": "Новое преобразование значений",
    "No value maps here": "Преобразований значений здесь нет",
    "Remove mapping {n}": "Удалить соответствие {n}",
    "Search names and values": "Поиск по именам и значениям",
    "The value map could not be deleted.": "Не удалось удалить преобразование значений.",
    "There is no such value map.": "Такого преобразования значений нет.",
    "Type of mapping {n}": "Тип соответствия {n}",
    "Value map saved": "Преобразование значений сохранено",
    "Value maps show names for values: “up” for 1.":
      "Преобразования показывают имена вместо значений: «работает» вместо 1.",
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
