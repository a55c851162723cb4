// What the codes of the audit log stand for.

import { locale, t } from "@/lib/i18n";

const ACTIONS: Readonly<Record<string, string>> = {
  "0": t("Add"),
  "1": t("Update"),
  "2": t("Delete"),
  "4": t("Logout"),
  "7": t("Execute"),
  "8": t("Login"),
  "9": t("Failed login"),
  "10": t("History clear"),
  "11": t("Config refresh"),
  "12": t("Push"),
};

const RESOURCES: Readonly<Record<string, string>> = {
  "0": t("User"),
  "3": t("Media type"),
  "4": t("Host"),
  "5": t("Action"),
  "6": t("Graph"),
  "11": t("User group"),
  "13": t("Trigger"),
  "14": t("Host group"),
  "15": t("Item"),
  "16": t("Image"),
  "17": t("Value map"),
  "18": t("Service"),
  "19": t("Map"),
  "22": t("Web scenario"),
  "23": t("Network discovery rule"),
  "25": t("Script"),
  "26": t("Proxy"),
  "27": t("Maintenance"),
  "28": t("Regular expression"),
  "29": t("Macro"),
  "30": t("Template"),
  "31": t("Trigger prototype"),
  "32": t("Icon mapping"),
  "33": t("Dashboard"),
  "34": t("Event correlation"),
  "35": t("Graph prototype"),
  "36": t("Item prototype"),
  "37": t("Host prototype"),
  "38": t("Autoregistration"),
  "39": t("Module"),
  "40": t("Settings"),
  "41": t("Housekeeping"),
  "42": t("Authentication"),
  "43": t("Template dashboard"),
  "44": t("User role"),
  "45": t("API token"),
  "46": t("Scheduled report"),
  "47": t("High availability node"),
  "48": t("SLA"),
  "49": t("User directory"),
  "50": t("Template group"),
  "51": t("Connector"),
  "52": t("Discovery rule"),
  "53": t("History"),
};

function options(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, name]) => ({ value, label: name }));
}

export function actionOptions() {
  return options(ACTIONS);
}

export function resourceOptions() {
  return options(RESOURCES).sort((a, b) => a.label.localeCompare(b.label, locale()));
}

export function auditActionName(code: string): string {
  return ACTIONS[code] ?? code;
}

export function auditResourceName(code: string): string {
  return RESOURCES[code] ?? code;
}
