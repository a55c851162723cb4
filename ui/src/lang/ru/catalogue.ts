// The Russian catalogue: one file a part of the pages (`npm run texts` writes them). Terms are those of Zabbix's
// Russian pages; where it has none, the plain word that its documentation would take.

import type { Catalogue, CataloguePart } from "@/lib/i18n";
import { FORMS } from "./forms";

const PARTS = Object.values(
  import.meta.glob<CataloguePart>("./parts/*.ts", { eager: true, import: "PART" }),
);

export const RUSSIAN: Catalogue = {
  tag: "ru",
  forms: FORMS,
  texts: Object.assign({}, ...PARTS.map(({ texts }) => texts)),
  plurals: Object.assign({}, ...PARTS.map(({ plurals }) => plurals)),
};
