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
    "No items match, or the hosts have no items yet: link a template to a host.":
      "Ничего не подходит, или у узлов сети ещё нет элементов данных: присоедините шаблон.",
    "No such items": "Таких элементов данных нет",
    "No values yet": "Значений ещё нет",
    "Nothing to draw": "Нечего рисовать",
    "Search hosts, names and keys": "Поиск по узлам сети, именам и ключам",
    "Search values": "Поиск по значениям",
    "Select items in Latest data.": "Выберите элементы в последних данных.",
    "Select numeric items in Latest data.": "Выберите числовые элементы данных в последних данных.",
    "Success audit": "Аудит успеха",
    "There are no values in this period, or none with this text.":
      "За этот период значений нет, или нет с этим текстом.",
    "Two axes": "Две оси",
    "Values ({n})": "Значения ({n})",
    Verbose: "Подробно",
    "With values": "Со значениями",
    "the newest {count}; select a shorter period": "последние {count}; выберите период короче",
  },
  plurals: {
    "{n} items are not numeric": [
      "у {n} нет чисел для графика",
      "у {n} нет чисел для графика",
      "у {n} нет чисел для графика",
    ],
  },
};
