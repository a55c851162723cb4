import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "0: up to the limit of the server": "0: до предела сервера",
    "0s to 1h": "от 0s до 1h",
    "A file in the folder set by alerting.scripts in the server settings.":
      "Файл из папки, заданной настройкой сервера alerting.scripts.",
    "Add parameter": "Добавить параметр",
    "Authenticate with user name and password": "Аутентификация по имени и паролю",
    "Connection security": "Защита соединения",
    "Delete media type": "Удалить способ оповещения",
    "E-mail": "Эл. почта",
    Exchange: "Обмен",
    "File name": "Имя файла",
    "Media type saved": "Способ оповещения сохранён",
    "Message format": "Формат сообщения",
    "Name <address>, or an address": "Имя <адрес> или адрес",
    "Name of parameter {n}": "Имя параметра {n}",
    "New media type": "Новый способ оповещения",
    "Plain text": "Простой текст",
    "Process tags: add tags from the result to the event":
      "Обработка тегов: добавлять теги из результата к событию",
    "Remove parameter {n}": "Удалить параметр {n}",
    SMS: "SMS",
    "SMTP HELO": "SMTP HELO",
    "SMTP server": "SMTP-сервер",
    "Send test message": "Отправить тестовое сообщение",
    Sender: "Отправитель",
    "Sends a message immediately with the saved configuration and shows the whole exchange.":
      "Сразу отправляет сообщение с сохранённой конфигурацией и показывает весь обмен.",
    "Test subject": "Тестовая тема",
    "The media of this type are deleted from all users.":
      "Оповещения этого способа будут удалены у всех пользователей.",
    "The media type could not be deleted.": "Не удалось удалить способ оповещения.",
    "The message was sent.": "Сообщение отправлено.",
    "The script gets the parameters as JSON in value. Its return value or exception is the result.":
      "Скрипт получает параметры в виде JSON в value. Результат — возвращённое значение или исключение.",
    "There is no such media type.": "Такого способа оповещения нет.",
    "This is a test message.": "Это тестовое сообщение.",
    "Uses OAuth, which is configured through the API.":
      "Используется OAuth, он настраивается через API.",
    "Value of parameter {n}": "Значение параметра {n}",
    "empty: the sender's domain": "пусто: домен отправителя",
  },
  plurals: {
    "{n} media types": [
      "{n} способ оповещения",
      "{n} способа оповещений",
      "{n} способов оповещений",
    ],
  },
};
