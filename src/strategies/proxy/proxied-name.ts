/** The name in the path of a proxied request, which may contain a scheme and a port: "https:web:8443". */

import { badRequest } from "../../machinery/status/status.ts";

export interface ProxiedName {
  /** Undefined: not given. */
  readonly scheme: "http" | "https" | undefined;
  readonly name: string;
  /** A number or the name of a port; "": not given. */
  readonly port: string;
}

/** Reads "NAME", "NAME:PORT" or "SCHEME:NAME:PORT"; anything else is a 400. */
export function parseProxiedName(text: string, resource: string): ProxiedName {
  const parts = text.split(":");
  const invalid = () => badRequest(`invalid ${resource} request "${text.slice(0, 253)}"`);
  if (parts.length > 3) throw invalid();
  const [scheme, name = "", port = ""] = parts.length === 3 ? parts : [undefined, ...parts];
  if (name === "" || (scheme !== undefined && scheme !== "http" && scheme !== "https")) throw invalid();
  return { scheme, name, port };
}

/** Undefined: not a number that a port can have. */
export function portNumber(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}
