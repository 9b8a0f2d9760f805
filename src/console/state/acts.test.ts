import { expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import { actsOn, jobOf, podSelectorOf } from "./acts.ts";
import { decodedValue } from "./secret-values.ts";

const deployments = { group: "apps", resource: "deployments" };
const names = (resource: { group: string; resource: string }, object: object) =>
  actsOn(resource, { ...object }, orch, 0).map(({ name }) => name);

test.each([
  ["a deployment", deployments, {}, ["Restart", "Pause"]],
  ["a paused deployment, which the server would not restart", deployments, { paused: true }, ["Resume"]],
  ["a cron job", { group: "batch", resource: "cronjobs" }, { suspend: true }, ["Resume"]],
  ["a node", { group: "", resource: "nodes" }, {}, ["Cordon"]],
  ["a cordoned node", { group: "", resource: "nodes" }, { unschedulable: true }, ["Uncordon"]],
  ["a custom kind of the same name", { group: "example.org", resource: "deployments" }, {}, []],
] as const)("%s offers what fits it", (_, resource, spec, expected) => {
  expect(names(resource, { spec })).toEqual(expected);
});

test("a job that is over cannot be suspended", () => {
  const jobs = { group: "batch", resource: "jobs" };
  expect(names(jobs, {})).toEqual(["Suspend"]);
  expect(names(jobs, { status: { completionTime: "2026-01-01T00:00:00Z" } })).toEqual([]);
});

test("a restart is the annotation that the command line writes", () => {
  const [restart] = actsOn(deployments, {}, kubernetes, Date.parse("2026-01-02T03:04:05.678Z"));
  expect(restart?.patch).toEqual({
    spec: { template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2026-01-02T03:04:05Z" } } } },
  });
});

test("a job that is started by hand is owned by its cron job, and its name is short enough", () => {
  const metadata = { name: "n".repeat(52), uid: "u" };
  const template = { metadata: { labels: { a: "b" } }, spec: { completions: 2 } };
  const job = jobOf({ metadata, spec: { jobTemplate: template } }, kubernetes, "batch/v1");
  expect(job).toEqual({
    kind: "Job",
    apiVersion: "batch/v1",
    metadata: {
      generateName: `${"n".repeat(50)}-manual-`,
      labels: { a: "b" },
      annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: metadata.name, uid: "u", controller: true }],
    },
    spec: { completions: 2 },
  });
});

test.each([
  ["labels", deployments, { matchLabels: { app: "web", tier: "front" } }, "app=web,tier=front"],
  ["a service", { group: "", resource: "services" }, { app: "web" }, "app=web"],
  [
    "expressions",
    deployments,
    { matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "Exists" }] },
    undefined,
  ],
  ["nothing", deployments, undefined, undefined],
  [
    "a kind that does not select pods",
    { group: "", resource: "persistentvolumeclaims" },
    { matchLabels: { a: "b" } },
    undefined,
  ],
] as const)("the pods of an object are found by %s", (_, resource, selector, expected) => {
  expect(podSelectorOf(resource, { spec: { selector } })).toBe(expected);
});

test.each([
  ["aMOk", { value: "hä", bytes: 3 }],
  ["/w==", { value: undefined, bytes: 1 }],
  ["not base64!", { value: undefined, bytes: 0 }],
])("the value %s of a secret is decoded if it is text", (base64, expected) => {
  expect(decodedValue(base64)).toEqual(expected);
});
