/** Names that flags use for TLS versions and cipher suites, as Node knows them. */

import { getCiphers } from "node:tls";

/** TLS 1.0 and 1.1 are not supported; a request for them selects the oldest supported version. */
export function minVersion(flag: string): "TLSv1.2" | "TLSv1.3" {
  return flag === "VersionTLS13" ? "TLSv1.3" : "TLSv1.2";
}

/**
 * IANA names (TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256) joined as OpenSSL names. Undefined: none given. Throws an Error that
 * names the suite when this Node does not know it.
 */
export function cipherList(suites: readonly string[]): string | undefined {
  if (suites.length === 0) return undefined;
  const known = new Set(getCiphers().map((name) => name.toUpperCase()));
  const names = suites.map((suite) => {
    const name = openSslName(suite);
    if (!known.has(name)) throw new Error(`the cipher suite ${suite} is not available`);
    return name;
  });
  return names.join(":");
}

/** TLS 1.3 suites keep their names; the others lose `TLS_`, `_WITH` and most underscores. */
function openSslName(suite: string): string {
  if (/^TLS_(AES|CHACHA20)_/.test(suite)) return suite;
  return suite
    .replace(/^TLS_RSA_WITH_/, "")
    .replace(/^TLS_/, "")
    .replace("_WITH_", "-")
    .replace(/AES_(128|256)_/, "AES$1-")
    .replace(/_CBC_/, "-")
    .replaceAll("_", "-")
    .replace(/AES(128|256)-CBC-/, "AES$1-")
    .replace(/(CHACHA20-POLY1305)-SHA256$/, "$1");
}
