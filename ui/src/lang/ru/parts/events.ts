import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    Event: "Событие",
    "Event {id}": "Событие {id}",
    "It has expired or belongs to a host you cannot access.":
      "Оно удалено по сроку или относится к узлу сети, к которому у вас нет доступа.",
    "Its symptoms": "Его симптомы",
    "Resolved problem": "Решённая проблема",
    "Show in the list of problems": "Показать в списке проблем",
    "There is no such event.": "Такого события нет.",
    "Trigger {id}": "Триггер {id}",
    "after {age}": "через {age}",
    "by maintenance": "обслуживанием",
    commented: "комментарий",
    "to {who}": "кому: {who}",
  },
  plurals: {},
};
