import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "0: as many as there are": "0: сколько есть",
    "0s to 10s": "от 0s до 10s",
    "1 to 5": "от 1 до 5",
    "Add condition on tags": "Добавить условие на теги",
    "Bearer token": "Bearer-токен",
    Binary: "Двоичный",
    "Check the name in the certificate": "Проверять имя в сертификате",
    "Check the receiver's certificate": "Проверять сертификат получателя",
    "Conditions on tags": "Условия на теги",
    "Connector saved": "Коннектор сохранён",
    "Create the first connector": "Создать первый коннектор",
    "Data type": "Тип данных",
    "Delete connector": "Удалить коннектор",
    "Does not contain": "Не содержит",
    "Does not equal": "Не равно",
    "Does not exist": "Не существует",
    "Each value or event is a line of JSON in the body of a POST request.":
      "Каждое значение или событие — строка JSON в теле запроса POST.",
    Events: "События",
    Exists: "Существует",
    "Item values": "Значения элементов данных",
    "Max records per message": "Макс. записей в сообщении",
    "New connector": "Новый коннектор",
    "No connector matches.": "Подходящих коннекторов нет.",
    "Nothing is sent to other systems yet.": "В другие системы ещё ничего не отправляется.",
    Requests: "Запросы",
    "Search names, URLs": "Поиск по именам, URL",
    "Secret macros keep passwords and tokens out of sight.":
      "Секретные макросы скрывают пароли и токены.",
    "The connector could not be deleted.": "Не удалось удалить коннектор.",
    "There is no such connector.": "Такого коннектора нет.",
    "What a receiver does not take is kept in the journal and sent later.":
      "Что получатель не принял, остаётся в журнале и отправляется позже.",
    "What has not been sent by then is not sent any more.":
      "Что к тому времени не отправлено, не отправится.",
    "What is sent": "Что отправляется",
    "Without conditions on tags everything of the type is sent.":
      "Без условий на теги отправляется всё этого типа.",
    "a time from {min}s to {max}s": "время от {min}s до {max}s",
    "a token is required": "нужен токен",
    "it begins with http:// or https://": "начинается с http:// или https://",
    "one type is required": "нужен один тип",
  },
  plurals: {
    "{n} connectors": ["{n} коннектор", "{n} коннектора", "{n} коннекторов"],
  },
};
