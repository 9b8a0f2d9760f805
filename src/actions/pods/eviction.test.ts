import { describe, expect, test } from "vitest";
import type { StatusError } from "../../machinery/status/status.ts";
import { allowing, budget, openPods, pod, ready } from "./pods.suite.ts";

describe("an eviction", () => {
  const evict = { metadata: { name: "p" } };
  const refusal = { code: 429, details: { causes: [{ reason: "DisruptionBudget" }] } };

  test("deletes a pod that no budget covers", async () => {
    const { registry, post, read, act } = await openPods();
    await post("pods", pod("p"));
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    await expect(read("pods", "p")).rejects.toMatchObject({ code: 404 });
    await registry.close();
  });

  test("deletes nothing when its body requests a dry run", async () => {
    const { registry, post, read, act } = await openPods();
    await post("pods", pod("p"));
    expect(await act("pods/eviction", "p", { ...evict, deleteOptions: { dryRun: ["All"] } })).toBe(201);
    expect(await read("pods", "p")).toMatchObject({ metadata: { name: "p" } });
    await registry.close();
  });

  test("is counted by a budget that allows it, and refused by one that does not", async () => {
    const { registry, post, read, setStatus, act } = await openPods();
    await post("pods", pod("p"));
    await post("pods", pod("q"));
    await setStatus("pods", "p", ready);
    await setStatus("pods", "q", ready);
    await post("poddisruptionbudgets", budget);
    await expect(act("pods/eviction", "p", evict)).rejects.toMatchObject(refusal);
    await setStatus("poddisruptionbudgets", "b", allowing(1));
    expect(await act("pods/eviction", "p", evict, { dryRun: true })).toBe(201);
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    expect((await read("poddisruptionbudgets", "b"))["status"]).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: "2021-06-01T00:00:00Z" },
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods", observedGeneration: 1 }],
    });
    await expect(act("pods/eviction", "q", { metadata: { name: "q" } })).rejects.toMatchObject(refusal);
    await registry.close();
  });

  test("names a time to wait while the budget is new, since 1.22", async () => {
    const refusalAt = async (level: "1.21" | "1.35") => {
      const { registry, post, setStatus, act } = await openPods(level);
      await post("pods", pod("p"));
      await setStatus("pods", "p", { ...ready, qosClass: "BestEffort" });
      await post("poddisruptionbudgets", budget);
      const refused = () => act("pods/eviction", "p", evict).catch((error: StatusError) => error.details);
      const waits = [await refused()];
      await setStatus("poddisruptionbudgets", "b", allowing(0));
      waits.push(await refused());
      await registry.close();
      return waits.map((details) => (details as { retryAfterSeconds?: number }).retryAfterSeconds);
    };
    expect(await refusalAt("1.21")).toEqual([undefined, undefined]);
    expect(await refusalAt("1.35")).toEqual([10, undefined]);
  });

  test("of many at once as many succeed as the budget allows", async () => {
    const { registry, post, setStatus, act } = await openPods();
    await post("poddisruptionbudgets", budget);
    await setStatus("poddisruptionbudgets", "b", allowing(2));
    const names = ["p1", "p2", "p3", "p4", "p5"];
    for (const name of names) {
      await post("pods", pod(name));
      await setStatus("pods", name, ready);
    }
    const outcomes = await Promise.allSettled(names.map((name) => act("pods/eviction", name, { metadata: { name } })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    await registry.close();
  });

  test("of a pod that is pending or finished does not need the budget", async () => {
    const { registry, post, setStatus, act } = await openPods();
    await post("poddisruptionbudgets", budget);
    await post("pods", pod("p"));
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    await post("pods", pod("p"));
    await setStatus("pods", "p", { phase: "Failed" });
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    await registry.close();
  });

  test("of a pod that is not ready is not counted while enough others are", async () => {
    const { registry, post, read, setStatus, act } = await openPods();
    await post("poddisruptionbudgets", budget);
    await setStatus("poddisruptionbudgets", "b", { ...allowing(0), currentHealthy: 1 });
    await post("pods", pod("p"));
    await setStatus("pods", "p", { phase: "Running" });
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    expect((await read("poddisruptionbudgets", "b"))["status"]).not.toHaveProperty("disruptedPods");
    await registry.close();
  });

  const refused = [
    { why: "another name than in the path", body: { metadata: { name: "q" } }, code: 400 },
    { why: "another uid", body: { ...evict, deleteOptions: { preconditions: { uid: "u" } } }, code: 409 },
    { why: "contradicting dry runs", body: { ...evict, deleteOptions: { dryRun: ["Some"] } }, code: 400, dryRun: true },
  ];
  for (const { why, body, code, dryRun = false } of refused) {
    test(`is refused: ${why}`, async () => {
      const { registry, post, act } = await openPods();
      await post("pods", pod("p"));
      await expect(act("pods/eviction", "p", body, { dryRun })).rejects.toMatchObject({ code });
      await registry.close();
    });
  }

  const options = [
    { why: "an unknown propagation policy", sent: { propagationPolicy: "Sideways" }, field: "propagationPolicy" },
    { why: "an empty propagation policy", sent: { propagationPolicy: "" }, field: "propagationPolicy" },
    { why: "an unknown dry run value", sent: { dryRun: ["Some"] }, field: "dryRun" },
  ];
  for (const { why, sent, field } of options) {
    test(`is refused for its delete options: ${why}`, async () => {
      const { registry, post, read, act } = await openPods();
      await post("pods", pod("p"));
      await expect(act("pods/eviction", "p", { ...evict, deleteOptions: sent })).rejects.toMatchObject({
        code: 422,
        details: { kind: "DeleteOptions", causes: [{ reason: "FieldValueNotSupported", field }] },
      });
      expect(await read("pods", "p")).toMatchObject({ metadata: { name: "p" } });
      await registry.close();
    });
  }

  test("of a pod with two budgets is not supported", async () => {
    const { registry, post, setStatus, act } = await openPods();
    await post("poddisruptionbudgets", budget);
    await post("poddisruptionbudgets", { ...budget, metadata: { name: "b2" } });
    await post("pods", pod("p"));
    await setStatus("pods", "p", ready);
    await expect(act("pods/eviction", "p", evict)).rejects.toMatchObject({ code: 500, reason: undefined });
    await registry.close();
  });
});
