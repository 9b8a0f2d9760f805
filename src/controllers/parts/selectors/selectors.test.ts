import { expect, test } from "vitest";
import { labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import { countingInformer } from "../pods/informer.suite.ts";
import { followSelectors } from "./selectors.ts";

interface Selecting {
  metadata: { name: string; namespace: string; uid: string };
  app: string;
}
const selecting = (name: string, app: string): Selecting => ({ metadata: { name, namespace: "ns", uid: name }, app });

test("a selector is parsed once for each state of its object, not for each question", () => {
  const { informer, put, remove, decodedBy } = countingInformer<Selecting>("budgets", "Budget");
  let parsed = 0;
  const selectors = followSelectors(informer, ({ app }) => {
    parsed++;
    if (app === "broken") throw new Error("cannot be read");
    return labelSelectorFromObject({ matchLabels: { app } });
  });
  const found = (app: string) => selectors.matching("ns", { app });
  for (let at = 0; at < 100; at++) put(selecting(`b${at}`, "x"));
  expect(decodedBy(() => Array.from({ length: 1_000 }, () => found("x")))).toBe(0);
  expect([parsed, found("x").length, found("y")]).toEqual([100, 100, []]);
  const labels = new Map([["app", "x"]]);
  expect([selectors.of("ns/b7")?.matches(labels), selectors.of("ns/none"), selectors.of("b7")]).toEqual([
    true,
    undefined,
    undefined,
  ]);
  expect([selectors.hasMatch("ns", labels), selectors.hasMatch("other", labels), parsed]).toEqual([true, false, 100]);

  put(selecting("b7", "y"));
  expect([parsed, found("y"), found("x").length]).toEqual([101, ["ns/b7"], 99]);
  expect(selectors.matching("ns", { app: "x" }, { app: "y" })).toHaveLength(100);
  put(selecting("b7", "broken"));
  expect([found("y"), selectors.of("ns/b7")]).toEqual([[], undefined]);
  for (let at = 0; at < 100; at++) remove(selecting(`b${at}`, "x"));
  expect([found("x"), selectors.matching("other", { app: "x" }), selectors.matching(undefined, null)]).toEqual([
    [],
    [],
    [],
  ]);
});
