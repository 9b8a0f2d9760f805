/** What is wrong with a certificate and its private key. */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { parsePem } from "../../../base/pem.ts";

/** Both are PEM in base64. The first certificate is that of the key; others complete its chain. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const first = parsePem(textOf(certificate)).find(({ label }) => label === "CERTIFICATE");
  if (first === undefined) return "tls.crt: no PEM block holds a certificate";
  const text = textOf(key);
  if (!parsePem(text).some(({ label }) => label.endsWith("PRIVATE KEY"))) {
    return "tls.key: no PEM block holds a private key";
  }
  const parsed = attempt(() => new X509Certificate(first.der));
  if (parsed === undefined) return "tls.crt: the certificate cannot be read";
  const secret = attempt((): KeyObject => createPrivateKey(text));
  if (secret === undefined) return "tls.key: the private key cannot be read";
  return parsed.checkPrivateKey(secret) ? undefined : "tls.key: the private key does not belong to the certificate";
}

const textOf = (encoded: string) => Buffer.from(encoded, "base64").toString("latin1");

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The reason may quote the secret.
    return undefined;
  }
}
