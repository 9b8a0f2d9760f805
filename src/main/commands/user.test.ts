import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import type { ClientConfiguration } from "../../client/config/print.ts";
import { userFlags } from "../flags/small-commands.ts";
import { openPki } from "../pki/pki.ts";
import { openDataFolder } from "../stores/data-folder.ts";
import { grantingHint, makeUser } from "./user.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-user-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const make = (name: string, ...flags: string[]) =>
  makeUser(name, parseFlags(userFlags, [`--data-dir=${join(folder, "data")}`, ...flags]).values);

test("a second user gets a certificate with a name and groups, for a day", async () => {
  await expect(make("jane")).rejects.toThrow(/run "orch up .* once before/);
  expect(await readdir(folder), "nothing is made where there is no server").toEqual([]);
  const { pki } = await openDataFolder(join(folder, "data"), "orch");
  await openPki({ folder: pki, hosts: ["localhost"], adminName: "orch-admin", clock: systemClock });
  const text = await make("jane", "--group=dev,qa", "--server=https://example.com:6443");
  const { clusters, users } = JSON.parse(text) as ClientConfiguration;
  expect([clusters[0]?.cluster["server"], users[0]?.name]).toEqual(["https://example.com:6443", "jane"]);
  const pem = Buffer.from(users[0]?.user["client-certificate-data"] ?? "", "base64").toString();
  const certificate = new X509Certificate(pem);
  expect(certificate.subject.split("\n")).toEqual(["O=dev", "O=qa", "CN=jane"]);
  expect(Date.parse(certificate.validTo) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
});

test("the administrator is told that a person has no rights yet, and the command that gives some", () => {
  const hint = (name: string, ...flags: string[]) => grantingHint(name, parseFlags(userFlags, flags).values, "ctl");
  expect(hint("jane", "--data-dir=/data")).toBe(
    `jane may do nothing until a role is bound to it. To let jane read the namespace default:
  ctl --kubeconfig=/data/admin.conf create rolebinding jane --clusterrole=view --user=jane --namespace=default
`,
  );
  expect(hint("a/b$c", "--data-dir=/my data")).toContain(
    "--kubeconfig='/my data/admin.conf' create rolebinding 'a-b$c' --clusterrole=view --user='a/b$c' --namespace=default\n",
  );
  expect(hint("jon", "--group=dev,qa", "--data-dir=/data")).toBe(
    `jon may do nothing until roles are bound to it or to dev, qa. To let dev read the namespace default:
  ctl --kubeconfig=/data/admin.conf create rolebinding dev --clusterrole=view --group=dev --namespace=default
`,
  );
});

test("system names, malformed names and long lifetimes are refused", async () => {
  await expect(make("system:admin")).rejects.toThrow(/system's own/);
  await expect(make("jane", "--group=system:masters")).rejects.toThrow(/system's own/);
  await expect(make("admin")).rejects.toThrow(/admin is the administrator, whose configuration is .*admin.conf/);
  await expect(make("a b")).rejects.toThrow(/printable/);
  await expect(make("")).rejects.toThrow("the name of the user is missing");
  await expect(make("jane", "--life=10000h")).rejects.toThrow(/--life/);
});
