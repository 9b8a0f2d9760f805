import { expect, test } from "vitest";
import { cipherList, minVersion } from "./tls-names.ts";

const rows = [
  { iana: "TLS_AES_128_GCM_SHA256", openSsl: "TLS_AES_128_GCM_SHA256" },
  { iana: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", openSsl: "ECDHE-RSA-AES128-GCM-SHA256" },
  { iana: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", openSsl: "ECDHE-ECDSA-AES256-GCM-SHA384" },
  { iana: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", openSsl: "ECDHE-RSA-CHACHA20-POLY1305" },
  { iana: "TLS_RSA_WITH_AES_128_GCM_SHA256", openSsl: "AES128-GCM-SHA256" },
  { iana: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", openSsl: "ECDHE-RSA-AES128-SHA" },
];
for (const { iana, openSsl } of rows) {
  test(`${iana} is ${openSsl}`, () => expect(cipherList([iana])).toBe(openSsl));
}

test("suites are joined, and an unknown one is named", () => {
  expect(cipherList([])).toBeUndefined();
  expect(cipherList(["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"])).toBe(
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384",
  );
  expect(() => cipherList(["TLS_NULL_WITH_NULL"])).toThrow(/TLS_NULL_WITH_NULL is not available/);
});

test("versions below 1.2 become 1.2", () => {
  expect(minVersion("VersionTLS10")).toBe("TLSv1.2");
  expect(minVersion("VersionTLS13")).toBe("TLSv1.3");
});
