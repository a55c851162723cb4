import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All values": "Все значения",
    CSV: "CSV",
    Change: "Изменение",
    Critical: "Критическая",
    "Execute now ({n})": "Выполнить сейчас ({n})",
    "Failure audit": "Аудит отказа",
    "Graph ({n})": "График ({n})",
    "Last check": "Последняя проверка",
    "Last value": "Последнее значение",
    "Log time": "Время в журнале",
    "No such items": "Таких элементов данных нет",
    "No values yet": "Значений ещё нет",
    "Nothing matches, or the hosts have no items yet: link a template to one.":
      "Ничего не подходит, или у узлов сети ещё нет элементов данных: присоедините шаблон.",
    "Nothing to draw": "Нечего рисовать",
    "Pick items in latest data.": "Выберите элементы в последних данных.",
    "Pick items with numbers in latest data.": "Выберите числовые элементы в последних данных.",
    "Search hosts, names and keys": "Поиск по узлам сети, именам и ключам",
    "Search values": "Поиск по значениям",
    "Success audit": "Аудит успеха",
    "There is none in this time, or none with this text.":
      "За это время нет ни одного, или ни одного с этим текстом.",
    "Two axes": "Две оси",
    "Values ({n})": "Значения ({n})",
    Verbose: "Подробно",
    "With values": "Со значениями",
    "the newest {count}; shorten the time": "новейшие {count}; сократите время",
  },
  plurals: {
    "{n} have no numbers to draw": [
      "у {n} нет чисел для графика",
      "у {n} нет чисел для графика",
      "у {n} нет чисел для графика",
    ],
  },
};
