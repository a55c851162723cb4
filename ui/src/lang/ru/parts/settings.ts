import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A trigger that changes so often within the period sends nothing until it is calm for one; 0 for never.":
      "Триггер, меняющийся так часто за период, ничего не отправляет, пока не успокоится на один период; 0 — никогда.",
    "As for history.": "Как для истории.",
    "Attribution text": "Текст об авторстве",
    "Audit data storage period": "Период хранения аудита",
    "Autoregistration data storage period": "Период хранения данных авторегистрации",
    "Browsers ask the host of the tile URL for pictures, and nobody else. Without one coasts and borders are drawn.":
      "Браузеры запрашивают картинки у узла из адреса тайлов и ни у кого больше. Без адреса рисуются берега и границы.",
    "Counted from their last use.": "Считается от последнего использования.",
    "Default host inventory mode": "Режим инвентаря узла сети по умолчанию",
    "Delete old audit records": "Удалять старые записи аудита",
    "Delete old events": "Удалять старые события",
    "Delete old sessions": "Удалять старые сессии",
    "Delete old trends": "Удалять старую динамику изменений",
    "Delete old values": "Удалять старые значения",
    "Display OK triggers for": "Показывать триггеры ОК в течение",
    "Enable audit logging": "Вести журнал аудита",
    "Events and alerts": "События и оповещения",
    Flapping: "Мерцание",
    "Geographical maps": "Географические карты",
    "History storage period": "Период хранения истории",
    "Internal data storage period": "Период хранения внутренних данных",
    "Interval of digests, 10s to 1d": "Интервал сводок, от 10s до 1d",
    "Log system actions": "Записывать действия системы",
    "Login attempts": "Попыток входа",
    "Login blocking interval": "Интервал блокировки входа",
    "Logins that fail, and what links may be.": "Неудачные входы и какими могут быть ссылки.",
    "Max zoom level, 1 to 30; 0 for 18": "Макс. масштаб, от 1 до 30; 0 — 18",
    "Names of severities, and for how long resolved problems count as recent.":
      "Имена важностей и как долго решённые проблемы считаются недавними.",
    "Network discovery data storage period": "Период хранения данных обнаружения сети",
    "Of items that have none of their own. Periods from 1s to 600s, or user macros.":
      "Для элементов без собственного. Периоды от 1s до 600s или пользовательские макросы.",
    "Other settings of Zabbix are kept by the API, and do nothing yet.":
      "Остальные настройки Zabbix хранит API, они пока ничего не делают.",
    "Override item history period": "Заменить период хранения истории элементов",
    "Override item trend period": "Заменить период хранения динамики элементов",
    "Period, 1m to 30m": "Период, от 1m до 30m",
    "Periods as 31d or 12h.": "Периоды вида 31d или 12h.",
    "Problems go with their events once they ended longer ago; open ones stay.":
      "Проблемы удаляются со своими событиями, если закончились раньше; открытые остаются.",
    "Providers by name are kept, and not asked.":
      "Поставщики по имени хранятся, но не запрашиваются.",
    "Rounded up to 1, 7, 31, 90 or 365 days or for ever. A changed period counts for values that come from then on.":
      "Округляется вверх до 1, 7, 31, 90 или 365 дней или навсегда. Новый период действует для значений, пришедших после.",
    Security: "Безопасность",
    "Service data storage period": "Период хранения данных услуг",
    "Session data storage period": "Период хранения сессий",
    "Settings saved": "Настройки сохранены",
    "Storm digest": "Сводка при шторме",
    "TELNET agent": "TELNET агент",
    "Tile URL": "URL тайлов",
    "Tile provider": "Поставщик тайлов",
    "Timeouts for item types": "Время ожидания по типам элементов данных",
    "Trend storage period": "Период хранения динамики изменений",
    "Trigger data storage period": "Период хранения данных триггеров",
    "Trigger displaying options": "Параметры отображения триггеров",
    "User sessions": "Сессии пользователей",
    "Valid URI schemes": "Допустимые схемы URI",
    "Validate URI schemes": "Проверять схемы URI",
    "What follows so many messages to one recipient within the period is put together, and told at intervals; 0 for never.":
      "Всё после стольких сообщений одному получателю за период собирается вместе и отправляется с интервалом; 0 — никогда.",
    "Within, 10s to 1h": "За период, от 10s до 1h",
  },
  plurals: {},
};
