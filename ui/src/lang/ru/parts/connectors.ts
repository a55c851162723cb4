import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "0: unlimited": "0: без ограничения",
    "0s to 10s": "от 0s до 10s",
    "1 to 5": "от 1 до 5",
    "Bearer token": "Bearer-токен",
    Binary: "Двоичный",
    "Connector saved": "Коннектор сохранён",
    "Data not yet sent is discarded.": "Ещё не отправленные данные отбрасываются.",
    "Data to send": "Отправляемые данные",
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
    "No data is sent to other systems yet.": "Данные в другие системы ещё не отправляются.",
    Requests: "Запросы",
    "Search names, URLs": "Поиск по именам, URL",
    "Tag filter": "Фильтр тегов",
    "The connector could not be deleted.": "Не удалось удалить коннектор.",
    "There is no such connector.": "Такого коннектора нет.",
    "Undelivered data stays in the journal and is sent when the receiver accepts it again.":
      "Недоставленные данные остаются в журнале и отправляются, когда получатель снова их принимает.",
    "Use secret macros to hide passwords and tokens.":
      "Используйте секретные макросы, чтобы скрыть пароли и токены.",
    "Verify the receiver's certificate": "Проверять сертификат получателя",
    "Verify the receiver's name": "Проверять имя получателя",
    "Without a tag filter, all data of this type is sent.":
      "Без фильтра тегов отправляются все данные этого типа.",
    "a time from {min}s to {max}s": "время от {min}s до {max}s",
    "a token is required": "нужен токен",
    "at least one type is required": "нужен хотя бы один тип",
    "it must begin with http:// or https://": "должно начинаться с http:// или https://",
  },
  plurals: {
    "{n} connectors": ["{n} коннектор", "{n} коннектора", "{n} коннекторов"],
  },
};
