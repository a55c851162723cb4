import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Actions cannot notify the user until media are added.":
      "Действия не смогут оповестить пользователя, пока не добавлено оповещение.",
    "Delete user": "Удалить пользователя",
    "First name": "Имя",
    "Last name": "Фамилия",
    "Last seen": "Последняя активность",
    Media: "Оповещения",
    "New user": "Новый пользователь",
    "No role": "Без роли",
    Permissions: "Права доступа",
    Role: "Роль",
    "Search names, groups, roles": "Поиск по именам, группам, ролям",
    "The role controls which pages and API methods are available. User groups control which hosts.":
      "Роль определяет доступные страницы и методы API. Группы пользователей определяют доступные узлы сети.",
    "The sessions, API tokens and media of the user are also deleted. Events keep the name.":
      "Сессии, API-токены и оповещения пользователя тоже будут удалены. В событиях имя останется.",
    "The user could not be deleted.": "Не удалось удалить пользователя.",
    "User saved": "Пользователь сохранён",
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
