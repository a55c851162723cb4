import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Media saved": "Оповещения сохранены",
    "Without an address no message of an action reaches you.":
      "Без адреса ни одно сообщение действия до вас не дойдёт.",
  },
  plurals: {},
};
