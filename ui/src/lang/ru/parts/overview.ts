import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Add media to your profile": "Добавить оповещение в свой профиль",
    "All in the audit log": "Все в журнале аудита",
    "All problems": "Все проблемы",
    "All triggers are OK.": "Все триггеры в состоянии ОК.",
    "Configuration changes": "Изменения конфигурации",
    "Enable a media type": "Включить способ оповещения",
    "Enable an action": "Включить действие",
    "Host groups with problems": "Группы узлов сети с проблемами",
    "Hosts with problems": "Узлы сети с проблемами",
    "No notifications are sent for problems: no enabled action has a recipient that can be reached.":
      "Оповещения о проблемах не отправляются: ни у одного включённого действия нет получателя, с которым можно связаться.",
    "No notifications in the last hour.": "За последний час оповещений не было.",
    "No problems started or were resolved.": "Проблемы не начинались и не решались.",
    "Nothing was changed in the last hour.": "За последний час ничего не менялось.",
    "Only this server is monitored so far.": "Пока наблюдается только этот сервер.",
    "Required for notifications": "Что нужно для оповещений",
    "Start here": "Начните здесь",
    "Started and resolved problems": "Начавшиеся и решённые проблемы",
    "The last hour": "Последний час",
    "The newest {n} are shown. Show all of the last hour":
      "Показаны последние {n}. Показать все за последний час",
    "Worst problems": "Самые важные проблемы",
    "a media type is enabled": "способ оповещения включён",
    "a recipient has media of this type": "у получателя есть оповещение этого типа",
    "an action is enabled": "действие включено",
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
    "{n} problems resolved": ["решена {n} проблема", "решены {n} проблемы", "решено {n} проблем"],
    "{n} problems started": [
      "началась {n} проблема",
      "начались {n} проблемы",
      "началось {n} проблем",
    ],
  },
};
