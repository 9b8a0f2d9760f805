import { expect, test } from "vitest";
import type { Level } from "../../machinery/schema/levels.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { checkRuntimeConfig, createIsServed } from "./runtime-config.ts";

const rows = [
  { why: "stable is on", config: {}, asked: ["batch", "v1", "jobs"], served: true },
  { why: "beta is on", config: {}, asked: ["batch", "v1beta1", "cronjobs"], served: true },
  { why: "alpha is off", config: {}, asked: ["a.orch.io", "v1alpha1", "xs"], served: false },
  {
    why: "alpha by name",
    config: { "a.orch.io/v1alpha1": "true" },
    asked: ["a.orch.io", "v1alpha1", "xs"],
    served: true,
  },
  { why: "all alphas", config: { "api/alpha": "true" }, asked: ["a.orch.io", "v1alpha1", "xs"], served: true },
  {
    why: "one version off",
    config: { "batch/v1beta1": "false" },
    asked: ["batch", "v1beta1", "cronjobs"],
    served: false,
  },
  {
    why: "other versions of the group stay on",
    config: { "batch/v1beta1": "false" },
    asked: ["batch", "v1", "cronjobs"],
    served: true,
  },
  {
    why: "an exact version overrides api/all",
    config: { "api/all": "false", v1: "true" },
    asked: ["", "v1", "pods"],
    served: true,
  },
  { why: "all off", config: { "api/all": "false" }, asked: ["batch", "v1", "jobs"], served: false },
  { why: "the core group by its path", config: { "api/v1": "false" }, asked: ["", "v1", "pods"], served: false },
  {
    why: "single resources are ignored",
    config: { "batch/v1/jobs": "false" },
    asked: ["batch", "v1", "jobs"],
    served: true,
  },
  {
    why: "everything off except one group",
    config: { "extensions/v1beta1/ingresses": "false" },
    asked: ["extensions", "v1beta1", "ingresses"],
    served: false,
  },
  { why: "other spellings of false", config: { "batch/v1": "F" }, asked: ["batch", "v1", "jobs"], served: false },
] as const;
for (const { why, config, asked, served } of rows) {
  test(why, () => {
    const isServed = createIsServed(new Map(Object.entries(config)));
    const [group, version, resource] = asked;
    expect(isServed(group, version, resource)).toBe(served);
  });
}

test("at levels since 1.24 beta versions are off unless they are enabled", () => {
  const group = "admissionregistration.orch.io";
  expect(createIsServed(new Map(), "1.21")(group, "v1beta1", "things")).toBe(true);
  expect(createIsServed(new Map(), "1.35")(group, "v1beta1", "things")).toBe(false);
  expect(createIsServed(new Map([[`${group}/v1beta1`, "true"]]), "1.35")(group, "v1beta1", "things")).toBe(true);
});

test("single resources are switched at levels since 1.24", () => {
  const group = "storage.k8s.io";
  const config = new Map([[`${group}/v1beta1/csistoragecapacities`, "true"]]);
  const served = (level: Level, resource: string) => createIsServed(config, level)(group, "v1beta1", resource);
  expect(served("1.27", "csistoragecapacities")).toBe(true);
  expect(served("1.27", "volumeattributesclasses")).toBe(false);
  const without = new Map([["batch/v1/jobs", "false"]]);
  expect(createIsServed(without, "1.23")("batch", "v1", "jobs")).toBe(true);
  expect(createIsServed(without, "1.24")("batch", "v1", "jobs")).toBe(false);
  expect(createIsServed(without, "1.24")("batch", "v1", "cronjobs")).toBe(true);
});

const kinds = [
  { group: "", version: "v1", resource: "pods" },
  { group: "batch", version: "v1", resource: "jobs" },
  { group: "batch", version: "v1beta1", resource: "cronjobs", deprecated: { removed: "1.25" } },
  { group: "extensions", version: "v1beta1", resource: "ingresses" },
  { group: "storage.k8s.io", version: "v1", resource: "storageclasses" },
] as const;
const check = (text: string, level?: Level) =>
  checkRuntimeConfig(
    new Map(text.split(",").map((pair) => pair.split("=") as [string, string])),
    kinds,
    kubernetes,
    level,
  );

test("since 1.24 a resource is named in lower case, and a key without effect is worth a warning", () => {
  expect(check("batch/v1/Jobs=true", "1.24").problem).toBe(
    'invalid key batch/v1/Jobs: a resource is its plural in lower case, not "Jobs"',
  );
  expect(check("batch/v1/jobs=false,batch/v1beta1=true", "1.24")).toEqual({ problem: undefined, warnings: [] });
  expect(check("batch/v1/job=false,batch/v1beta1=true,resource.k8s.io/v1beta1=true", "1.25")).toEqual({
    problem: undefined,
    warnings: [
      "--runtime-config: batch/v1/job has no effect, because level 1.25 does not have it",
      "--runtime-config: batch/v1beta1 has no effect, because level 1.25 does not have it",
      "--runtime-config: resource.k8s.io/v1beta1 has no effect, because this server does not have the version",
    ],
  });
});

const refused: readonly [text: string, problem: string][] = [
  ["api/all=false", "invalid key with only api/all=false"],
  ["batch=true", "invalid key batch"],
  ["batch/v1/jobs/x=true", "invalid key batch/v1/jobs/x"],
  ["btach/v1=true,other.example.com/v1=true", 'unknown api groups btach,other.example.com; did you mean "batch"?'],
  ["batch/v3=true", 'group version batch/v3 that has not been registered; did you mean "batch/v1"?'],
  ["v2=true", 'group version /v2 that has not been registered; did you mean "v1"?'],
  ["batch/v1=maybe", "invalid value of batch/v1: maybe, it must be true or false"],
];
for (const [text, problem] of refused) {
  test(`${text} is refused: ${problem}`, () => expect(check(text).problem).toBe(problem));
}

test("everything that v1.21 accepts is accepted, with its warnings", () => {
  const fine = "api/all=false,api/ga=true,api/beta=1,v1=true,api/v1=true,batch/v1=,extensions/v1beta1/ingresses=false";
  expect(check(fine)).toEqual({ problem: undefined, warnings: [] });
  expect(check("batch/v1/jobs=false,v1/pods=false,apps/v1beta2=true")).toEqual({
    problem: undefined,
    warnings: [
      "ignoring invalid key batch/v1/jobs, individual resource enablement/disablement is not supported in batch/v1, and will prevent starting in future releases",
      "ignoring invalid key v1/pods, individual resource enablement/disablement is not supported in /v1, and will prevent starting in future releases",
      "--runtime-config: apps/v1beta2 has no effect, because this server does not have the version",
    ],
  });
});
