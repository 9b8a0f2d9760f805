import { describe, expect, test } from "vitest";
import { makeRequest } from "../../base/certificate.suite.ts";
import { writeDer, writeExtension } from "../../base/der-write.ts";
import { readCertificateRequest } from "./certificate-request.ts";

const base64 = (text: string) => btoa(text);

describe("a certificate request", () => {
  test("is read with its names and addresses", () => {
    const names = writeDer(
      0x30,
      writeDer(0x82, Buffer.from("web.example.com")),
      writeDer(0x87, Buffer.from([10, 0, 0, 1])),
      writeDer(0x87, Buffer.from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
    );
    const { pem } = makeRequest(
      [
        ["2.5.4.10", "system:nodes"],
        ["2.5.4.10", "größe"],
        ["2.5.4.3", "system:node:a"],
      ],
      [writeExtension("2.5.29.17", names)],
    );
    expect(readCertificateRequest(base64(pem))).toEqual({
      commonName: "system:node:a",
      organizations: ["system:nodes", "größe"],
      names: ["web.example.com", "10.0.0.1", "2001:0db8:0000:0000:0000:0000:0000:0001"],
    });
  });

  test("without extensions has no names", () => {
    expect(readCertificateRequest(base64(makeRequest([["2.5.4.3", "ann"]]).pem)).names).toEqual([]);
  });

  test.each([
    ["no PEM", "hello"],
    ["empty", "-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----"],
    ["cut off", "-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----"],
    ["of an indefinite length", "-----BEGIN CERTIFICATE REQUEST-----\nMIAAAA==\n-----END CERTIFICATE REQUEST-----"],
  ])("that is %s is refused", (_what, pem) => {
    expect(() => readCertificateRequest(base64(pem))).toThrow(/certificate request/);
  });
});
