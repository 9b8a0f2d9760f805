import { describe, expect, test } from "vitest";
import { tableRow } from "../../../machinery/table/table.ts";
import { bindVersions, create, update } from "../../life.suite.ts";
import { PriorityClass, systemClasses } from "./priority-class.ts";

const kind = bindVersions([PriorityClass]).version("v1");
const userPriorityMax = 1_000_000_000;

describe("a priority class", () => {
  const cases = [
    { why: "may have a negative value", name: "x", given: { value: -5 }, problems: [] },
    { why: "may have the highest value for users", name: "x", given: { value: userPriorityMax }, problems: [] },
    {
      why: "must not have a value reserved for the system",
      name: "x",
      given: { value: userPriorityMax + 1 },
      problems: ["Forbidden value"],
    },
    {
      why: "must not have a name reserved for the system",
      name: "system-mine",
      given: { value: 1 },
      problems: ["Forbidden metadata.name"],
    },
    {
      why: "of the system must have its fixed value",
      name: "system-node-critical",
      given: { value: 2_000_000_000 },
      problems: ["Forbidden metadata.name"],
    },
    {
      why: "of the system must not be the default",
      name: "system-node-critical",
      given: { value: 2_000_001_000, globalDefault: true },
      problems: ["Forbidden metadata.name"],
    },
    {
      why: "must not have an empty preemption policy",
      name: "x",
      given: { value: 1, preemptionPolicy: "" },
      problems: ["Required preemptionPolicy"],
    },
    {
      why: "must have a known preemption policy",
      name: "x",
      given: { value: 1, preemptionPolicy: "Sometimes" },
      problems: ["NotSupported preemptionPolicy"],
    },
  ];
  for (const { why, name, given, problems } of cases)
    test(why, () => expect(create(kind, { metadata: { name }, ...given }).problems).toEqual(problems));

  test("of the system may be created with its fixed value", () => {
    for (const [name, value] of systemClasses)
      expect(create(kind, { metadata: { name }, value }).problems, name).toEqual([]);
  });

  test("defaults to PreemptLowerPriority", () => {
    const { object } = create(kind, { metadata: { name: "x" }, value: 1 });
    expect([object["preemptionPolicy"], object.metadata.generation]).toEqual(["PreemptLowerPriority", 1]);
  });

  test("must not change its value and preemption policy, but may change the rest", () => {
    const old = create(kind, { metadata: { name: "x" }, value: 1 });
    const change = (given: object) => update(kind, { metadata: { name: "x" }, value: 1, ...given }, old).problems;
    expect(change({ description: "new", globalDefault: true })).toEqual([]);
    expect(change({ value: 2, preemptionPolicy: "Never" })).toEqual(["Forbidden Value", "Invalid preemptionPolicy"]);
  });

  test("has no preemption policy if the feature is off", () => {
    const former = bindVersions([PriorityClass], { NonPreemptingPriority: false }).version("v1");
    const old = create(former, { metadata: { name: "x" }, value: 1, preemptionPolicy: "Never" });
    expect(old.object["preemptionPolicy"]).toBeUndefined();
    const next = update(former, { metadata: { name: "x" }, value: 1, preemptionPolicy: "Never" }, old);
    expect([next.object["preemptionPolicy"], next.problems]).toEqual([undefined, []]);
  });

  test("shows its value and whether it is the default", () => {
    const { object } = create(kind, { metadata: { name: "x" }, value: 7 });
    expect(tableRow(kind, object, kind.family.environment).slice(0, 3)).toEqual(["x", 7, false]);
  });
});
