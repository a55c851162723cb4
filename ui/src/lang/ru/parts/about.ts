import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    License: "Лицензия",
    "No package matches.": "Подходящих пакетов нет.",
    Package: "Пакет",
    "Packages and their licenses": "Пакеты и их лицензии",
    Part: "Часть",
    "Search packages and licenses": "Поиск пакетов и лицензий",
    Version: "Версия",
    "version {version}, under the Apache License 2.0":
      "версия {version}, под лицензией Apache License 2.0",
  },
  plurals: {
    "{n} packages": ["{n} пакет", "{n} пакета", "{n} пакетов"],
  },
};
