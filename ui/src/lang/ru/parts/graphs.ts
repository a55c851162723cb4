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
    "Discovery made this graph: change its prototype.":
      "Этот график создан обнаружением: измените его прототип.",
    Dot: "Точка",
    "Draw style of item {n}": "Стиль рисования элемента {n}",
    "Ends of both value axes, and percentile lines.":
      "Границы обеих осей значений и линии процентилей.",
    "Filled region": "Заполненная область",
    Fixed: "Фиксировано",
    "Function of item {n}": "Функция элемента {n}",
    "Gradient line": "Градиентная линия",
    "Graph prototype saved": "Прототип графика сохранён",
    "Graph saved": "График сохранён",
    "Graph sum": "Сумма графика",
    "Graph type": "Тип графика",
    "Graphs that were made of it go with it; values stay.":
      "Вместе с ним исчезнут созданные по нему графики; значения останутся.",
    "Hosts that inherit it lose it too; values stay.":
      "Узлы, которые его унаследовали, тоже его потеряют; значения останутся.",
    "Hosts that inherit them lose them too; values stay.":
      "Узлы, которые их унаследовали, тоже их потеряют; значения останутся.",
    "In the order in which they are drawn: stacked ones from the bottom.":
      "В порядке рисования: с накоплением — снизу вверх.",
    "Item {id}": "Элемент данных {id}",
    "Items of other hosts too": "И элементы данных других узлов сети",
    "Left axis": "Левая ось",
    "Lower end": "Нижняя граница",
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
    "Templates bring graphs; a selection in latest data is drawn without any.":
      "Графики дают шаблоны; выбор в последних данных рисуется и без них.",
    "The graph could not be deleted.": "Не удалось удалить график.",
    "The graph prototype could not be deleted.": "Не удалось удалить прототип графика.",
    "The graph prototype could not be saved.": "Не удалось сохранить прототип графика.",
    "The graphs could not be deleted.": "Не удалось удалить графики.",
    "There is no such graph prototype.": "Такого прототипа графика нет.",
    "There is no such graph.": "Такого графика нет.",
    "This graph comes from a template: change it there.":
      "Этот график из шаблона: измените его там.",
    "This graph prototype comes from a template: change it there. Only this is the host's own:":
      "Этот прототип графика из шаблона: измените его там. Здесь своё только это:",
    "Type of item {n}": "Тип элемента {n}",
    "Upper end": "Верхняя граница",
    "Working time": "Рабочее время",
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
