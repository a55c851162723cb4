import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    " or ": " или ",
    "API reference": "Справочник API",
    "About the API": "Об API",
    "All of it as an OpenRPC document": "Всё это в виде документа OpenRPC",
    Contents: "Содержание",
    "Default: {value}.": "По умолчанию: {value}.",
    Documentation: "Документация",
    "Each example was sent to a server, which answered what stands beside it.":
      "Каждый пример отправлен серверу, и рядом стоит его ответ.",
    "Fields of the object": "Поля объекта",
    "For admins.": "Для администраторов.",
    "For all users.": "Для всех пользователей.",
    "For super admins.": "Для суперадминистраторов.",
    "Ids, numbers and codes are texts in answers, and may be either in parameters.":
      "Идентификаторы, числа и коды в ответах — тексты, а в параметрах могут быть и числами.",
    "JSON-RPC 2.0 as Zabbix 7.0 speaks it: calls are posted to /api_jsonrpc.php, with an API token or the session of user.login.":
      "JSON-RPC 2.0, каким его знает Zabbix 7.0: вызовы отправляются на /api_jsonrpc.php с API-токеном или сессией user.login.",
    "Needs no login.": "Вход не нужен.",
    "Objects and methods": "Объекты и методы",
    "Pages of the guide": "Страницы руководства",
    "Request: {what}": "Запрос: {what}",
    "Search methods": "Поиск методов",
    "Search the guide": "Поиск в руководстве",
    "There is no such object of the API.": "Такого объекта в API нет.",
    "There is no such page of the guide.": "Такой страницы в руководстве нет.",
    "User guide": "Руководство",
    anything: "что угодно",
    "empty list": "пустой список",
    flag: "флаг",
    "go to the user guide about this page": "руководство об этой странице",
    id: "идентификатор",
    "list of {what}": "список: {what}",
    object: "объект",
    required: "обязательно",
    text: "текст",
    "time, seconds since 1970": "время, секунды с 1970 года",
    "whole number": "целое число",
    "whole number, {min}–{max}": "целое число, {min}–{max}",
  },
  plurals: {
    "{n} methods": ["{n} метод", "{n} метода", "{n} методов"],
  },
};
