import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { readCertificates } from "./certificates.ts";
import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { parseFlags } from "./flags/parse.ts";
import { issueAuthority } from "./pki/issue.ts";
import { openPki } from "./pki/pki.ts";

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
const bothFlags = /--client-ca-file and --requestheader-client-ca-file.*--requestheader-allowed-names/;

describe("A01 one authority for clients and proxy", () => {
  test("the server does not start, and both flags are named", async () => {
    await expect(read(at("pki/ca.crt"))).rejects.toThrow(bothFlags);
    await read(at("pki/ca.crt"), "--requestheader-allowed-names=front");
    await read(at("proxy.crt"));
  });

  test("a reload does not bring it about either: what was read before stays", async () => {
    await copyFile(at("proxy.crt"), at("changing.crt"));
    const certificates = await read(at("changing.crt"));
    const before = certificates.frontProxyPem;
    await copyFile(at("pki/ca.crt"), at("changing.crt"));
    await expect(certificates.reload()).rejects.toThrow(bothFlags);
    expect(certificates.frontProxyPem).toBe(before);
  });
});
