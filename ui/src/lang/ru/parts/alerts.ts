import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All messages": "Все сообщения",
    Executed: "Выполнено",
    New: "Новое",
    "No action has made a message yet.": "Ни одно действие ещё не создавало сообщений.",
    "Not sent yet": "Ещё не отправлено",
    Waits: "Ждёт",
    "in {id}": "в {id}",
    "tells others": "сообщает о других",
    "told at {time}": "сообщено {time}",
  },
  plurals: {},
};
