import { expect, test } from "vitest";
import { SelfSubjectRulesReview } from "../../api/authorization/v1/self-subject-rules-review.ts";
import { anonymousUser } from "../../authn/contract.ts";
import type { RulesAnswer } from "../../authz/contract.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { createSelfSubjectRulesReview, rulesCharsMax } from "./rules-review.ts";

const kind = createCatalog([SelfSubjectRulesReview], plainEnvironment()).of(SelfSubjectRulesReview);
const ask = (rulesFor: () => RulesAnswer) =>
  createSelfSubjectRulesReview({
    name: "many",
    authorize: () => ({ outcome: "none", reason: "" }),
    rulesFor,
  }).create({
    kind,
    accepted: undefined,
    ref: { namespace: "", name: "" },
    body: { metadata: {}, spec: { namespace: "a" } },
    context: { user: anonymousUser, dryRun: false, fieldManager: "", warn() {} },
    registry: {} as Registry, // not called
  });

test("rules beyond the limit of an answer are omitted, and the answer is marked as incomplete", async () => {
  const verbs = Array.from({ length: 1_000 }, (_, index) => `verb-${index}`.padEnd(60, "x"));
  const rule = { verbs, apiGroups: [""], resources: ["pods"], resourceNames: [] };
  const answer: RulesAnswer = {
    resourceRules: Array.from({ length: 2_400 }, () => rule),
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
    incomplete: false,
  };
  const { object } = await ask(() => answer);
  expect(JSON.stringify(object).length).toBeLessThan(rulesCharsMax * 1.1);
  expect(object["status"]).toMatchObject({
    incomplete: true,
    evaluationError: expect.stringContaining("more rules"),
    nonResourceRules: [],
  });
});

test("reviews that arrive together are answered in separate turns of the event loop", async () => {
  let turn = 0;
  const turns: number[] = [];
  const count = () => {
    turn++;
    if (turns.length < 5) setImmediate(count);
  };
  setImmediate(count);
  const rulesFor = (): RulesAnswer => {
    turns.push(turn);
    return { resourceRules: [], nonResourceRules: [], incomplete: false };
  };
  await Promise.all(Array.from({ length: 5 }, () => ask(rulesFor)));
  expect(new Set(turns).size).toBe(5);
});
