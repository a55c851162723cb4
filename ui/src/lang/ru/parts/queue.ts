import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All checks are made when they are due.": "Все проверки выполняются вовремя.",
    "At most": "Не больше",
    Collector: "Сборщик",
    Collectors: "Сборщики",
    "Conversations now": "Диалогов сейчас",
    "Dearest items": "Самые дорогие элементы данных",
    "Devices that do not answer": "Устройства, которые не отвечают",
    Due: "Срок",
    "Late by": "Опоздание",
    "Late by type": "Опоздания по типам",
    "Latest items": "Самые опоздавшие элементы данных",
    Longest: "Дольше всего",
    Mean: "Среднее",
    "More than {time}": "Больше {time}",
    "No check has been made yet: there may be no item that is polled.":
      "Проверок ещё не было: возможно, нет элементов данных, которые опрашиваются.",
    "No device was asked yet.": "Ни одно устройство ещё не опрашивалось.",
    "No item was checked yet.": "Ни один элемент данных ещё не проверялся.",
    "Nothing is late.": "Ничего не опаздывает.",
    "Of the last {n} h at most. A share is that of the time of all conversations; of items it is sampled.":
      "За последние {n} ч, не больше. Доля — от времени всех диалогов; у элементов данных — выборочно.",
    "Share of time": "Доля времени",
    "Slowest devices": "Самые медленные устройства",
    "Time-outs": "Нет ответа",
    "What checks cost": "Чего стоят проверки",
    "{checks} late at {time}": "{checks} опаздывает на {time}",
  },
  plurals: {
    "{n} checks": ["{n} проверка", "{n} проверки", "{n} проверок"],
  },
};
