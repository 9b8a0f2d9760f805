import { describe, expect, test } from "vitest";
import { orch } from "../../vocabulary/orch.ts";
import { describeUses } from "./describe-uses.ts";
import { createUpgradeCheck, examplesMax } from "./upgrade-check.ts";

const entryOf = (key: string, object: object) => ({
  key,
  value: Buffer.from(JSON.stringify(object)),
  revision: 2n,
  created: 1n,
});

const policy = (name: string) =>
  entryOf(`/policy/podsecuritypolicies/${name}`, {
    apiVersion: "policy/v1beta1",
    kind: "PodSecurityPolicy",
    metadata: { name },
  });

const jobOf = (apiVersion: string) =>
  entryOf("/batch/cronjobs/default/daily", {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "daily", namespace: "default", managedFields: [{ manager: "pipeline", apiVersion }] },
  });

describe("what would break at a higher level", () => {
  const check = () => createUpgradeCheck(orch, "1.25");

  test("objects whose kind goes are named, a few of them, with the commands that keep and remove them", () => {
    const upgrade = check();
    for (let at = 0; at < examplesMax + 2; at++) upgrade.entry(policy(`p${at}`));
    const [use] = upgrade.uses();
    expect(use).toMatchObject({ by: "objects", name: "policy/v1beta1 PodSecurityPolicy", removed: "1.25", count: 7 });
    expect(use?.examples).toEqual(["p0", "p1", "p2", "p3", "p4"]);
    const text = describeUses(upgrade.uses(), "1.25", "here");
    expect(text).toContain("and 2 more");
    expect(text).toContain("ctl get podsecuritypolicies.v1beta1.policy -A -o yaml > podsecuritypolicies.yaml");
  });

  test("the manager that wrote a version that goes is a client that must change", () => {
    const upgrade = check();
    upgrade.entry(jobOf("batch/v1beta1"));
    upgrade.entry(jobOf("batch/v1"));
    expect(upgrade.uses()).toEqual([
      {
        by: "manager",
        who: "pipeline",
        name: "batch/v1beta1 CronJob",
        removed: "1.25",
        replacement: "batch/v1 CronJob",
        count: 1,
        examples: ["cronjobs default/daily"],
      },
    ]);
    expect(describeUses(upgrade.uses(), "1.25", "here")).toContain('write "apiVersion: batch/v1" in its manifests');
  });

  test("what a client is to write instead is served at the level, whatever replaced the version first", () => {
    const replacementFor = (target: "1.25" | "1.26" | "1.32", key: string, version: string, kind: string) => {
      const upgrade = createUpgradeCheck(orch, target);
      const managedFields = [{ manager: "pipeline", apiVersion: version }];
      upgrade.entry(entryOf(key, { apiVersion: version, kind, metadata: { name: "a", managedFields } }));
      return upgrade.uses().map(({ replacement }) => replacement);
    };
    const scaler = "/autoscaling/horizontalpodautoscalers/default/a";
    for (const target of ["1.25", "1.26"] as const)
      expect(replacementFor(target, scaler, "autoscaling/v2beta1", "HorizontalPodAutoscaler")).toEqual([
        "autoscaling/v2 HorizontalPodAutoscaler",
      ]);
    const group = "flowcontrol.apiserver.orch.io";
    expect(replacementFor("1.32", `/${group}/flowschemas/a`, `${group}/v1beta1`, "FlowSchema")).toEqual([
      `${group}/v1 FlowSchema`,
    ]);
  });

  test("a store is not taken to a lower level", () => {
    const levelOf = (level: string) => ({ ...entryOf("registry/level", {}), value: Buffer.from(level) });
    expect(() => check().entry(levelOf("1.25"))).not.toThrow();
    expect(() => check().entry(levelOf("1.28"))).toThrow("of level 1.28, and no server of 1.25 opens them");
  });

  test("what the server itself wrote is not a client's", () => {
    const upgrade = createUpgradeCheck(orch, "1.32");
    const group = "flowcontrol.apiserver.orch.io";
    const managedFields = [{ manager: "api-priority-and-fairness-config-producer-v1", apiVersion: `${group}/v1beta1` }];
    upgrade.entry(entryOf(`/${group}/flowschemas/a`, { kind: "FlowSchema", metadata: { name: "a", managedFields } }));
    expect(upgrade.uses()).toEqual([]);
  });

  test("audit events name the clients of versions that go", () => {
    const upgrade = check();
    const event = (apiVersion: string) =>
      upgrade.auditLine(
        JSON.stringify({
          requestURI: `/apis/batch/${apiVersion}/cronjobs`,
          user: { username: "ci" },
          userAgent: "tool/1",
          objectRef: { resource: "cronjobs", apiGroup: "batch", apiVersion },
        }),
      );
    event("v1beta1");
    event("v1beta1");
    event("v1");
    upgrade.auditLine("not an event");
    expect(upgrade.uses()).toMatchObject([{ by: "request", who: "ci (tool/1)", count: 2 }]);
  });

  test("the metric of deprecated requests says which versions are used", () => {
    const upgrade = check();
    const line = (version: string, value: number) =>
      upgrade.metricLine(
        `apiserver_requested_deprecated_apis{group="batch",removed_release="1.25",resource="cronjobs",subresource="",version="${version}"} ${value}`,
      );
    line("v1beta1", 1);
    line("v1", 1);
    line("v1beta1", 0);
    expect(upgrade.uses()).toMatchObject([{ name: "batch/v1beta1 CronJob", count: 1 }]);
  });

  test("custom objects, encrypted ones and versions that stay are nobody's problem", () => {
    const upgrade = check();
    upgrade.entry(entryOf("/custom:shop.example.com/carts/default/a", { metadata: { name: "a" } }));
    upgrade.entry({ ...jobOf("batch/v1beta1"), value: Buffer.from("orch:enc:aescbc:v1:k:...") });
    expect(upgrade.uses()).toEqual([]);
    expect(describeUses([], "1.25", "here")).toBe("here: nothing that was looked at uses what 1.25 no longer serves\n");
  });
});
