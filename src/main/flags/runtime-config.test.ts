import { expect, test } from "vitest";
import { createIsServed, idleEntries } from "./runtime-config.ts";

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
    why: "its neighbour stays",
    config: { "batch/v1beta1": "false" },
    asked: ["batch", "v1", "cronjobs"],
    served: true,
  },
  { why: "exact beats all", config: { "api/all": "false", v1: "true" }, asked: ["", "v1", "pods"], served: true },
  { why: "all off", config: { "api/all": "false" }, asked: ["batch", "v1", "jobs"], served: false },
  { why: "the core group by its path", config: { "api/v1": "false" }, asked: ["", "v1", "pods"], served: false },
  { why: "one resource", config: { "batch/v1/jobs": "false" }, asked: ["batch", "v1", "jobs"], served: false },
] as const;
for (const { why, config, asked, served } of rows) {
  test(why, () => {
    const isServed = createIsServed(new Map(Object.entries(config)));
    const [group, version, resource] = asked;
    expect(isServed(group, version, resource)).toBe(served);
  });
}

test("entries that name nothing of this server are found", () => {
  const kinds = [
    { group: "", version: "v1", resource: "pods" },
    { group: "batch", version: "v1", resource: "jobs" },
  ];
  const asked = [
    "api/all",
    "api/beta",
    "v1",
    "api/v1",
    "v1/pods",
    "batch/v1",
    "batch/v1/jobs",
    "batch",
    "btach/v1",
    "batch/v3",
  ];
  expect(idleEntries(new Map(asked.map((key) => [key, "true"])), kinds)).toEqual(["batch", "btach/v1", "batch/v3"]);
});
