import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A text matches if all expressions are true.": "Текст подходит, если верны все выражения.",
    "Add expression": "Добавить выражение",
    "Any character string included": "Любая строка символов включена",
    "Case sensitive": "С учётом регистра",
    "Character string included": "Строка символов включена",
    "Character string not included": "Строка символов не включена",
    "Combined result": "Общий результат",
    "Delete regular expression": "Удалить регулярное выражение",
    "Delimiter of expression {n}": "Разделитель выражения {n}",
    "Discovery rules, triggers and items that use it stop working until they use another one.":
      "Правила обнаружения, триггеры и элементы данных, которые его используют, перестанут работать, пока не укажут другое.",
    "Expression {n}": "Выражение {n}",
    Expressions: "Выражения",
    FALSE: "ЛОЖЬ",
    "New regular expression": "Новое регулярное выражение",
    "Regular expression saved": "Регулярное выражение сохранено",
    "Remove expression {n}": "Удалить выражение {n}",
    "Result is FALSE": "Результат ЛОЖЬ",
    "Result is TRUE": "Результат ИСТИНА",
    "Result of expression {n}": "Результат выражения {n}",
    "Results update as you type. The test string is saved.":
      "Результаты обновляются при вводе. Тестовая строка сохраняется.",
    "Search names, expressions": "Поиск по именам, выражениям",
    TRUE: "ИСТИНА",
    "Test string": "Тестовая строка",
    "The regular expression could not be deleted.": "Не удалось удалить регулярное выражение.",
    "There are no global regular expressions yet.": "Глобальных регулярных выражений ещё нет.",
    "There is no such regular expression.": "Такого регулярного выражения нет.",
    "Type of expression {n}": "Тип выражения {n}",
    "Used as @name in discovery rule filters, functions and log item keys.":
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
