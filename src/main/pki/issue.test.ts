import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { parsePem } from "../../base/pem.ts";
import { nameValues, oid, parseCertificate } from "../../base/x509.ts";
import { authorityLifeMs, issueAuthority, issueClient, issueServing, leafLifeMs } from "./issue.ts";

const clock = createManualClock(Date.parse("2031-05-06T07:08:09Z"));
const authority = issueAuthority("orch-authority", clock);
const parsed = (pem: string) => parseCertificate(parsePem(pem)[0]!.der);

describe("issued certificates", () => {
  test("an authority is self-signed and valid for ten years, its certificates for one", () => {
    const root = new X509Certificate(authority.certificate);
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    const { notBeforeMs, notAfterMs, isAuthority, mayIssue } = parsed(authority.certificate);
    expect({ isAuthority, mayIssue }).toEqual({ isAuthority: true, mayIssue: true });
    expect(notBeforeMs).toBeLessThan(clock.now());
    expect(notAfterMs).toBe(clock.now() + authorityLifeMs);
    const leaf = parsed(issueServing(authority, { commonName: "orch", hosts: ["localhost"] }, clock).certificate);
    expect(leaf.notAfterMs).toBe(clock.now() + leafLifeMs);
    expect({ isAuthority: leaf.isAuthority, mayIssue: leaf.mayIssue }).toEqual({ isAuthority: false, mayIssue: false });
  });

  test("a serving certificate is valid for each of its names and addresses, and for no other", () => {
    const hosts = ["localhost", "orch.default.svc", "127.0.0.1", "::1", "2001:db8::7"];
    const pair = issueServing(authority, { commonName: "orch", hosts }, clock);
    const certificate = new X509Certificate(pair.certificate);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    for (const host of hosts) expect(certificate.checkHost(host) ?? certificate.checkIP(host), host).toBe(host);
    expect(certificate.checkHost("example.com")).toBeUndefined();
    expect(certificate.checkIP("127.0.0.2")).toBeUndefined();
    expect(parsed(pair.certificate).extendedKeyUsage).toEqual([oid.serverAuth]);
  });

  test("a client certificate contains any user and groups exactly", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 5 }), (commonName, organizations) => {
        const { certificate } = issueClient(authority, { commonName, organizations }, clock);
        const { subject, extendedKeyUsage } = parsed(certificate);
        expect(nameValues(subject, oid.commonName)).toEqual([commonName]);
        expect(nameValues(subject, oid.organization)).toEqual(organizations);
        expect(extendedKeyUsage).toEqual([oid.clientAuth]);
      }),
      { numRuns: 50 },
    );
  });

  test("times from 2050 on have four digits of the year", () => {
    const later = createManualClock(Date.parse("2049-12-31T23:59:59Z"));
    const { notBeforeMs, notAfterMs } = parsed(issueAuthority("late", later).certificate);
    expect(notBeforeMs).toBeLessThan(later.now());
    expect(notAfterMs).toBe(later.now() + authorityLifeMs);
  });

  test("no two serial numbers are equal", () => {
    const serials = Array.from({ length: 50 }, () => parsed(issueAuthority("one", clock).certificate).serial);
    expect(new Set(serials).size).toBe(50);
    expect(serials.every((serial) => serial.length === 32)).toBe(true);
  });
});
