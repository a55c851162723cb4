import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A program with its key may do what the user may.":
      "Программе с этим ключом можно то же, что пользователю.",
    "API token saved": "API-токен сохранён",
    "Copy the key": "Копировать ключ",
    Created: "Создан",
    "Delete API token": "Удалить API-токен",
    Expires: "Истекает",
    "It is shown this once: keep it where the program reads it.":
      "Показывается только один раз: сохраните его там, где его читает программа.",
    "Make a new key": "Создать новый ключ",
    "Make a new key?": "Создать новый ключ?",
    "New API token": "Новый API-токен",
    "New key": "Новый ключ",
    "No program has a token yet.": "Токенов ни у одной программы ещё нет.",
    "Programs that use it are turned away at once.": "Программы с ним сразу получат отказ.",
    "Stands for": "Чей",
    "The API token could not be deleted.": "Не удалось удалить API-токен.",
    "The key could not be made.": "Не удалось создать ключ.",
    "The key of the token": "Ключ токена",
    "The key so far works no longer from then on.": "Прежний ключ сразу перестанет работать.",
    "There is no such API token.": "Такого API-токена нет.",
    "a time is required": "нужно время",
  },
  plurals: {
    "{n} API tokens": ["{n} API-токен", "{n} API-токена", "{n} API-токенов"],
  },
};
