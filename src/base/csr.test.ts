import { describe, expect, test } from "vitest";
import { makeCertificate, makeRequest } from "./certificate.suite.ts";
import { parseCertificateRequestPem, requestBytesMax, verifyCertificateRequest } from "./csr.ts";
import { writeDer, writeExtension } from "./der-write.ts";
import { parsePem, writePem } from "./pem.ts";
import { commonName, nameValues, oid } from "./x509.ts";

const ann = [
  ["2.5.4.10", "dev"],
  ["2.5.4.10", "ops"],
  ["2.5.4.3", "ann"],
] as const;

describe("certificate requests", () => {
  test("subject, names and signature are read", () => {
    const names = writeDer(
      0x30,
      writeDer(0x82, Buffer.from("a.example")),
      writeDer(0x87, Buffer.from([10, 0, 0, 1])),
      writeDer(0x81, Buffer.from("x@y")),
      writeDer(0x86, Buffer.from("https://z")),
    );
    const request = parseCertificateRequestPem(makeRequest(ann, [writeExtension("2.5.29.17", names)]).pem);
    expect(commonName(request.subject)).toBe("ann");
    expect(nameValues(request.subject, oid.organization)).toEqual(["dev", "ops"]);
    expect(request.alternativeNames).toEqual({
      dns: ["a.example"],
      ips: [Buffer.from([10, 0, 0, 1])],
      emails: ["x@y"],
      uris: ["https://z"],
      other: 0,
    });
    expect(verifyCertificateRequest(request)).toBe(true);
  });

  test("a request that was changed after signing does not verify", () => {
    const { der: bytes } = makeRequest(ann);
    const changed = Buffer.from(bytes);
    changed[changed.indexOf("ann")] = "b".charCodeAt(0);
    const request = parseCertificateRequestPem(writePem("CERTIFICATE REQUEST", changed));
    expect(commonName(request.subject)).toBe("bnn");
    expect(verifyCertificateRequest(request)).toBe(false);
  });

  test("text around the block is ignored; another type of block, or none, is refused", () => {
    const { pem } = makeRequest(ann);
    expect(commonName(parseCertificateRequestPem(`before\n${pem}after`).subject)).toBe("ann");
    const certificate = makeCertificate({ subject: ann });
    for (const text of ["", "nonsense", certificate.pem, writePem("CERTIFICATE REQUEST", certificate.der)]) {
      expect(() => parseCertificateRequestPem(text)).toThrow(Error);
    }
  });

  test("ten thousand names and a megabyte are read or refused quickly (N27 in docs/security-rows.md)", () => {
    const many = writeDer(
      0x30,
      Array.from({ length: 10_000 }, (_, i) => writeDer(0x82, Buffer.from(`h${i}.example`))),
    );
    const { pem } = makeRequest(ann, [writeExtension("2.5.29.17", many)]);
    expect(parseCertificateRequestPem(pem).alternativeNames.dns).toHaveLength(10_000);
    expect(() => parseCertificateRequestPem(pem.padEnd(requestBytesMax + 1))).toThrow("too large");
  });
});

describe("PEM", () => {
  test("blocks are found in order, broken ones are skipped", () => {
    const text = `x\n${writePem("A", Buffer.from("one"))}-----BEGIN B-----\n!!\n-----END B-----\n${writePem("C", Buffer.from("two"))}`;
    expect(parsePem(text).map(({ label, der: bytes }) => [label, bytes.toString()])).toEqual([
      ["A", "one"],
      ["C", "two"],
    ]);
  });

  test("headers are read", () => {
    const [block] = parsePem("-----BEGIN A-----\nProc-Type: 4\n\nb25l\n-----END A-----\n");
    expect(block).toMatchObject({ hasHeaders: true, der: Buffer.from("one") });
  });
});
