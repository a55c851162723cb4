import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Delete user": "Удалить пользователя",
    "First name": "Имя",
    "Last name": "Фамилия",
    "Last seen": "Последняя активность",
    Media: "Оповещения",
    "New user": "Новый пользователь",
    "No role": "Без роли",
    "No user matches.": "Подходящих пользователей нет.",
    Rights: "Права",
    Role: "Роль",
    "Search names, groups, roles": "Поиск по именам, группам, ролям",
    "The role says what kind of pages and calls; the groups say on which hosts.":
      "Роль определяет, какие страницы и вызовы; группы — на каких узлах сети.",
    "The user could not be deleted.": "Не удалось удалить пользователя.",
    "The user's sessions, tokens and media go as well; events keep the name.":
      "Исчезнут также сессии, токены и оповещения пользователя; в событиях имя останется.",
    "User saved": "Пользователь сохранён",
    "Without an address no message of an action reaches the user.":
      "Без адреса ни одно сообщение действия до пользователя не дойдёт.",
    "a password is required": "нужен пароль",
    "a role is required": "нужна роль",
    "a user name is required": "нужно имя пользователя",
    online: "в сети",
    "{age} ago": "{age} назад",
  },
  plurals: {
    "{n} users": ["{n} пользователь", "{n} пользователя", "{n} пользователей"],
  },
};
