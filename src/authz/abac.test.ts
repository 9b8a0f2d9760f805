import { describe, expect, test } from "vitest";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { orch } from "../vocabulary/orch.ts";
import { createAbac } from "./abac.ts";
import { parsePolicies } from "./abac-policy.ts";

const line = (spec: object) =>
  JSON.stringify({ apiVersion: "abac.authorization.orch.io/v1beta1", kind: "Policy", spec });

describe("policy files", () => {
  test("comments and blank lines are skipped, both forms are read", () => {
    const text = `# people\n\n${line({ user: "ann", resource: "pods" })}\n{"user":"bob","resource":"pods"}\n`;
    expect(parsePolicies(text, orch)).toEqual([
      { user: "ann", group: "", readonly: false, apiGroup: "", resource: "pods", namespace: "", nonResourcePath: "" },
      { user: "bob", group: "", readonly: false, apiGroup: "*", resource: "pods", namespace: "*", nonResourcePath: "" },
    ]);
  });

  test("in the old form an omitted field matches everything, but only for authenticated users", () => {
    expect(parsePolicies('{"readonly":true}', orch)).toEqual([
      {
        user: "",
        group: "system:authenticated",
        readonly: true,
        apiGroup: "*",
        resource: "*",
        namespace: "*",
        nonResourcePath: "*",
      },
    ]);
  });

  test("a star is everyone who has authenticated, never an anonymous caller (D02 in docs/security-rows.md)", () => {
    expect(parsePolicies(line({ user: "*", resource: "*" }), orch)[0]).toMatchObject({
      user: "",
      group: "system:authenticated",
    });
  });

  test("the group has the name of the vocabulary", () => {
    const text = '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"ann"}}';
    expect(parsePolicies(text, kubernetes)).toHaveLength(1);
    expect(() => parsePolicies(text, orch)).toThrow("line 1");
  });

  const broken = ["{", "[]", '{"user":1}', '{"apiVersion":"x/v1","kind":"Policy"}', line({ readonly: "yes" })];
  for (const text of broken) {
    test(`${text} is refused with its line`, () => expect(() => parsePolicies(`\n${text}`, orch)).toThrow("line 2"));
  }
});

describe("ABAC", () => {
  test("rules of a user are listed by namespace", async () => {
    const policies = parsePolicies(
      [
        line({ user: "ann", namespace: "a", resource: "pods", apiGroup: "", readonly: true }),
        line({ user: "ann", namespace: "*", resource: "*", apiGroup: "*", nonResourcePath: "/x" }),
        line({ user: "bob", namespace: "*", resource: "*", apiGroup: "*" }),
      ].join("\n"),
      orch,
    );
    const user = { name: "ann", uid: "", groups: [], extra: new Map() };
    expect(await createAbac(policies).rulesFor?.(user, "a")).toEqual({
      resourceRules: [
        { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"], resourceNames: [] },
        { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [] },
      ],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/x"] }],
      incomplete: false,
    });
  });
});
