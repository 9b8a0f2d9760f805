import { describe, expect, test } from "vitest";
import type { Callout } from "../base/callout.ts";
import { createManualClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { orch } from "../vocabulary/orch.ts";
import { alwaysAllow } from "./always-allow.ts";
import { alwaysDeny } from "./always-deny.ts";
import type { Attributes, Authorizer, Decision } from "./contract.ts";
import { masters } from "./masters.ts";
import { createUnion } from "./union.ts";
import { createWebhookAuthorizer, webhookCacheEntriesMax } from "./webhook.ts";

const user = { name: "ann", uid: "u1", groups: ["dev"], extra: new Map([["scope", ["a"]]]) };
const asked: Attributes = {
  user,
  verb: "get",
  isResource: true,
  path: "",
  group: "apps",
  version: "v1",
  resource: "deployments",
  subresource: "",
  namespace: "ns",
  name: "d",
};
const saying = (decision: Decision, later = false): Authorizer => ({
  name: "test",
  authorize: () => (later ? Promise.resolve(decision) : decision),
});
const none = (reason: string): Decision => ({ outcome: "none", reason });

describe("the union of authorizers", () => {
  for (const later of [false, true]) {
    test(`the first that allows or denies decides (answers ${later ? "later" : "at once"})`, async () => {
      const allow = saying({ outcome: "allow", reason: "yes" }, later);
      const deny = saying({ outcome: "deny", reason: "no" }, later);
      expect(await createUnion([saying(none("a"), later), allow, deny]).authorize(asked)).toMatchObject({
        outcome: "allow",
      });
      expect(await createUnion([deny, allow]).authorize(asked)).toEqual({ outcome: "deny", reason: "no" });
      expect(
        await createUnion([saying(none("a"), later), saying(none(""), later), saying(none("b"))]).authorize(asked),
      ).toEqual(none("a\nb"));
    });
  }
  test("without any module nothing is allowed", async () => {
    expect((await createUnion([]).authorize(asked)).outcome).toBe("none");
  });

  test("members of system:masters may do anything, regardless of other authorizers", async () => {
    const union = createUnion([masters, alwaysDeny]);
    const master = { ...asked, user: { ...user, groups: ["system:masters"] } };
    expect((await union.authorize(master)).outcome).toBe("allow");
    expect((await union.authorize(asked)).outcome).toBe("none");
    const nearly = {
      ...asked,
      user: { ...user, name: "system:masters", groups: ["System:masters", "system:masters "] },
    };
    expect((await union.authorize(nearly)).outcome).toBe("none");
  });

  test("the rules of all authorizers are joined, and one that cannot list rules makes the list incomplete", async () => {
    const union = createUnion([masters, alwaysAllow, saying(none(""))]);
    expect(await union.rulesFor?.(user, "ns")).toMatchObject({
      resourceRules: [{ verbs: ["*"] }],
      incomplete: true,
      evaluationError: expect.stringContaining("test"),
    });
    expect(await createUnion([masters, alwaysDeny]).rulesFor?.(user, "ns")).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: false,
    });
  });
});

describe("the authorization webhook", () => {
  function setup(answer: (question: object) => unknown, version: "v1" | "v1beta1" = "v1", sendsSelectors = false) {
    const questions: object[] = [];
    const clock = createManualClock(0);
    const callout: Callout = async (question) => {
      questions.push(question);
      return { kind: "SubjectAccessReview", status: answer(question) };
    };
    const options = {
      callout,
      version,
      allowedTtlMs: 300_000,
      deniedTtlMs: 30_000,
      sendsSelectors,
      vocabulary: orch,
      clock,
      log: silentLog,
    };
    return { authorizer: createWebhookAuthorizer(options), questions, clock };
  }

  test("receives the selectors of a request where the level has them", async () => {
    const fieldSelector = [{ key: "spec.nodeName", operator: "In" as const, values: ["n1"] }];
    const ask = async (sendsSelectors: boolean) => {
      const { authorizer, questions } = setup(() => ({ allowed: true }), "v1", sendsSelectors);
      await authorizer.authorize({ ...asked, fieldSelector });
      return questions[0];
    };
    expect(await ask(true)).toMatchObject({
      spec: { resourceAttributes: { fieldSelector: { requirements: fieldSelector } } },
    });
    expect(JSON.stringify(await ask(false))).not.toContain("fieldSelector");
  });

  test("is called in the configured version, without empty fields", async () => {
    const { authorizer, questions } = setup(() => ({ allowed: true, reason: "fine" }), "v1beta1");
    expect(await authorizer.authorize(asked)).toEqual({ outcome: "allow", reason: "fine" });
    expect(questions).toEqual([
      {
        apiVersion: "authorization.orch.io/v1beta1",
        kind: "SubjectAccessReview",
        spec: {
          resourceAttributes: {
            namespace: "ns",
            verb: "get",
            group: "apps",
            version: "v1",
            resource: "deployments",
            name: "d",
          },
          user: "ann",
          group: ["dev"],
          extra: { scope: ["a"] },
          uid: "u1",
        },
      },
    ]);
  });

  test("answers are cached for their time, and concurrent requests share one call", async () => {
    const { authorizer, questions, clock } = setup(() => ({ allowed: true }));
    await Promise.all([authorizer.authorize(asked), authorizer.authorize(asked)]);
    await authorizer.authorize(asked);
    expect(questions).toHaveLength(1);
    clock.advance(300_000);
    await authorizer.authorize(asked);
    expect(questions).toHaveLength(2);
  });

  const answers: { why: string; status: unknown; outcome: string }[] = [
    { why: "neither allowed nor denied", status: { allowed: false }, outcome: "none" },
    { why: "denied", status: { allowed: false, denied: true }, outcome: "deny" },
    { why: "both", status: { allowed: true, denied: true }, outcome: "none" },
    { why: "allowed as text", status: { allowed: "true" }, outcome: "none" },
    { why: "no status", status: undefined, outcome: "none" },
  ];
  for (const { why, status, outcome } of answers) {
    test(`an answer that is ${why} counts as ${outcome}`, async () => {
      expect((await setup(() => status).authorizer.authorize(asked)).outcome).toBe(outcome);
    });
  }

  test("a failing service allows nothing and is called again", async () => {
    const { authorizer, questions } = setup(() => {
      throw new Error("down");
    });
    expect(await authorizer.authorize(asked)).toMatchObject({ outcome: "none" });
    await authorizer.authorize(asked);
    expect(questions).toHaveLength(2);
  });

  test("the cache is bounded, and long requests are not cached", async () => {
    const { authorizer, questions } = setup(() => ({ allowed: true }));
    for (let i = 0; i <= webhookCacheEntriesMax; i++) await authorizer.authorize({ ...asked, name: `n${i}` });
    await authorizer.authorize({ ...asked, name: "n0" });
    expect(questions).toHaveLength(webhookCacheEntriesMax + 2);
    const long = { ...asked, name: "x".repeat(20_000) };
    await authorizer.authorize(long);
    await authorizer.authorize(long);
    expect(questions).toHaveLength(webhookCacheEntriesMax + 4);
  });
});
