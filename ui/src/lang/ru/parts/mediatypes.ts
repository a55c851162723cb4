import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "0: as many as the server allows": "0: сколько позволяет сервер",
    "0s to 1h": "от 0s до 1h",
    "A file of the folder that the setting alerting.scripts names.":
      "Файл из папки, указанной в настройке alerting.scripts.",
    "Add parameter": "Добавить параметр",
    "Add tags of the result to the event": "Добавлять теги результата к событию",
    "Authenticate by user name and password": "Аутентификация по имени и паролю",
    "Authenticates by OAuth, which is set over the API.":
      "Аутентификация через OAuth, задаётся через API.",
    "Check the name in it": "Проверять имя в нём",
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
    "No media type matches.": "Подходящих способов оповещений нет.",
    "Plain text": "Простой текст",
    "Remove parameter {n}": "Удалить параметр {n}",
    SMS: "SMS",
    "SMTP HELO": "SMTP HELO",
    "SMTP server": "SMTP-сервер",
    "Send test message": "Отправить тестовое сообщение",
    Sender: "Отправитель",
    "Sends a message at once, by what is saved, and shows the whole exchange.":
      "Отправляет сообщение сразу, по сохранённому, и показывает весь обмен.",
    "Test subject": "Тестовая тема",
    "The media type could not be deleted.": "Не удалось удалить способ оповещения.",
    "The message was sent.": "Сообщение отправлено.",
    "The script gets the parameters as JSON in value; what it returns or throws counts.":
      "Скрипт получает параметры в виде JSON в value; важно, что он вернёт или выбросит.",
    "There is no such media type.": "Такого способа оповещения нет.",
    "This is a test message.": "Это тестовое сообщение.",
    "Users lose their addresses for it.": "Пользователи потеряют свои адреса для него.",
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
