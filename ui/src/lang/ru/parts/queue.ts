import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All checks run on time.": "Все проверки выполняются вовремя.",
    Collector: "Сборщик",
    Collectors: "Сборщики",
    "Cost of checks": "Затраты на проверки",
    "Costliest items": "Самые дорогие элементы данных",
    "Current conversations": "Обменов сейчас",
    "Delayed by": "Задержка",
    "Delays by type": "Задержки по типам",
    "Devices not responding": "Устройства, которые не отвечают",
    Due: "Срок",
    "From at most the last {n} h. The share is of the time of all conversations. The share of items is sampled.":
      "Не больше чем за последние {n} ч. Доля — от времени всех обменов с устройствами. Для элементов данных она выборочная.",
    Limit: "Предел",
    Longest: "Дольше всего",
    Mean: "Среднее",
    "More than {time}": "Больше {time}",
    "Most delayed items": "Элементы данных с наибольшей задержкой",
    "No checks yet. There may be no polled items.":
      "Проверок ещё не было. Возможно, нет опрашиваемых элементов данных.",
    "No delays.": "Задержек нет.",
    "No device was polled yet.": "Ни одно устройство ещё не опрашивалось.",
    "No item was checked yet.": "Ни один элемент данных ещё не проверялся.",
    "Share of time": "Доля времени",
    "Slowest devices": "Самые медленные устройства",
    Timeouts: "Нет ответа",
    "{checks} delayed at {time}": "задерживаются {checks} на {time}",
  },
  plurals: {
    "{n} checks": ["{n} проверка", "{n} проверки", "{n} проверок"],
  },
};
