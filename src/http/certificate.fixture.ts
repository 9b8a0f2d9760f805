/** Self-signed certificates for the tests of the listener. */

import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { PemConverter, X509CertificateGenerator } from "@peculiar/x509";
import type { ServingCertificate } from "./contract.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export async function selfSigned(name: string): Promise<{ key: string; certificate: string } & ServingCertificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: `CN=${name}`, keys, signingAlgorithm: algorithm, serialNumber: "01" },
    // The platform's own; the package's types expect the browser's.
    webcrypto as never,
  );
  const key = PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { key, certificate: certificate.toString("pem") };
}
