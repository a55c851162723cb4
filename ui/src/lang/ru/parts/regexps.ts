import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A text matches if all of them hold.": "Текст подходит, если выполняются все.",
    "Add expression": "Добавить выражение",
    "Any character string included": "Любая строка символов включена",
    "Case sensitive": "С учётом регистра",
    "Character string included": "Строка символов включена",
    "Character string not included": "Строка символов не включена",
    "Combined result": "Общий результат",
    "Delete regular expression": "Удалить регулярное выражение",
    "Delimiter of expression {n}": "Разделитель выражения {n}",
    "Expression {n}": "Выражение {n}",
    Expressions: "Выражения",
    FALSE: "ЛОЖЬ",
    "New regular expression": "Новое регулярное выражение",
    "No regular expression matches.": "Подходящих регулярных выражений нет.",
    "Regular expression saved": "Регулярное выражение сохранено",
    "Remove expression {n}": "Удалить выражение {n}",
    "Result is FALSE": "Результат ЛОЖЬ",
    "Result is TRUE": "Результат ИСТИНА",
    "Result of expression {n}": "Результат выражения {n}",
    "Results follow what you type; the text is kept.":
      "Результаты следуют вводу; текст сохраняется.",
    "Rules, triggers and items that name it stop working until they name another.":
      "Правила, триггеры и элементы данных, которые его называют, перестанут работать, пока не назовут другое.",
    "Search names, expressions": "Поиск по именам, выражениям",
    TRUE: "ИСТИНА",
    "Test string": "Тестовая строка",
    "The regular expression could not be deleted.": "Не удалось удалить регулярное выражение.",
    "There are no global regular expressions yet.": "Глобальных регулярных выражений ещё нет.",
    "There is no such regular expression.": "Такого регулярного выражения нет.",
    "Type of expression {n}": "Тип выражения {n}",
    "Used as @name in filters of discovery rules, functions and keys of log items.":
      "Используется как @имя в фильтрах правил обнаружения, функциях и ключах элементов журналов.",
    "an expression is wrong": "одно из выражений неверно",
    "not tested": "не проверено",
  },
  plurals: {
    "{n} regular expressions": [
      "{n} регулярное выражение",
      "{n} регулярных выражения",
      "{n} регулярных выражений",
    ],
  },
};
