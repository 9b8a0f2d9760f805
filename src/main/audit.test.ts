import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags/parse.ts";
import { silentLog } from "../base/log.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import { openAudit } from "./audit.ts";
import { apiserverFlags } from "./flags/apiserver-flags.ts";

let folder = "";
let warnings: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-audit-"));
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(policy: string | undefined, ...more: string[]) {
  const file = join(folder, "policy.yaml");
  if (policy !== undefined) await writeFile(file, policy);
  const args = [...(policy === undefined ? [] : [`--audit-policy-file=${file}`]), ...more];
  const opened = await openAudit({
    flags: parseFlags(apiserverFlags, args).values,
    vocabulary: vocabularyOf("kubernetes"),
    clock: systemClock,
    log: { ...silentLog, warn: (message) => warnings.push(message) },
  });
  await opened?.close();
  return opened !== undefined;
}
const toLog = () => `--audit-log-path=${join(folder, "audit.log")}`;
const policy = (version: string) => `apiVersion: audit.k8s.io/${version}\nkind: Policy\nrules: [{level: Metadata}]\n`;

test.each(["v1beta1", "v1alpha1"])("a policy of %s is read, with a warning that it is deprecated", async (version) => {
  expect(await open(policy(version), toLog())).toBe(true);
  expect(warnings).toEqual([
    `audit.k8s.io/${version} is deprecated and will be removed in a future release, use audit.k8s.io/v1 instead`,
  ]);
});

test("a policy of v1, in YAML or JSON, is read without a warning; fields that v1.21 does not know are passed over", async () => {
  expect(await open(policy("v1"), toLog())).toBe(true);
  const json = {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    metadata: {},
    rules: [{ level: "None", comment: "x" }],
  };
  expect(await open(JSON.stringify(json), toLog())).toBe(true);
  expect(warnings).toEqual([]);
});

test("a policy without a backend, and a backend without a policy, audit nothing and say so", async () => {
  expect(await open(policy("v1"))).toBe(false);
  expect(await open(undefined, toLog())).toBe(false);
  expect(warnings).toEqual([
    expect.stringContaining("neither --audit-log-path nor --audit-webhook-config-file"),
    expect.stringContaining("--audit-policy-file is not set"),
  ]);
});

test.each([
  ["", /the policy must be an object/],
  ["rules: [{level: Metadata}]", /must be a Policy of audit\.k8s\.io\/v1/],
  [
    "apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: None}]",
    /must be a Policy of audit\.k8s\.io\/v1.* \(audit\.orch\.io is a name of --vocabulary=orch\)/,
  ],
  ["apiVersion: audit.k8s.io/v1\nkind: Policy\n", /rules must not be empty/],
  ["apiVersion: [\n", /is not YAML/],
])("the policy %j stops the start", async (text, problem) => {
  await expect(open(text, toLog())).rejects.toThrow(problem);
});
