/** The variables by which containers find services: WEB_SERVICE_HOST, WEB_PORT_80_TCP_ADDR and so on. */

import type { Service } from "../../api/core/v1/service.ts";

/** The variables of services with an address, in order of their names. */
export function serviceVariables(services: readonly Service[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const { metadata, spec } of services) {
    const address = spec?.clusterIP ?? "";
    const [first] = spec?.ports ?? [];
    if (address === "" || address === "None" || first === undefined) continue;
    const name = inCapitals(metadata.name ?? "");
    variables.set(`${name}_SERVICE_HOST`, address);
    variables.set(`${name}_SERVICE_PORT`, String(first.port));
    for (const { name: port, port: number } of spec?.ports ?? [])
      if (port) variables.set(`${name}_SERVICE_PORT_${inCapitals(port)}`, String(number));
    for (const [at, { port, protocol = "TCP" }] of (spec?.ports ?? []).entries()) {
      const url = `${protocol.toLowerCase()}://${address.includes(":") ? `[${address}]` : address}:${port}`;
      const prefix = `${name}_PORT_${port}_${protocol.toUpperCase()}`;
      if (at === 0) variables.set(`${name}_PORT`, url);
      variables.set(prefix, url);
      variables.set(`${prefix}_PROTO`, protocol.toLowerCase());
      variables.set(`${prefix}_PORT`, String(port));
      variables.set(`${prefix}_ADDR`, address);
    }
  }
  return variables;
}

const inCapitals = (name: string): string => name.toUpperCase().replace(/-/g, "_");
