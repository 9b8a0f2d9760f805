import { describe, expect, test } from "vitest";
import { makeCertificate, newKeys } from "../base/certificate.suite.ts";
import { sharedAuthorityProblem } from "./shared-authority.ts";

describe("one authority for clients and proxy (A01 in docs/security-rows.md)", () => {
  const keys = newKeys();
  const clients = makeCertificate({ subject: [["2.5.4.3", "clients"]], authority: true, keys }).pem;
  const renamed = makeCertificate({ subject: [["2.5.4.3", "proxy"]], authority: true, keys, serial: 2 }).pem;
  const other = makeCertificate({ subject: [["2.5.4.3", "clients"]], authority: true }).pem;

  test("is refused with a sentence that names the flags, also when it was certified twice", () => {
    for (const proxyCa of [clients, renamed, other + renamed]) {
      expect(sharedAuthorityProblem({ clientCa: other + clients, proxyCa, allowedNames: [] })).toMatch(
        /--client-ca-file.*--requestheader-client-ca-file.*--requestheader-allowed-names/,
      );
    }
  });
  test("is accepted if names are required; two authorities of the same name are different", () => {
    expect(sharedAuthorityProblem({ clientCa: clients, proxyCa: clients, allowedNames: ["front"] })).toBeUndefined();
    expect(sharedAuthorityProblem({ clientCa: clients, proxyCa: other, allowedNames: [] })).toBeUndefined();
  });
});
