// What the codes of the audit log stand for.

import { t } from "@/lib/i18n";

const ACTIONS: Readonly<Record<string, string>> = {
  "0": "Add",
  "1": "Update",
  "2": "Delete",
  "4": "Logout",
  "7": "Execute",
  "8": "Login",
  "9": "Failed login",
  "10": "History clear",
  "11": "Config refresh",
  "12": "Push",
};

const RESOURCES: Readonly<Record<string, string>> = {
  "0": "User",
  "3": "Media type",
  "4": "Host",
  "5": "Action",
  "6": "Graph",
  "11": "User group",
  "13": "Trigger",
  "14": "Host group",
  "15": "Item",
  "16": "Image",
  "17": "Value map",
  "18": "Service",
  "19": "Map",
  "22": "Web scenario",
  "23": "Network discovery rule",
  "25": "Script",
  "26": "Proxy",
  "27": "Maintenance",
  "28": "Regular expression",
  "29": "Macro",
  "30": "Template",
  "31": "Trigger prototype",
  "32": "Icon mapping",
  "33": "Dashboard",
  "34": "Event correlation",
  "35": "Graph prototype",
  "36": "Item prototype",
  "37": "Host prototype",
  "38": "Autoregistration",
  "39": "Module",
  "40": "Settings",
  "41": "Housekeeping",
  "42": "Authentication",
  "43": "Template dashboard",
  "44": "User role",
  "45": "API token",
  "46": "Scheduled report",
  "47": "High availability node",
  "48": "SLA",
  "49": "User directory",
  "50": "Template group",
  "51": "Connector",
  "52": "Discovery rule",
  "53": "History",
};

function options(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, name]) => ({ value, label: t(name) }));
}

export function actionOptions() {
  return options(ACTIONS);
}

export function resourceOptions() {
  return options(RESOURCES).sort((a, b) => a.label.localeCompare(b.label));
}

export function actionName(code: string): string {
  return t(ACTIONS[code] ?? code);
}

export function resourceName(code: string): string {
  return t(RESOURCES[code] ?? code);
}
