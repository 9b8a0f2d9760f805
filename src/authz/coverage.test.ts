import { describe, expect, test } from "vitest";
import { measureWork } from "../base/processor-time.suite.ts";
import { coverageStepsMax, covers, missingShownMax } from "./coverage.ts";
import { compileRule, type PolicyRule } from "./policy-rule.ts";

const ask = (owned: PolicyRule[], wanted: PolicyRule[]) => covers(owned.map(compileRule), wanted);
const pods = (verbs: string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs,
  apiGroups: [""],
  resources: ["pods"],
  ...more,
});

describe("coverage of rules by rules", () => {
  const cases: { why: string; owned: PolicyRule[]; wanted: PolicyRule[]; covered: boolean }[] = [
    { why: "nothing is covered by nothing", owned: [], wanted: [], covered: true },
    { why: "a rule covers itself", owned: [pods(["get"])], wanted: [pods(["get"])], covered: true },
    { why: "another verb is missing", owned: [pods(["get"])], wanted: [pods(["get", "delete"])], covered: false },
    { why: "a star covers every verb", owned: [pods(["*"])], wanted: [pods(["anything"])], covered: true },
    { why: "a verb does not cover a star", owned: [pods(["get", "list"])], wanted: [pods(["*"])], covered: false },
    {
      why: "two rules together cover a combined one",
      owned: [pods(["get"]), { ...pods(["get"]), resources: ["services"] }],
      wanted: [{ ...pods(["get"]), resources: ["pods", "services"] }],
      covered: true,
    },
    {
      why: "names cover those names",
      owned: [pods(["get"], { resourceNames: ["a", "b"] })],
      wanted: [pods(["get"], { resourceNames: ["a"] })],
      covered: true,
    },
    {
      why: "names do not cover all names",
      owned: [pods(["get"], { resourceNames: ["a"] })],
      wanted: [pods(["get"])],
      covered: false,
    },
    {
      why: "a subresource of everything covers that of one resource",
      owned: [{ ...pods(["get"]), resources: ["*/log"] }],
      wanted: [{ ...pods(["get"]), resources: ["pods/log"] }],
      covered: true,
    },
    {
      why: "a path pattern covers what begins like it",
      owned: [{ verbs: ["get"], nonResourceURLs: ["/healthz/*"] }],
      wanted: [{ verbs: ["get"], nonResourceURLs: ["/healthz/ping"] }],
      covered: true,
    },
    {
      why: "resource rules do not cover paths",
      owned: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      wanted: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }],
      covered: false,
    },
  ];
  for (const { why, owned, wanted, covered } of cases) {
    test(why, () => expect(ask(owned, wanted).covered).toBe(covered));
  }

  test("missing rights are named one by one, the first few of them", () => {
    expect(ask([pods(["get"])], [pods(["get", "delete"])])).toEqual({
      covered: false,
      missing: [{ verbs: ["delete"], apiGroups: [""], resources: ["pods"] }],
      tooComplex: false,
    });
    const verbs = Array.from({ length: 100 }, (_, i) => `v${i}`);
    expect(ask([], [pods(verbs)])).toMatchObject({ missing: { length: missingShownMax } });
  });

  test("lists whose product is too large are refused", () => {
    const many = (prefix: string) => Array.from({ length: 1_000 }, (_, i) => `${prefix}${i}`);
    const huge = { verbs: many("v"), apiGroups: many("g"), resources: many("r"), resourceNames: many("n") };
    const owned = [
      { ...huge, verbs: huge.verbs.slice(1) },
      { ...huge, verbs: huge.verbs.slice(0, 1) },
    ];
    const spentMs = measureWork();
    expect(ask(owned, [huge])).toMatchObject({ covered: false, tooComplex: true });
    expect(spentMs()).toBeLessThan(5_000);
    expect(ask([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], [huge]).covered).toBe(true);
    expect(coverageStepsMax).toBeLessThan(1_000_000);
  });
});
