/** The name in the path of a proxied request, which may contain a scheme and a port: "https:web:8443". */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

interface ProxiedName {
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

const anyCertificateAnnotation = "proxy.orch.io/insecure-skip-tls-verify";

/** Whether the owner of a pod, service or node accepts any certificate of its HTTPS server. */
export function acceptsAnyCertificate({ metadata }: ApiObject, vocabulary: Vocabulary): boolean {
  return metadata.annotations?.[vocabulary.word(anyCertificateAnnotation)] === "true";
}
