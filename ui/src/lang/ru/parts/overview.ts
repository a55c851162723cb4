import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "All in the audit log": "Все в журнале аудита",
    "All problems": "Все проблемы",
    "All triggers are in order.": "Все триггеры в порядке.",
    "Beginnings and ends of problems": "Начала и окончания проблем",
    "Changes of the configuration": "Изменения конфигурации",
    "Enable a media type": "Включить способ оповещения",
    "Enable an action": "Включить действие",
    "Give yourself an address": "Указать свой адрес",
    "Host groups with problems": "Группы узлов сети с проблемами",
    "Hosts with problems": "Узлы сети с проблемами",
    "No problem began or ended.": "Проблемы не начинались и не заканчивались.",
    "Nobody is told of problems: no enabled action has a recipient that can be reached.":
      "О проблемах никого не оповещают: ни у одного включённого действия нет досягаемого получателя.",
    "Nobody was told of anything in the last hour.":
      "За последний час никого ни о чём не оповещали.",
    "Nothing is monitored yet but this server.": "Пока наблюдается только этот сервер.",
    "Nothing was changed in the last hour.": "За последний час ничего не менялось.",
    "The last hour": "Последний час",
    "What it takes to be told": "Что нужно для оповещений",
    "Worst problems": "Худшие проблемы",
    "a media type is enabled": "способ оповещения включён",
    "a recipient has an address for it": "у получателя есть адрес для него",
    "an action is enabled": "действие включено",
    "the newest {n}: all of the last hour": "последние {n}: все за последний час",
    "{a} available, {u} not, {n} unknown": "{a} доступно, {u} нет, {n} неизвестно",
    "{n} acknowledged": "подтверждено: {n}",
    "{n} failed": "не удалось: {n}",
    "{n} not supported": "не поддерживается: {n}",
    "{n} of severity {severity}: {name}": "{n} важности «{severity}»: {name}",
    "{n} sent": "отправлено: {n}",
    "{n} waiting": "ждёт: {n}",
  },
  plurals: {
    "{n} groups": ["{n} группа", "{n} группы", "{n} групп"],
    "{n} problems began": [
      "началась {n} проблема",
      "начались {n} проблемы",
      "началось {n} проблем",
    ],
    "{n} problems ended": [
      "закончилась {n} проблема",
      "закончились {n} проблемы",
      "закончилось {n} проблем",
    ],
  },
};
