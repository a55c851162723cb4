import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "0 to 100 is expected": "ожидается от 0 до 100",
    "20 to 65535 is expected": "ожидается от 20 до 65535",
    "3D": "3D",
    "A graph shows several items in one picture.":
      "График показывает несколько элементов данных вместе.",
    "Add item": "Добавить элемент данных",
    "All graphs": "Все графики",
    Axes: "Оси",
    "Axis of item {n}": "Ось элемента {n}",
    "Color code of item {n}": "Код цвета элемента {n}",
    "Color of item {n}": "Цвет элемента {n}",
    "Dashed line": "Пунктирная линия",
    "Delete graph": "Удалить график",
    "Delete graph prototype": "Удалить прототип графика",
    Dot: "Точка",
    "Draw style of item {n}": "Стиль рисования элемента {n}",
    "Filled region": "Заполненная область",
    Fixed: "Фиксировано",
    "Function of item {n}": "Функция элемента {n}",
    "Gradient line": "Градиентная линия",
    "Graph prototype saved": "Прототип графика сохранён",
    "Graph saved": "График сохранён",
    "Graph sum": "Сумма графика",
    "Graph type": "Тип графика",
    "Graphs created from it are also deleted. Values are kept.":
      "Созданные по нему графики тоже удаляются. Значения сохраняются.",
    "Include items of other hosts": "И элементы данных других узлов сети",
    "It is also deleted from hosts that inherit it. Values are kept.":
      "Он удаляется и с узлов сети, которые его унаследовали. Значения сохраняются.",
    "Item {id}": "Элемент данных {id}",
    "Items are drawn in this order; stacked items from the bottom up.":
      "Элементы данных рисуются в этом порядке; с накоплением — снизу вверх.",
    "Left axis": "Левая ось",
    "Limits of the value axes, and percentile lines.": "Границы осей значений и линии процентилей.",
    "Link a template that has graphs, or select items in Latest data to draw them.":
      "Присоедините шаблон с графиками или выберите элементы данных в последних данных.",
    "New graph": "Новый график",
    "No graphs here": "Графиков здесь нет",
    "No items yet.": "Элементов данных ещё нет.",
    "No such item": "Такого элемента данных нет",
    "Other hosts": "Другие узлы сети",
    "Percentile line (left), %": "Линия процентиля (слева), %",
    "Percentile line (right), %": "Линия процентиля (справа), %",
    Preview: "Предпросмотр",
    "Remove item {n}": "Удалить элемент {n}",
    "Right axis": "Правая ось",
    Simple: "Простой",
    "The graph could not be deleted.": "Не удалось удалить график.",
    "The graph prototype could not be deleted.": "Не удалось удалить прототип графика.",
    "The graph prototype could not be saved.": "Не удалось сохранить прототип графика.",
    "The graphs could not be deleted.": "Не удалось удалить графики.",
    "There is no such graph prototype.": "Такого прототипа графика нет.",
    "There is no such graph.": "Такого графика нет.",
    "They are also deleted from hosts that inherit them. Values are kept.":
      "Они удаляются и с узлов сети, которые их унаследовали. Значения сохраняются.",
    "This graph comes from a template: change it there.":
      "Этот график из шаблона: измените его там.",
    "This graph prototype comes from a template: change it there. Only this setting can be changed here:":
      "Этот прототип графика из шаблона: измените его там. Здесь меняется только это:",
    "This graph was created by discovery: change its prototype.":
      "Этот график создан обнаружением: измените его прототип.",
    "Type of item {n}": "Тип элемента {n}",
    "Working time": "Рабочее время",
    "Y axis MAX value": "Максимальное значение оси Y",
    "Y axis MIN value": "Минимальное значение оси Y",
    "a number is expected": "ожидается число",
    "an item is required": "нужен элемент данных",
    "item {n}": "элемент {n}",
    "six hexadecimal digits are expected": "ожидаются шесть шестнадцатеричных цифр",
    "{name} and {n} others": "{name} и ещё {n}",
  },
  plurals: {
    "Delete {n} graphs?": ["Удалить {n} график?", "Удалить {n} графика?", "Удалить {n} графиков?"],
  },
};
