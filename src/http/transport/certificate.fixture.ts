/** Self-signed certificates for the tests of the listener. */

import { makeCertificate } from "../../base/certificate.suite.ts";
import { oid } from "../../base/x509.ts";
import type { ServingCertificate } from "../contract/listener.ts";

export function selfSigned(name: string): { key: string; certificate: string } & ServingCertificate {
  const { pem, privateKey } = makeCertificate({ subject: [[oid.commonName, name]] });
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), certificate: pem };
}
