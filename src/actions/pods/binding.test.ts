import { describe, expect, test } from "vitest";
import type { Level } from "../../machinery/schema/levels.ts";
import { openPods, pod } from "./pods.suite.ts";

describe("a binding", () => {
  test("ends a nomination at level 1.35, and does not count as a generation", async () => {
    const { registry, post, read, setStatus, act } = await openPods("1.35");
    await post("pods", pod("p"));
    await setStatus("pods", "p", { phase: "Pending", qosClass: "BestEffort", nominatedNodeName: "m" });
    await act("pods/binding", "p", { metadata: { name: "p" }, target: { kind: "Node", name: "n" } });
    const bound = await read("pods", "p");
    expect(bound).toMatchObject({ metadata: { generation: 1 }, spec: { nodeName: "n" } });
    expect(bound["status"]).not.toHaveProperty("nominatedNodeName");
    await registry.close();
  });

  test("sets the node of a pod, with annotations and a condition, once", async () => {
    const { registry, post, read, act } = await openPods();
    await post("pods", pod("p"));
    const body = { metadata: { name: "p", annotations: { by: "me" } }, target: { kind: "Node", name: "n" } };
    expect(await act("pods/binding", "p", body)).toBe(201);
    expect(await read("pods", "p")).toMatchObject({
      metadata: { annotations: { by: "me" } },
      spec: { nodeName: "n" },
      status: { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: "2021-06-01T00:00:00Z" }] },
    });
    await expect(act("pods/binding", "p", body)).rejects.toMatchObject({
      code: 409,
      details: { kind: "pods/binding", name: "p" },
    });
    await registry.close();
  });

  test("sets the condition PodScheduled to True", async () => {
    const { registry, post, read, setStatus, act } = await openPods();
    await post("pods", pod("p"));
    const conditions = [
      { type: "PodScheduled", status: "False", reason: "Unschedulable" },
      { type: "Ready", status: "False" },
    ];
    await setStatus("pods", "p", { phase: "Pending", conditions });
    await act("pods/binding", "p", { metadata: { name: "p" }, target: { name: "n" } });
    expect((await read("pods", "p"))["status"]).toMatchObject({
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: "2021-06-01T00:00:00Z" },
        { type: "Ready", status: "False" },
      ],
    });
    await registry.close();
  });

  test("since 1.22 is refused for another uid or version of the pod than it names", async () => {
    const { registry, post, read, act } = await openPods("1.35");
    await post("pods", pod("p"));
    const { uid = "", resourceVersion = "" } = (await read("pods", "p")).metadata;
    const bind = (meant: object) =>
      act("pods/binding", "p", { metadata: { name: "p", ...meant }, target: { name: "n" } });
    const refused = { code: 409, details: { kind: "pods", name: "p" } };
    await expect(bind({ uid: "another" })).rejects.toMatchObject(refused);
    await expect(bind({ uid, resourceVersion: "1" })).rejects.toMatchObject(refused);
    expect(await bind({ uid, resourceVersion })).toBe(201);
    await registry.close();
  });

  test("finds the pod by name, and ignores the uid", async () => {
    const { registry, post, act } = await openPods();
    await post("pods", pod("p"));
    expect(await act("pods/binding", "p", { metadata: { name: "p", uid: "another" }, target: { name: "n" } })).toBe(
      201,
    );
    await registry.close();
  });

  test("says in its managed fields through which path it was sent, since 1.22", async () => {
    const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    const paths = async (level: Level) => {
      const { registry, prepared } = await openPods(level);
      await registry.close();
      return ["bindings", "pods/binding"].map(
        (name) => prepared(name, binding)?.metadata.managedFields?.[0]?.subresource,
      );
    };
    expect(await paths("1.21")).toEqual([undefined, undefined]);
    expect(await paths("1.35")).toEqual([undefined, "binding"]);
  });

  test("names its pod in the body if the path does not", async () => {
    const { registry, post, read, act } = await openPods();
    await post("pods", pod("p"));
    expect(await act("bindings", "", { metadata: { name: "p" }, target: { name: "n" } })).toBe(201);
    expect(await read("pods", "p")).toMatchObject({ spec: { nodeName: "n" } });
    await registry.close();
  });

  const refused = [
    { why: "another name than in the path", body: { metadata: { name: "q" }, target: { name: "n" } }, code: 400 },
    { why: "no node", body: { metadata: { name: "p" }, target: {} }, code: 422 },
    {
      why: "a target that is not a node",
      body: { metadata: { name: "p" }, target: { kind: "Pod", name: "n" } },
      code: 422,
    },
  ];
  for (const { why, body, code } of refused) {
    test(`is refused: ${why}`, async () => {
      const { registry, post, act } = await openPods();
      await post("pods", pod("p"));
      await expect(act("pods/binding", "p", body)).rejects.toMatchObject({ code });
      await registry.close();
    });
  }

  test("changes nothing on a dry run", async () => {
    const { registry, post, read, act } = await openPods();
    await post("pods", pod("p"));
    const body = { metadata: { name: "p" }, target: { name: "n" } };
    expect(await act("pods/binding", "p", body, { dryRun: true })).toBe(201);
    expect((await read("pods", "p"))["spec"]).not.toHaveProperty("nodeName");
    await registry.close();
  });
});
