import { expect, test } from "vitest";
import { container, openSimulated, podsPath, type Simulated } from "./simulated-server.suite.ts";

const of = (cpu: string) => ({ spec: { containers: [{ ...container, resources: { requests: { cpu } } }] } });
const resize = (simulated: Simulated, cpu: string) =>
  simulated.send("PATCH", `${podsPath}/a/resize`, {
    spec: { containers: [{ ...container, resources: { requests: { cpu } } }] },
  });
const resized = async (simulated: Simulated) => {
  const { status } = await simulated.pod("a");
  const [{ allocatedResources, resources, restartCount } = {}] = status?.containerStatuses ?? [];
  const conditions = status?.conditions?.filter(({ type }) => type.startsWith("PodResize"));
  return { cpu: [allocatedResources?.["cpu"], resources?.requests?.["cpu"]], restartCount, conditions };
};

test("a resize is in force at once where the node has room, waits where others need it, and is infeasible beyond the node", async () => {
  await using simulated = await openSimulated({ nodes: 1, emulatedVersion: "1.35" });
  await simulated.createPod("a", of("1"));
  await simulated.createPod("b", of("4"));
  await simulated.advance("2s");
  const before = { cpu: ["1", "1"], restartCount: 0 };
  expect(await resized(simulated)).toEqual({ ...before, conditions: [] });

  await resize(simulated, "9");
  await simulated.advance("1s");
  const infeasible = "Node didn't have enough capacity: cpu, requested: 9000, capacity: 8000";
  expect(await resized(simulated)).toMatchObject({
    ...before,
    conditions: [{ type: "PodResizePending", status: "True", reason: "Infeasible", message: infeasible }],
  });

  await resize(simulated, "6");
  await simulated.advance("1s");
  const deferred = "Node didn't have enough resource: cpu, requested: 6000, used: 4000, capacity: 8000";
  expect(await resized(simulated)).toMatchObject({
    ...before,
    conditions: [{ type: "PodResizePending", status: "True", reason: "Deferred", message: deferred }],
  });

  await simulated.send("DELETE", `${podsPath}/b?gracePeriodSeconds=0`);
  await simulated.advance("15s");
  expect(await resized(simulated)).toEqual({ cpu: ["6", "6"], restartCount: 0, conditions: [] });
});

test("a resize is in progress from its allocation until it is in force", async () => {
  await using simulated = await openSimulated({ nodes: 1, emulatedVersion: "1.35" });
  await simulated.createPod("a", of("1"));
  await simulated.advance("2s");
  const seen: string[] = [];
  const watching = new AbortController();
  const answer = await simulated.server.fetch(`${podsPath}?watch=true`, { signal: watching.signal });
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) seen.push(Buffer.from(chunk).toString());
  })().catch(() => undefined);
  await resize(simulated, "2");
  await simulated.advance("1s");
  await expect.poll(() => seen.join("")).toMatch(/"type":"PodResizeInProgress"/);
  expect(await resized(simulated)).toEqual({ cpu: ["2", "2"], restartCount: 0, conditions: [] });
  watching.abort();
  await reading;
});
