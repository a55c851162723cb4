import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    Access: "Доступ",
    "Add tag filter": "Добавить фильтр тегов",
    "By LDAP, which is not there yet": "Через LDAP, которого ещё нет",
    "Delete user group": "Удалить группу пользователей",
    "Group of {what} {n}": "Группа: {what} {n}",
    "Host group of tag filter {n}": "Группа узлов сети фильтра {n}",
    "Its users lose the rights that it gives.": "Её пользователи потеряют данные ею права.",
    "New user group": "Новая группа пользователей",
    "No user group matches.": "Подходящих групп пользователей нет.",
    "Pages and API": "Страницы и API",
    "Pages and API, passwords kept here": "Страницы и API, пароли хранятся здесь",
    "Problems that are seen": "Видимые проблемы",
    "Read and write": "Чтение и запись",
    "Remove tag filter {n}": "Удалить фильтр тегов {n}",
    "Right of {what} {n}": "Право: {what} {n}",
    "Rights on groups": "Права на группы",
    "Rights on host groups": "Права на группы узлов сети",
    "Rights on template groups": "Права на группы шаблонов",
    "Search names, users": "Поиск по именам, пользователям",
    "Tag of tag filter {n}": "Тег фильтра {n}",
    "The user group could not be deleted.": "Не удалось удалить группу пользователей.",
    "There is no such user group.": "Такой группы пользователей нет.",
    "User group saved": "Группа пользователей сохранена",
    "Value of tag filter {n}": "Значение тега фильтра {n}",
    "What is in several groups has the greatest right; “denied” takes it away.":
      "У входящего в несколько групп — наибольшее право; «запрещено» его отбирает.",
    "Without a line: all that rights let see. With lines only what they name; other host groups have no problems for these users.":
      "Без строк: всё, что позволяют права. Со строками — только названное; у других групп узлов сети проблем для этих пользователей нет.",
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
