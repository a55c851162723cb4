// Time zones to choose from.

/** "default" under the name that it has there, and all that the browser knows. */
export function zoneOptions(usual: string): { value: string; label: string }[] {
  return [
    { value: "default", label: usual },
    ...Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone })),
  ];
}
