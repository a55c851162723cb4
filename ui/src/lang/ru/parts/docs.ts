import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    " or ": " или ",
    "API reference": "Справочник API",
    "About the API": "Об API",
    Contents: "Содержание",
    "Default: {value}.": "По умолчанию: {value}.",
    Documentation: "Документация",
    "Each example was sent to a server; the response of the server is shown with it.":
      "Каждый пример отправлен серверу; рядом показан ответ сервера.",
    "Fields of the object": "Поля объекта",
    "For admins.": "Для администраторов.",
    "For all users.": "Для всех пользователей.",
    "For super admins.": "Для супер-администраторов.",
    "IDs, numbers and codes are strings in responses. Parameters can be strings or numbers.":
      "Идентификаторы, числа и коды в ответах — строки. Параметры могут быть строками или числами.",
    "JSON-RPC 2.0, compatible with Zabbix 7.0. Send calls by POST to /api_jsonrpc.php, with an API token or the session from user.login.":
      "JSON-RPC 2.0, совместимый с Zabbix 7.0. Вызовы отправляются методом POST на /api_jsonrpc.php с API-токеном или сессией user.login.",
    "Needs no login.": "Вход не нужен.",
    "Objects and methods": "Объекты и методы",
    "Pages of the guide": "Страницы руководства",
    "Request: {what}": "Запрос: {what}",
    "Search methods": "Поиск методов",
    "Search the guide": "Поиск в руководстве",
    "The whole API as an OpenRPC document": "Весь API в виде документа OpenRPC",
    "There is no such object of the API.": "Такого объекта в API нет.",
    "There is no such page of the guide.": "Такой страницы в руководстве нет.",
    "User guide": "Руководство",
    anything: "что угодно",
    "empty list": "пустой список",
    flag: "флаг",
    id: "идентификатор",
    "list of {what}": "список: {what}",
    object: "объект",
    "open the user guide for this page": "руководство об этой странице",
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
