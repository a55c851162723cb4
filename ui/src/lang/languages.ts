// The languages that the pages speak, and which of them a user gets: the user's own, else the server's default
// (both come with the session), else the one chosen on the login page of this browser, else the browser's.

import { type Catalogue, setCatalogue } from "@/lib/i18n";
import { readStored, writeStored } from "@/lib/local-storage";

export interface Language {
  /** BCP 47, without a region: what browsers ask for begins with it */
  readonly tag: string;
  /** what it calls itself */
  readonly name: string;
  /** values of a user's `lang` */
  readonly locales: readonly string[];
  /** nothing to load: the texts are written in it */
  readonly load?: () => Promise<Catalogue>;
}

const ENGLISH: Language = { tag: "en", name: "English", locales: ["en_US", "en_GB"] };

export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  {
    tag: "ru",
    name: "Русский",
    locales: ["ru_RU"],
    load: async () => (await import("./ru/catalogue")).RUSSIAN,
  },
];

const KEPT = "saker.language";

function kept(): string | undefined {
  return readStored(KEPT, (value) => (typeof value === "string" ? value : undefined));
}

/** The language of this browser for users who chose none. */
export function browserLanguage(): Language {
  for (const asked of [kept(), ...navigator.languages]) {
    const found = LANGUAGES.find(({ tag }) => asked?.toLowerCase().split("-")[0] === tag);
    if (found !== undefined) return found;
  }
  return ENGLISH;
}

/** The language of a session's `lang`; without one, and for "default", the browser's. */
export function languageOf(lang: string | undefined): Language {
  if (lang === undefined || lang === "" || lang === "default") return browserLanguage();
  // Zabbix has more locales than there are catalogues
  return LANGUAGES.find(({ locales }) => locales.includes(lang)) ?? ENGLISH;
}

let current = ENGLISH;

/** The language of the pages; of one whose catalogue did not arrive the texts are English. */
export function currentLanguage(): Language {
  return current;
}

/** Before the modules of pages are evaluated; afterwards a language is changed by reloading the page. */
export async function speak(language: Language): Promise<void> {
  current = language;
  const catalogue = await language.load?.().catch(() => undefined);
  document.documentElement.lang = catalogue === undefined ? ENGLISH.tag : language.tag;
  setCatalogue(catalogue);
}

/** For the login page of this browser; false: it keeps nothing. */
export function keepLanguage(language: Language): boolean {
  return writeStored(KEPT, language.tag);
}
