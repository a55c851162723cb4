import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All messages": "Все сообщения",
    Executed: "Выполнено",
    Held: "Удерживается",
    New: "Новое",
    "No action has created a message yet.": "Ни одно действие ещё не создавало сообщений.",
    "Not sent yet": "Ещё не отправлено",
    "held until {time}": "удерживается до {time}",
    "in {id}": "в {id}",
    "is a digest": "сводка",
  },
  plurals: {},
};
