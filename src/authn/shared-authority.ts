/** Detects a configuration that lets every client impersonate any user: one authority for clients and the front proxy. */

import { X509Certificate } from "node:crypto";
import { parsePem } from "../base/pem.ts";

/**
 * What is wrong with the configuration, for the operator; undefined: nothing. With an authority in both bundles and
 * no allowed names, any client certificate is accepted as the proxy's, and its holder can name any user.
 */
export function sharedAuthorityProblem(options: {
  readonly clientCa: string;
  readonly proxyCa: string;
  readonly allowedNames: readonly string[];
}): string | undefined {
  const { clientCa, proxyCa, allowedNames } = options;
  if (allowedNames.length > 0) return undefined;
  const keys = publicKeys(clientCa);
  if (!publicKeys(proxyCa).some((key) => keys.includes(key))) return undefined;
  return (
    "--client-ca-file and --requestheader-client-ca-file share an authority, so every client could act as any user; " +
    "use another authority for the proxy, or name its certificate with --requestheader-allowed-names"
  );
}

/** Keys rather than certificates: one authority may have been certified twice. */
function publicKeys(bundle: string): string[] {
  return parsePem(bundle)
    .filter(({ label }) => label === "CERTIFICATE")
    .map(({ der }) => new X509Certificate(der).publicKey.export({ type: "spki", format: "der" }).toString("base64"));
}
