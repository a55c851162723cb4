import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    Ended: "Закончилось",
    Event: "Событие",
    "Event {id}": "Событие {id}",
    "It is gone with its time, or about a host that you do not see.":
      "Оно удалено по сроку или относится к узлу сети, который вам не виден.",
    "Its symptoms": "Его симптомы",
    "Show in the list of problems": "Показать в списке проблем",
    "There is no such event.": "Такого события нет.",
    "Trigger {id}": "Триггер {id}",
    "after {age}": "через {age}",
    "by a maintenance": "обслуживанием",
    "to {who}": "кому: {who}",
    wrote: "написал",
  },
  plurals: {},
};
