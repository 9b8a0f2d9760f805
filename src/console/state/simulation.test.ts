import { expect, test } from "vitest";
import { nodeActs, nodeState, troubleOf } from "./simulation.ts";

const node = (annotations: object, spec: object, ...conditions: readonly (readonly [string, string])[]) => ({
  metadata: { annotations },
  spec,
  status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
});
const well = node({}, {}, ["Ready", "True"], ["MemoryPressure", "False"]);
const bad = node(
  { "simulation.orch.io/pressure": "memory", "simulation.orch.io/failed": "true" },
  { unschedulable: true },
  ["Ready", "Unknown"],
  ["MemoryPressure", "True"],
);

test("a node says how it is and what it was made to do", () => {
  expect([nodeState(well), troubleOf(well)]).toEqual(["Ready", ""]);
  expect([nodeState(bad), troubleOf(bad)]).toEqual(["NotReady, cordoned, MemoryPressure", "failed, pressure: memory"]);
});

test("a node is offered what can be done to it now", () => {
  const offered = (of: typeof well) => nodeActs.filter(({ isOffered }) => isOffered(of)).map(({ name }) => name);
  expect(offered(well)).toEqual(["Fail", "Not ready", "Memory pressure", "Cordon"]);
  expect(offered(bad)).toEqual(["Recover", "Uncordon"]);
});
