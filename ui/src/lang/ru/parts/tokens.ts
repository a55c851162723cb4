import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A program with this token has the permissions of the user.":
      "Программа с этим токеном имеет права пользователя.",
    "API token saved": "API-токен сохранён",
    "Auth token": "Токен аутентификации",
    "Copy the token": "Копировать токен",
    Created: "Создан",
    "Delete API token": "Удалить API-токен",
    Expires: "Истекает",
    "It is shown only once. Store it where the program reads it.":
      "Он показывается только один раз. Сохраните его там, где его читает программа.",
    "New API token": "Новый API-токен",
    "Programs that use it lose access immediately.":
      "Программы, которые его используют, сразу потеряют доступ.",
    Regenerate: "Создать заново",
    "Regenerate the token": "Создать токен заново",
    "Regenerate the token?": "Создать токен заново?",
    "The API token could not be deleted.": "Не удалось удалить API-токен.",
    "The current token stops working immediately.": "Нынешний токен сразу перестанет работать.",
    "The token could not be generated.": "Не удалось создать токен.",
    "There are no API tokens yet.": "API-токенов ещё нет.",
    "There is no such API token.": "Такого API-токена нет.",
    "a time is required": "нужно время",
  },
  plurals: {
    "{n} API tokens": ["{n} API-токен", "{n} API-токена", "{n} API-токенов"],
  },
};
