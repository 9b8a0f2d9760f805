import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { readCertificates } from "./certificates.ts";
import { issueAuthority, issueServing } from "./issue.ts";
import { openPki } from "./pki.ts";

let folder = "";
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-certificates-"));
  await openPki({ folder: at("pki"), hosts: ["localhost"], adminName: "admin", clock: systemClock });
  await writeFile(at("proxy.crt"), issueAuthority("proxy", systemClock).certificate);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const parts = { clock: systemClock, log: silentLog };
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
    parts,
  );
const serve = (certificate: string, key: string, ...more: string[]) =>
  readCertificates(
    parseFlags(apiserverFlags, [`--tls-cert-file=${certificate}`, `--tls-private-key-file=${key}`, ...more]).values,
    issueAuthority("own", systemClock).certificate,
    parts,
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

describe("--cert-dir", () => {
  const inFolder = async (name: string, warnings: string[] = []) => {
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    const { values } = parseFlags(apiserverFlags, [`--cert-dir=${at(name)}`, "--bind-address=127.0.0.1"]);
    return (await readCertificates(values, "", { clock: systemClock, log })).serving;
  };

  test("keeps the pair that it generates for later starts", async () => {
    const first = await inFolder("generated");
    expect(await inFolder("generated")).toEqual(first);
  });

  test("may be a folder that others enter, but not one that they can change", async () => {
    await mkdir(at("shared"));
    await chmod(at("shared"), 0o755);
    const made = await inFolder("shared");
    expect((await stat(at("shared/apiserver.key"))).mode & 0o777).toBe(0o600);
    expect(await inFolder("shared")).toEqual(made);
    await chmod(at("shared"), 0o777);
    await expect(inFolder("shared")).rejects.toThrow(
      `${at("shared")} has mode 0777, so others can change it; run: chmod go-w ${at("shared")}`,
    );
  });

  test("uses a pair that somebody else made, whatever its mode, its names and its end, and never replaces it", async () => {
    await mkdir(at("foreign"), { mode: 0o755 });
    await chmod(at("foreign"), 0o755);
    const long = 40 * 365 * 86_400_000;
    const past = { ...systemClock, now: () => Date.now() - long };
    const pair = issueServing(issueAuthority("other", past), { commonName: "x", hosts: ["elsewhere"] }, past);
    const [certificate, key] = [at("foreign/apiserver.crt"), at("foreign/apiserver.key")];
    await writeFile(certificate, pair.certificate);
    await writeFile(key, pair.key, { mode: 0o644 });
    const warnings: string[] = [];
    expect(await inFolder("foreign", warnings)).toEqual(pair);
    expect(await readFile(certificate, "utf8")).toBe(pair.certificate);
    expect(warnings).toEqual([
      "others can read the key of the serving certificate",
      "the serving certificate has expired, and clients refuse it",
    ]);
    await chmod(key, 0o600);
    await copyFile(at("pki/admin.key"), key);
    await expect(inFolder("foreign")).rejects.toThrow(`${key} is not the key of ${certificate}`);
  });
});
