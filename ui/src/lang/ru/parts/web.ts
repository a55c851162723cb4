import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "1 to 10": "от 1 до 10",
    "1 to 10; of a step without a response": "от 1 до 10; для шага без ответа",
    "200,201,210-299; empty: any": "200,201,210-299; пусто: любые",
    "A scenario requests pages one after another, like a user.":
      "Сценарий запрашивает страницы одну за другой, как пользователь.",
    "Authentication and TLS": "Аутентификация и TLS",
    Changed: "Изменено",
    "Check requested": "Проверка запрошена",
    "Cookies are kept between steps.": "Куки сохраняются между шагами.",
    "Create them on a host or template, under Web.":
      "Создавайте их у узла сети или шаблона, в разделе «Веб».",
    "Delete web scenario": "Удалить веб-сценарий",
    "Form data": "Данные формы",
    "Headers (HEAD)": "Заголовки (HEAD)",
    "Headers (replace the headers of the scenario)": "Заголовки (заменяют заголовки сценария)",
    "Headers and body": "Заголовки и тело",
    "Inherited from a template: name, steps, proxy and certificates are changed there.":
      "Унаследован от шаблона: имя, шаги, прокси и сертификаты меняются там.",
    "Its items, their history and the triggers that use them are also deleted.":
      "Его элементы данных, их история и триггеры на них тоже будут удалены.",
    "Last run": "Последний запуск",
    "Name of the step": "Имя шага",
    "Names are written as {name}. A value that begins with regex:, jsonpath: or xmlxpath: is extracted from each response.":
      "Имена пишутся как {name}. Значение с началом regex:, jsonpath: или xmlxpath: извлекается из каждого ответа.",
    "New web scenario": "Новый веб-сценарий",
    "No web scenarios here": "Веб-сценариев здесь нет",
    "Not yet run": "Ещё не выполнялся",
    "Post type": "Тип POST-данных",
    "Query fields, variables, headers ({n})": "Поля запроса, переменные, заголовки ({n})",
    "Raw data": "Необработанные данные",
    "Raw post": "Текст запроса",
    "Required pattern": "Требуемая строка",
    Scenario: "Сценарий",
    "Search names, hosts, tags": "Поиск по именам, узлам сети, тегам",
    "Search names, steps, tags": "Поиск по именам, шагам, тегам",
    "Step {n}": "Шаг {n}",
    "Step {n} of {all} failed: {name}": "Шаг {n} из {all} не удался: {name}",
    Steps: "Шаги",
    "The web scenario could not be deleted.": "Не удалось удалить веб-сценарий.",
    "The web scenarios could not be changed.": "Не удалось изменить веб-сценарии.",
    "The web scenarios could not be deleted.": "Не удалось удалить веб-сценарии.",
    "The web scenarios could not be executed.": "Не удалось выполнить веб-сценарии.",
    "Their items, history and the triggers that use them are also deleted.":
      "Их элементы данных, история и триггеры на них тоже будут удалены.",
    "There is no such web scenario.": "Такого веб-сценария нет.",
    "User agent": "Агент пользователя",
    Variables: "Переменные",
    "Web scenario saved": "Веб-сценарий сохранён",
    "Web scenarios": "Веб-сценарии",
    "a regular expression that the response must match":
      "регулярное выражение, которому должен соответствовать ответ",
    "another step has this name": "это имя уже у другого шага",
    "post field": "поле формы",
    variable: "переменная",
    "write variable names as {name}": "имена переменных пишутся как {name}",
  },
  plurals: {
    "Delete {n} web scenarios?": [
      "Удалить {n} веб-сценарий?",
      "Удалить {n} веб-сценария?",
      "Удалить {n} веб-сценариев?",
    ],
    "{n} scenarios": ["{n} сценарий", "{n} сценария", "{n} сценариев"],
  },
};
