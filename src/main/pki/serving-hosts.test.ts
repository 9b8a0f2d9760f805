import { X509Certificate } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { servingHosts } from "../addresses.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { readCertificates } from "./certificates.ts";
import { openPki } from "./pki.ts";
import { apiServerHosts } from "./serving-hosts.ts";

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "orch-hosts-"));
});
afterAll(() => rm(base, { recursive: true }));

const hostsWith = (...args: string[]) => apiServerHosts(parseFlags(apiserverFlags, args).values);
const covers = (pem: string, name: string) => new X509Certificate(pem).checkHost(name) !== undefined;

test("the server's own service has its names and address in the certificate, in the words of the vocabulary", () => {
  const names = ["orch", "orch.default", "orch.default.svc", "orch.default.svc.cluster.local"];
  expect(hostsWith("--bind-address=127.0.0.1")).toEqual(["localhost", "127.0.0.1", "::1", ...names, "10.0.0.1"]);
  const other = hostsWith("--vocabulary=kubernetes", "--service-cluster-ip-range=10.96.0.0/16,fd00::/112");
  expect(other).toEqual(expect.arrayContaining(["kubernetes.default.svc.cluster.local", "10.96.0.1"]));
  expect(other).not.toContain("orch.default.svc");
});

test("so have --external-hostname and --advertise-address", () => {
  const hosts = hostsWith("--external-hostname=api.example.com", "--advertise-address=192.0.2.7");
  expect(hosts).toEqual(expect.arrayContaining(["api.example.com", "192.0.2.7"]));
  expect(hostsWith("--external-hostname=no host")).not.toContain("no host");
});

test("a folder whose certificate lacks names gets a new one, from the same authority", async () => {
  const open = (hosts: readonly string[]) =>
    openPki({ folder: join(base, "older"), hosts, adminName: "admin", clock: systemClock });
  const before = await open(servingHosts("127.0.0.1"));
  expect(covers(before.serving.certificate, "orch.default.svc")).toBe(false);
  const after = await open(hostsWith("--bind-address=127.0.0.1"));
  expect(covers(after.serving.certificate, "orch.default.svc")).toBe(true);
  expect(after.authority).toEqual(before.authority);
  expect(await open(hostsWith("--bind-address=127.0.0.1"))).toEqual(after);
});

test("the certificate that --cert-dir gets has them too", async () => {
  const args = [`--cert-dir=${join(base, "made")}`, "--bind-address=127.0.0.1", "--external-hostname=api.example.com"];
  const { values } = parseFlags(apiserverFlags, args);
  const { serving } = await readCertificates(values, "", { clock: systemClock, log: silentLog });
  for (const name of ["orch.default.svc", "api.example.com"])
    expect(covers(String(serving.certificate), name)).toBe(true);
});
