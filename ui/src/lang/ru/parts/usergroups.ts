import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    Access: "Доступ",
    "Add tag filter": "Добавить фильтр тегов",
    "Delete user group": "Удалить группу пользователей",
    "Group of {what} {n}": "Группа: {what} {n}",
    "Host group of tag filter {n}": "Группа узлов сети фильтра {n}",
    "Host permissions": "Права на узлы сети",
    "Its users lose the permissions that it grants.":
      "Её пользователи потеряют права, которые она даёт.",
    "LDAP (not supported yet)": "LDAP (ещё не поддерживается)",
    "New user group": "Новая группа пользователей",
    "Pages and API": "Страницы и API",
    "Pages and API, internal passwords": "Страницы и API, внутренние пароли",
    "Permission of {what} {n}": "Право: {what} {n}",
    "Permissions on groups": "Права на группы",
    "Problem tag filter": "Фильтр тегов проблем",
    "Read and write": "Чтение и запись",
    "Remove tag filter {n}": "Удалить фильтр тегов {n}",
    "Search names, users": "Поиск по именам, пользователям",
    "Tag of tag filter {n}": "Тег фильтра {n}",
    "Template permissions": "Права на шаблоны",
    "The user group could not be deleted.": "Не удалось удалить группу пользователей.",
    "There is no such user group.": "Такой группы пользователей нет.",
    "User group saved": "Группа пользователей сохранена",
    "Value of tag filter {n}": "Значение тега фильтра {n}",
    "With several groups the highest permission applies, unless one of them is “denied”.":
      "При нескольких группах действует наибольшее право, если ни в одной нет «запрещено».",
    "Without tag filters: all problems that permissions allow. With tag filters: only problems that match them; problems of other host groups are hidden.":
      "Без фильтров тегов: все проблемы, доступные по правам. С фильтрами: только подходящие; проблемы других групп узлов сети скрыты.",
    "all problems": "все проблемы",
    "any value": "любое значение",
    "host group": "группа узлов сети",
    "template group": "группа шаблонов",
  },
  plurals: {
    "{n} user groups": [
      "{n} группа пользователей",
      "{n} группы пользователей",
      "{n} групп пользователей",
    ],
  },
};
