import { expect, test } from "vitest";
import { elided, list, optional, string, struct } from "./build.ts";
import { checker } from "./constraints.ts";
import { plainEnvironment } from "./environment.suite.ts";
import { forbid, need, refuse } from "./relations.ts";

const Gate = struct("test.v1.Gate", {
  side: elided(string()),
  key: optional(string()),
  guards: elided(list(string())),
});
const isNorth = ({ side }: { side?: string }) => side === "North";
const isSouth = ({ side }: { side?: string }) => side === "South";
const check = checker(Gate, [
  need(Gate, "key", "a gate in the north is locked", isNorth),
  need(Gate, "guards", "a gate in the north is guarded", isNorth, { since: "1.30" }),
  forbid(Gate, "key", "a gate in the south is open", isSouth),
  forbid(Gate, "guards", "a gate in the south is free", isSouth),
  refuse(Gate, "side", "is not a side", ({ side }) => side === "Up"),
  refuse(Gate, "", "nobody comes from the west", ({ side }) => side === "West"),
]);
const problems = (gate: object, level: "1.21" | "1.35" = "1.21") =>
  check(gate, "gate", plainEnvironment({ level })).map(({ field, message }) => `${field}: ${message}`);

test("a member is needed when its condition holds, and only at its levels", () => {
  expect(problems({ side: "North" })).toEqual(["gate.key: Required value: a gate in the north is locked"]);
  expect(problems({ side: "North", key: "" }, "1.35")).toEqual([
    "gate.guards: Required value: a gate in the north is guarded",
  ]);
  expect(problems({ side: "East" })).toEqual([]);
});

test("a member is forbidden when its condition holds: a pointer also where it points to nothing", () => {
  expect(problems({ side: "South", key: "", guards: [] })).toEqual([
    "gate.key: Forbidden: a gate in the south is open",
  ]);
  expect(problems({ side: "South", guards: ["a"] })).toEqual(["gate.guards: Forbidden: a gate in the south is free"]);
});

test("a value is refused, or the struct as a whole", () => {
  expect(problems({ side: "Up" })).toEqual(['gate.side: Invalid value: "Up": is not a side']);
  expect(problems({ side: "West" })).toEqual(['gate: Invalid value: "": nobody comes from the west']);
});
