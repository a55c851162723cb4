// @vitest-environment happy-dom

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { locale, plural, setCatalogue, t } from "@/lib/i18n";
import { dayName, formatAge, monthName } from "@/lib/time";
import { formatCount, formatUptime } from "@/lib/units";
import { browserLanguage, currentLanguage, keepLanguage, languageOf, speak } from "./languages";
import { localeOptions } from "./locale-options";

function browserAsksFor(...languages: string[]) {
  vi.spyOn(navigator, "languages", "get").mockReturnValue(languages);
}

beforeEach(() => browserAsksFor("en-US"));

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
  setCatalogue();
});

describe("the language of the pages", () => {
  it("is the user's", () => {
    expect(languageOf("ru_RU").tag).toBe("ru");
    expect(languageOf("en_GB").tag).toBe("en");
    browserAsksFor("ru-RU");
    expect(languageOf("en_US").tag).toBe("en");
  });

  it("is English for those of Zabbix's that have no catalogue", () => {
    browserAsksFor("ru-RU");
    expect(languageOf("ja_JP").tag).toBe("en");
  });

  it.each([
    ["ru", ["ru-RU", "en-US"]],
    ["ru", ["de-DE", "RU"]],
    ["en", ["en-GB", "ru"]],
    ["en", ["de"]],
    ["en", []],
  ])("is %s for a browser that asks for %j", (tag, asked) => {
    browserAsksFor(...asked);
    expect(languageOf("default").tag).toBe(tag);
    expect(languageOf(undefined).tag).toBe(tag);
  });

  it("is what was chosen on the login page, for users without a choice of their own", () => {
    const russian = languageOf("ru_RU");
    expect(keepLanguage(russian)).toBe(true);
    expect(browserLanguage()).toBe(russian);
    expect(languageOf("en_US").tag).toBe("en");
    localStorage.setItem("saker.language", "no json");
    expect(browserLanguage().tag).toBe("en");
  });

  it("is offered by its own name, next to one that clients have set", () => {
    const values = (set: string) => localeOptions(set).map(({ value }) => value);
    expect(values("ru_RU")).toEqual(["default", "en_US", "en_GB", "ru_RU"]);
    expect(values("ja_JP")).toContain("ja_JP");
    expect(localeOptions("default").at(-1)?.label).toBe("Русский (ru_RU)");
  });
});

describe("Russian", () => {
  beforeEach(() => speak(languageOf("ru_RU")));

  it("is what the document says", () => {
    expect(currentLanguage().tag).toBe("ru");
    expect(document.documentElement.lang).toBe("ru");
    expect(locale()).toBe("ru");
  });

  it("has its texts, with values in them", () => {
    expect(t("Problems")).toBe("Проблемы");
    expect(t("no text of the pages")).toBe("no text of the pages");
  });

  it.each([
    [0, "0 узлов сети"],
    [1, "1 узел сети"],
    [2, "2 узла сети"],
    [5, "5 узлов сети"],
    [11, "11 узлов сети"],
    [21, "21 узел сети"],
    [112, "112 узлов сети"],
    [1234, "1\u00a0234 узла сети"],
  ])("counts %d", (n, text) => {
    expect(plural(n, "1 host", "{n} hosts")).toBe(text);
  });

  it("has its numbers and dates", () => {
    expect(formatCount(1_234_567)).toBe("1\u00a0234\u00a0567");
    expect(formatUptime(3 * 86_400 + 61)).toBe("3 дня, 00:01:01");
    expect(dayName(2026, 11, 20)).toBe("20 ноября");
    expect(monthName(2026, 11, false)).toBe("Ноябрь");
    expect(monthName(2026, 11, true)).toContain("Ноябрь 2026");
  });
});

describe("English", () => {
  beforeEach(() => speak(languageOf("en_US")));

  it("needs no catalogue", () => {
    expect(document.documentElement.lang).toBe("en");
    expect(plural(1, "1 host", "{n} hosts")).toBe("1 host");
    expect(plural(21, "1 host", "{n} hosts")).toBe("21 hosts");
    expect(plural(1234, "1 host", "{n} hosts")).toBe("1,234 hosts");
    expect(dayName(2026, 11, 20)).toBe("20 November");
    expect(monthName(2026, 11, true)).toBe("November 2026");
    expect(formatAge(125)).toBe("2m 5s");
  });
});
