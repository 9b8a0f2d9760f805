import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { type ClientConfiguration, clientConfiguration, printClientConfiguration } from "../../client/config/print.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { userFlags } from "../flags/small-commands.ts";
import { openPki } from "../pki/pki.ts";
import { openDataFolder, partsOf } from "../stores/data-folder.ts";
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
  const hint = (name: string, ...flags: string[]) =>
    grantingHint(name, parseFlags(userFlags, flags).values, "ctl", "https://here:6443");
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

test("for a workspace, the commands let the person in at the root, and bind a role inside", () => {
  const flags = parseFlags(userFlags, ["--data-dir=/data", "--workspace=shop"]).values;
  expect(grantingHint("ann", flags, "ctl", "https://here:6443")).toBe(
    `ann may not enter shop until a role is bound to it, and may do nothing there until one is bound inside.
To let ann in, and read the namespace default of the workspace:
  ctl --kubeconfig=/data/admin.conf --server=https://here:6443 create clusterrole enter-shop --verb=access --resource=workspaces.tenancy.orch.io/content --resource-name=shop
  ctl --kubeconfig=/data/admin.conf --server=https://here:6443 create clusterrolebinding ann-enter-shop --clusterrole=enter-shop --user=ann
  ctl --kubeconfig=/data/admin.conf --server=https://here:6443/clusters/shop create rolebinding ann --clusterrole=view --user=ann --namespace=default
`,
  );
});

test("the server is the root when the administrator's context is a workspace", async () => {
  const own = join(folder, "entered");
  const { pki, clientConfiguration: path } = partsOf(own);
  await openDataFolder(own, "orch");
  await openPki({ folder: pki, hosts: ["localhost"], adminName: "orch-admin", clock: systemClock });
  const of = async (...flags: string[]) => {
    const text = await makeUser("ann", parseFlags(userFlags, [`--data-dir=${own}`, ...flags]).values);
    return (JSON.parse(text) as ClientConfiguration).clusters[0]?.cluster["server"];
  };
  for (const [context, root] of [
    ["https://here:6443/clusters/shop", "https://here:6443"],
    ["https://here:6443/a/clusters/shop", "https://here:6443/a"],
    ["https://here:6443/clusters", "https://here:6443/clusters"],
  ] as const) {
    const access = { server: context, authority: "", user: "admin", certificate: "", key: "" };
    await writeFile(path, printClientConfiguration(clientConfiguration(access, vocabularyOf("orch"))), { mode: 0o600 });
    expect([await of(), await of("--workspace=bank")]).toEqual([root, `${root}/clusters/bank`]);
  }
});

test("system names, malformed names and long lifetimes are refused", async () => {
  await expect(make("system:admin")).rejects.toThrow(/system's own/);
  await expect(make("jane", "--group=system:masters")).rejects.toThrow(/system's own/);
  await expect(make("admin")).rejects.toThrow(/admin is the administrator, whose configuration is .*admin.conf/);
  await expect(make("a b")).rejects.toThrow(/printable/);
  await expect(make("")).rejects.toThrow("the name of the user is missing");
  await expect(make("jane", "--life=10000h")).rejects.toThrow(/--life/);
});
