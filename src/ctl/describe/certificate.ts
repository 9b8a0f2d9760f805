/** The contents of a certificate request, for people who approve it. */

import { parseCertificateRequestPem } from "../../base/csr.ts";

/** Titles and values; a request that cannot be parsed is reported as such. */
export function csrSubject(base64: string): [string, string][] {
  try {
    const { subject } = parseCertificateRequestPem(Buffer.from(base64, "base64").toString("utf8"));
    const of = (oid: string) =>
      subject.attributes
        .filter((one) => one.oid === oid)
        .map((one) => one.value)
        .join(",");
    return [
      ["Common Name", of("2.5.4.3")],
      ["Serial Number", of("2.5.4.5")],
      ...(of("2.5.4.10") === "" ? [] : [["Organization", of("2.5.4.10")] satisfies [string, string]]),
    ];
  } catch (error) {
    return [["Error", error instanceof Error ? error.message : "the request cannot be read"]];
  }
}
