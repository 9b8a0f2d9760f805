/** A server with workspaces and a policy for its audit log: one policy and one log for all, and each event says whose it is. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { openApiServer } from "../programs/apiserver.ts";

const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "None", users: ["system:serviceaccount:quiet:quiet"] },
    { level: "None", nonResourceURLs: ["/healthz*", "/version"] },
    { level: "Metadata", resources: [{ group: "", resources: ["secrets"] }] },
    { level: "RequestResponse", verbs: ["create"], namespaces: ["default"] },
    { level: "None" },
  ],
};
const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const tenancy = "/apis/tenancy.k8s.io/v1alpha1";
const core = "/api/v1/namespaces/default";

interface Event {
  readonly level: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly requestObject?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

let folder = "";
let opened: Awaited<ReturnType<typeof openApiServer>>;
let fetch: ReturnType<typeof createMemoryFetch>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-workspace-audit-"));
  await writeFile(join(folder, "policy.json"), JSON.stringify(policy));
  const { values } = parseFlags(apiserverFlags, [
    ...["--secure-port=0", "--bind-address=127.0.0.1", `--cert-dir=${folder}`, `--data-dir=${join(folder, "data")}`],
    ...["--workspaces", "--vocabulary=kubernetes", `--audit-policy-file=${join(folder, "policy.json")}`],
    ...[`--audit-log-path=${join(folder, "audit.log")}`, "--audit-log-mode=blocking"],
  ]);
  opened = await openApiServer({ flags: values, clock: systemClock, log: silentLog });
  const user = { name: "ann", uid: "", groups: ["system:masters"], extra: new Map() };
  fetch = createMemoryFetch(opened.server.handler, { user });
});
afterAll(async () => {
  await opened.stop();
  await rm(folder, { recursive: true, force: true });
});

test("the policy is about the paths, users and objects of each workspace, and events name it", async () => {
  const groups = (await (await fetch("/apis")).json()) as { groups: { name: string }[] };
  const group = groups.groups.find(({ name }) => name.startsWith("tenancy."))?.name ?? "";
  const all = tenancy.replace("tenancy.k8s.io", group);
  const given = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "given", namespace: "default" } };
  await fetch(`${all}/workspacetypes`, post({ metadata: { name: "team" }, spec: { objects: [given] } }));
  for (const name of ["shop", "bank"])
    await fetch(`${all}/workspaces`, post({ metadata: { name }, spec: { type: "team" } }));
  for (const name of ["shop", "bank"])
    await expect.poll(async () => (await fetch(`/clusters/${name}${core}/configmaps/given`)).status).toBe(200);
  for (const path of ["/healthz", "/version"]) await fetch(`/clusters/shop${path}`);
  for (const name of ["shop", "bank"]) {
    await fetch(`/clusters/${name}${core}/configmaps`, post({ metadata: { name: "own" }, data: { of: name } }));
    await fetch(
      `/clusters/${name}${core}/secrets`,
      post({ metadata: { name: "own" }, stringData: { code: "hunter2" } }),
    );
  }
  await fetch(`${core}/configmaps`, post({ metadata: { name: "own" } }));
  await fetch(`/clusters/none${core}/secrets`);
  const text = await readFile(join(folder, "audit.log"), "utf8");
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain('"requestURI":"/clusters//');
  const events = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event)
    .filter(({ objectRef }) => objectRef?.resource === "configmaps" || objectRef?.resource === "secrets");
  const told = events.map(({ level, requestURI, requestObject, annotations = {} }) => [
    requestURI.split("?")[0],
    level,
    requestObject !== undefined,
    Object.entries(annotations).find(([key]) => key.startsWith("tenancy."))?.[1],
  ]);
  expect(told).toEqual([
    [`/clusters/shop${core}/configmaps`, "RequestResponse", true, "shop"],
    [`/clusters/shop${core}/secrets`, "Metadata", false, "shop"],
    [`/clusters/bank${core}/configmaps`, "RequestResponse", true, "bank"],
    [`/clusters/bank${core}/secrets`, "Metadata", false, "bank"],
    [`${core}/configmaps`, "RequestResponse", true, undefined],
  ]);
});
