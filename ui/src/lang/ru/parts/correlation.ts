import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A rule closes problems by the tags of other problems, also those of other triggers.":
      "Правило закрывает проблемы по тегам других проблем, в том числе других триггеров.",
    "Close old events": "Закрывать старые события",
    "Conditions select the old and the new events.": "Условия выбирают старые и новые события.",
    "Correlation rule": "Правило корреляции",
    "Correlation rule saved": "Правило корреляции сохранено",
    "Each new problem (new event) is compared with the open problems (old events).":
      "Каждая новая проблема (новое событие) сравнивается с открытыми проблемами (старыми событиями).",
    "Event tag pair": "Пара тегов событий",
    "Host group of condition {n}": "Группа узлов сети условия {n}",
    "New correlation rule": "Новое правило корреляции",
    "New event host group": "Группа узлов сети нового события",
    "New event tag": "Тег нового события",
    "New event tag of condition {n}": "Тег нового события, условие {n}",
    "New event tag value": "Значение тега нового события",
    "Old event tag": "Тег старого события",
    "Old event tag of condition {n}": "Тег старого события, условие {n}",
    "Old event tag value": "Значение тега старого события",
    "Old events are selected by exclusion only: the rule checks each open problem.":
      "Старые события заданы только исключениями: правило проверяет каждую открытую проблему.",
    "Problems that it closed stay closed.": "Закрытые им проблемы останутся закрытыми.",
    "The correlation rule could not be deleted.": "Не удалось удалить правило корреляции.",
    "The rule applies if:": "Правило применяется, если:",
    "The rule closes events even if their triggers do not allow manual close.":
      "Правило закрывает события, даже если их триггеры не разрешают закрытие вручную.",
    "There is no correlation rule yet.": "Правил корреляции ещё нет.",
    "There is no such correlation rule.": "Такого правила корреляции нет.",
    "Without a condition on old events, each matching new event closes all open problems.":
      "Без условия на старые события каждое подходящее новое закрывает все открытые проблемы.",
    "a condition is required": "нужно условие",
    "an operation is required": "нужна операция",
    "close new event": "закрыть новое событие",
    "close old events": "закрыть старые события",
    "new event tag": "тег нового события",
    "old event tag": "тег старого события",
    "the host group of the new event {operator} {group}":
      "группа узлов сети нового события {operator} {group}",
    "the new event has the tag {tag}": "у нового события есть тег {tag}",
    "the old event has the tag {tag}": "у старого события есть тег {tag}",
    "the value of old event tag {old} equals the value of new event tag {new}":
      "значение тега старого события {old} равно значению тега нового события {new}",
    "two tags are required": "нужны два тега",
    "{tag} of the new event {operator} “{value}”": "{tag} нового события {operator} «{value}»",
    "{tag} of the old event {operator} “{value}”": "{tag} старого события {operator} «{value}»",
  },
  plurals: {},
};
