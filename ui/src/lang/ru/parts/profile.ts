import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Dark, high contrast": "Тёмная, высокий контраст",
    "Light, high contrast": "Светлая, высокий контраст",
    "Page after the login": "Страница после входа",
    Preferences: "Предпочтения",
    "Profile saved": "Профиль сохранён",
    Refresh: "Обновление",
    "Rows per page": "Строк на странице",
    "Stay signed in when the browser is closed": "Оставаться в системе после закрытия браузера",
    "With a new password all other sessions of yours end.":
      "С новым паролем закончатся все ваши другие сессии.",
    "kept for clients: these pages are live": "хранится для клиентов: эти страницы живые",
    "lists scroll without pages; the list of hosts fetches so many at once":
      "списки прокручиваются без страниц; список узлов запрашивает столько строк за раз",
  },
  plurals: {},
};
