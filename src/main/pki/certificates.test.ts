import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { readCertificates } from "./certificates.ts";
import { issueAuthority } from "./issue.ts";
import { openPki } from "./pki.ts";

let folder = "";
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-certificates-"));
  await openPki({ folder: at("pki"), hosts: ["localhost"], adminName: "admin", clock: systemClock });
  await writeFile(at("proxy.crt"), issueAuthority("proxy", systemClock).certificate);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (proxy: string, ...more: string[]) =>
  readCertificates(
    parseFlags(apiserverFlags, [
      `--tls-cert-file=${at("pki/serving.crt")}`,
      `--tls-private-key-file=${at("pki/serving.key")}`,
      `--client-ca-file=${at("pki/ca.crt")}`,
      `--requestheader-client-ca-file=${proxy}`,
      ...more,
    ]).values,
    "",
    systemClock,
  );
const serve = (certificate: string, key: string, ...more: string[]) =>
  readCertificates(
    parseFlags(apiserverFlags, [`--tls-cert-file=${certificate}`, `--tls-private-key-file=${key}`, ...more]).values,
    issueAuthority("own", systemClock).certificate,
    systemClock,
  );
const bothFlags = /--client-ca-file and --requestheader-client-ca-file.*--requestheader-allowed-names/;

describe("files that hold something else are refused by name", () => {
  test("an invalid certificate, an invalid key, and the key of another certificate", async () => {
    const [certificate, key] = [at("pki/serving.crt"), at("pki/serving.key")];
    await expect(serve(key, key)).rejects.toThrow(`--tls-cert-file: ${key} holds no certificate in PEM`);
    await expect(serve(certificate, certificate)).rejects.toThrow(
      `--tls-private-key-file: ${certificate} holds no private key in PEM`,
    );
    const other = at("pki/admin.key");
    await expect(serve(certificate, other)).rejects.toThrow(
      `--tls-private-key-file: ${other} is not the key of ${certificate}`,
    );
  });

  test("an invalid authority, also beside our own", async () => {
    await writeFile(at("empty"), "");
    for (const flag of ["client-ca-file", "requestheader-client-ca-file"]) {
      await expect(serve(at("pki/serving.crt"), at("pki/serving.key"), `--${flag}=${at("empty")}`)).rejects.toThrow(
        `--${flag}: ${at("empty")}: the bundle has no certificate`,
      );
    }
  });
});

describe("one authority for clients and proxy (A01 in docs/security-rows.md)", () => {
  test("the server does not start, and both flags are named", async () => {
    await expect(read(at("pki/ca.crt"))).rejects.toThrow(bothFlags);
    await read(at("pki/ca.crt"), "--requestheader-allowed-names=front");
    await read(at("proxy.crt"));
  });

  test("a reload refuses it too: the previous files stay in use", async () => {
    await copyFile(at("proxy.crt"), at("changing.crt"));
    const certificates = await read(at("changing.crt"));
    const before = certificates.frontProxyPem;
    await copyFile(at("pki/ca.crt"), at("changing.crt"));
    await expect(certificates.reload()).rejects.toThrow(bothFlags);
    expect(certificates.frontProxyPem).toBe(before);
  });
});
