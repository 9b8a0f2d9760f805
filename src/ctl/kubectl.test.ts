import { expect, test } from "vitest";
import { behaviourOf } from "./kubectl.ts";

test("the name of the program or the vocabulary of kubectl chooses its behaviour", () => {
  const own = behaviourOf("ctl", "");
  const kubectl = behaviourOf("kubectl", "");
  expect([own.appliesOnServer, kubectl.appliesOnServer]).toEqual([true, false]);
  expect(behaviourOf("ctl", "kubernetes")).toBe(kubectl);
  expect(behaviourOf("ctl", "orch")).toBe(own);
});

test("the log has kubectl's form under its name, and the plain message under ours", () => {
  const line = {
    place: "loader.go:372",
    message: "loaded",
    level: "I",
    atMs: Date.UTC(2024, 2, 5, 6, 7, 8, 9),
  } as const;
  expect(behaviourOf("ctl", "").logLine(line)).toBe("loaded");
  expect(behaviourOf("kubectl", "").logLine(line)).toMatch(/^I0305 06:07:08\.009000 +\d+ loader\.go:372\] loaded$/);
});

test("the names differ in every row", () => {
  const [own, kubectl] = [behaviourOf("ctl", ""), behaviourOf("kubectl", "")];
  for (const key of Object.keys(own) as (keyof typeof own)[]) expect(own[key], key).not.toBe(kubectl[key]);
});
