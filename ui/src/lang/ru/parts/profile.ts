import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A new password ends all your other sessions.":
      "Новый пароль завершает все остальные ваши сессии.",
    "Auto-login: stay signed in after the browser is closed":
      "Автовход: оставаться в системе после закрытия браузера",
    "Dark, high contrast": "Тёмная, высокий контраст",
    "Light, high contrast": "Светлая, высокий контраст",
    "Page after login": "Страница после входа",
    Preferences: "Предпочтения",
    "Profile saved": "Профиль сохранён",
    Refresh: "Обновление",
    "Rows per page": "Строк на странице",
    "lists scroll without paging; the host list loads this many rows at a time":
      "списки прокручиваются без страниц; список узлов сети загружает столько строк за раз",
    "stored for API clients; these pages update live":
      "хранится для клиентов API; эти страницы обновляются сами",
  },
  plurals: {},
};
