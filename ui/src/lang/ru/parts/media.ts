import type { CataloguePart } from "@/lib/i18n";

export const PART: CataloguePart = {
  texts: {
    "Actions cannot notify you until you add media.":
      "Действия не смогут вас оповестить, пока вы не добавите оповещение.",
    "Media saved": "Оповещения сохранены",
  },
  plurals: {},
};
