import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "After this many messages to one recipient within the period, further messages are collected and sent as digests at the interval. 0: never.":
      "После стольких сообщений одному получателю за период следующие собираются в сводки и отправляются с интервалом. 0: никогда.",
    "Attribution text": "Текст об авторстве",
    "Audit data storage period": "Период хранения аудита",
    "Autoregistration data storage period": "Период хранения данных авторегистрации",
    "Browsers load map images only from the host in the tile URL. Without a URL, only coasts and borders are drawn.":
      "Браузеры загружают изображения карты только с узла из URL тайлов. Без URL рисуются только берега и границы.",
    "Default host inventory mode": "Режим инвентаря узла сети по умолчанию",
    "Delete old audit records": "Удалять старые записи аудита",
    "Delete old events": "Удалять старые события",
    "Delete old sessions": "Удалять старые сессии",
    "Delete old trends": "Удалять старую динамику изменений",
    "Delete old values": "Удалять старые значения",
    "Display OK triggers for": "Показывать триггеры ОК в течение",
    "Enable audit logging": "Вести журнал аудита",
    "Events and alerts": "События и оповещения",
    "Failed logins and allowed links.": "Неудачные входы и допустимые ссылки.",
    Flapping: "Частая смена состояния",
    "For items without a timeout of their own. Periods from 1s to 600s, or user macros.":
      "Для элементов данных без собственного времени ожидания. Периоды от 1s до 600s или пользовательские макросы.",
    "Geographical maps": "Географические карты",
    "History storage period": "Период хранения истории",
    "If a trigger changes this often within the period, no messages are sent until it is stable for one period. 0: never.":
      "Если триггер меняется столько раз за период, сообщения не отправляются, пока он не будет стабилен в течение одного периода. 0: никогда.",
    "Internal data storage period": "Период хранения внутренних данных",
    "Interval of digests, 10s to 1d": "Интервал сводок, от 10s до 1d",
    "Log system actions": "Записывать действия системы",
    "Login attempts": "Попыток входа",
    "Login blocking interval": "Интервал блокировки входа",
    "Max zoom level, 1 to 30; 0: 18": "Макс. масштаб, от 1 до 30; 0 — 18",
    "Named providers are stored but not used.":
      "Именованные поставщики хранятся, но не используются.",
    "Network discovery data storage period": "Период хранения данных обнаружения сети",
    "Other settings of Zabbix are stored by the API and have no effect yet.":
      "Остальные настройки Zabbix хранит API, но они пока не действуют.",
    "Override item history period": "Заменить период хранения истории элементов",
    "Override item trend period": "Заменить период хранения динамики элементов",
    "Period, 1m to 30m": "Период, от 1m до 30m",
    "Periods such as 31d or 12h.": "Периоды вида 31d или 12h.",
    "Resolved problems older than the period are deleted with their events. Open problems are kept.":
      "Решённые проблемы старше периода удаляются вместе с событиями. Открытые остаются.",
    "Rounded up to 1, 7, 31, 90 or 365 days or forever. A changed period applies to values received after the change.":
      "Округляется вверх до 1, 7, 31, 90 или 365 дней или навсегда. Новый период действует для значений, полученных после изменения.",
    Security: "Безопасность",
    "Service data storage period": "Период хранения данных услуг",
    "Session data storage period": "Период хранения сессий",
    "Settings saved": "Настройки сохранены",
    "Severity names and the time for which resolved problems are recent.":
      "Имена важностей и время, в течение которого решённые проблемы считаются недавними.",
    "Storm digest": "Сводка при шторме сообщений",
    "TELNET agent": "TELNET агент",
    "The period is counted from the last use.": "Период отсчитывается от последнего использования.",
    "The same rules as for history.": "Как для истории.",
    "Tile URL": "URL тайлов",
    "Tile provider": "Поставщик тайлов",
    "Timeouts for item types": "Время ожидания по типам элементов данных",
    "Trend storage period": "Период хранения динамики изменений",
    "Trigger data storage period": "Период хранения данных триггеров",
    "Trigger displaying options": "Параметры отображения триггеров",
    "User sessions": "Сессии пользователей",
    "Valid URI schemes": "Допустимые схемы URI",
    "Validate URI schemes": "Проверять схемы URI",
    "Within, 10s to 1h": "За период, от 10s до 1h",
  },
  plurals: {},
};
