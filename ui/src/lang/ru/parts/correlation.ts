import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A rule closes problems by the tags of others, whichever trigger made them.":
      "Правило закрывает проблемы по тегам других, какой бы триггер их ни создал.",
    "A rule that only says what an old event is not looks at each open problem.":
      "Правило, которое говорит лишь, чем старое событие не является, просматривает каждую открытую проблему.",
    "Close old events": "Закрывать старые события",
    "Close the new event": "Закрывать новое событие",
    "Closed by the rule, whatever their triggers allow.":
      "Закрывает правило, что бы ни разрешали триггеры.",
    "Correlation rule": "Правило корреляции",
    "Correlation rule saved": "Правило корреляции сохранено",
    "Each new problem is held against the open ones, the old events.":
      "Каждая новая проблема сверяется с открытыми — старыми событиями.",
    "Event tag pair": "Пара тегов событий",
    "For which old and new events.": "Для каких старых и новых событий.",
    "Host group of condition {n}": "Группа узлов сети условия {n}",
    "New correlation rule": "Новое правило корреляции",
    "New event host group": "Группа узлов сети нового события",
    "New event tag": "Тег нового события",
    "New event tag of condition {n}": "Тег нового события, условие {n}",
    "New event tag value": "Значение тега нового события",
    "Old event tag": "Тег старого события",
    "Old event tag of condition {n}": "Тег старого события, условие {n}",
    "Old event tag value": "Значение тега старого события",
    "The correlation rule could not be deleted.": "Не удалось удалить правило корреляции.",
    "The rule acts if:": "Правило действует, если:",
    "There is no correlation rule yet.": "Правил корреляции ещё нет.",
    "There is no such correlation rule.": "Такого правила корреляции нет.",
    "What it has closed stays closed.": "Закрытое им останется закрытым.",
    "Without a condition on old events each new event that matches closes all open problems.":
      "Без условия на старые события каждое подходящее новое закрывает все открытые проблемы.",
    "a condition is required": "нужно условие",
    "an operation is required": "нужна операция",
    "close old events": "закрыть старые события",
    "close the new event": "закрыть новое событие",
    "new event tag": "тег нового события",
    "old event tag": "тег старого события",
    "the host group of the new event {operator} {group}":
      "группа узлов сети нового события {operator} {group}",
    "the new event has the tag {tag}": "у нового события есть тег {tag}",
    "the old event has the tag {tag}": "у старого события есть тег {tag}",
    "two tags are required": "нужны два тега",
    "{old} of the old event has the value of {new} of the new one":
      "{old} старого события имеет значение {new} нового",
    "{tag} of the new event {operator} “{value}”": "{tag} нового события {operator} «{value}»",
    "{tag} of the old event {operator} “{value}”": "{tag} старого события {operator} «{value}»",
  },
  plurals: {},
};
