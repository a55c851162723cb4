import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "A slash makes a subgroup: Linux/Databases is a subgroup of Linux.":
      "Косая черта создаёт подгруппу: Linux/Databases — подгруппа группы Linux.",
    "Apply permissions to all subgroups?": "Применить права доступа ко всем подгруппам?",
    "Apply permissions to subgroups": "Применить права доступа к подгруппам",
    "Delete host group": "Удалить группу узлов сети",
    "Delete template group": "Удалить группу шаблонов",
    "Host group saved": "Группа узлов сети сохранена",
    "Its hosts are kept. A group that is the only one of a host is not deleted.":
      "Её узлы сети остаются. Группа, единственная у узла сети, не удаляется.",
    "Its templates are kept. A group that is the only one of a template is not deleted.":
      "Её шаблоны остаются. Группа, единственная у шаблона, не удаляется.",
    "New host group": "Новая группа узлов сети",
    "New template group": "Новая группа шаблонов",
    "Permissions and tag filters of user groups on the subgroups are replaced.":
      "Права доступа и фильтры тегов групп пользователей на подгруппы будут заменены.",
    "Permissions applied to the subgroups": "Права доступа применены к подгруппам",
    "Permissions of user groups on the subgroups are replaced.":
      "Права доступа групп пользователей на подгруппы будут заменены.",
    "Template group saved": "Группа шаблонов сохранена",
    "The host group could not be deleted.": "Не удалось удалить группу узлов сети.",
    "The permissions could not be applied.": "Не удалось применить права доступа.",
    "The template group could not be deleted.": "Не удалось удалить группу шаблонов.",
    "There are no host groups yet.": "Групп узлов сети пока нет.",
    "There are no template groups yet.": "Групп шаблонов пока нет.",
    "There is no such host group.": "Такой группы узлов сети нет.",
    "There is no such template group.": "Такой группы шаблонов нет.",
    "This group was created by discovery: change its prototype.":
      "Эта группа создана обнаружением: измените её прототип.",
  },
  plurals: {
    "{n} host groups": ["{n} группа узлов сети", "{n} группы узлов сети", "{n} групп узлов сети"],
    "{n} template groups": ["{n} группа шаблонов", "{n} группы шаблонов", "{n} групп шаблонов"],
  },
};
