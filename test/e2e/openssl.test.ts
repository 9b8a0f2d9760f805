import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../src/base/clock.ts";
import { issueAuthority, issueClient, issueServing } from "../../src/main/pki/issue.ts";
import { describeWith, openssl, run } from "./programs.ts";

const clock = createManualClock(Date.parse("2031-05-06T07:08:09Z"));
const authority = issueAuthority("orch-authority", clock);

describeWith(openssl, "openssl and the certificates that we issue", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-issue-"));
    await writeFile(at("ca.crt"), authority.certificate);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("openssl", args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const at = (name: string) => join(folder, name);

  test.each(["sslserver", "sslclient"])("accepts the chain of %s strictly, and the key matches", async (purpose) => {
    const pair =
      purpose === "sslserver"
        ? issueServing(authority, { commonName: "orch", hosts: ["localhost", "::1"] }, clock)
        : issueClient(authority, { commonName: "ann", organizations: ["dev"] }, clock);
    await writeFile(at(`${purpose}.crt`), pair.certificate);
    await writeFile(at(`${purpose}.key`), pair.key);
    const seconds = String(clock.now() / 1000);
    const args = [
      "-x509_strict",
      "-attime",
      seconds,
      "-purpose",
      purpose,
      "-CAfile",
      at("ca.crt"),
      at(`${purpose}.crt`),
    ];
    expect(await ask("verify", ...args)).toBe(`${at(`${purpose}.crt`)}: OK\n`);
    const ofCertificate = await ask("x509", "-in", at(`${purpose}.crt`), "-noout", "-pubkey");
    expect(await ask("pkey", "-in", at(`${purpose}.key`), "-pubout")).toBe(ofCertificate);
  });

  test("reads the extensions as intended", async () => {
    const pair = issueServing(authority, { commonName: "orch", hosts: ["localhost", "10.0.0.1"] }, clock);
    await writeFile(at("read.crt"), pair.certificate);
    const text = await ask("x509", "-in", at("read.crt"), "-noout", "-text");
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature\n/);
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text).toMatch(/Extended Key Usage:\s+TLS Web Server Authentication/);
    expect(text).toMatch(/Alternative Name:\s+DNS:localhost, IP Address:10.0.0.1/);
    expect(await ask("x509", "-in", at("ca.crt"), "-noout", "-text")).toMatch(
      /Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign/,
    );
  });
});
