import { describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { orch } from "../vocabulary/orch.ts";
import { createBearer } from "./bearer.ts";
import { createBootstrapToken } from "./bootstrap-token.ts";
import { accepted, credentials } from "./credentials.suite.ts";
import { createGuessLimit, type GuessLimit, sourcesMax } from "./guess-limit.ts";

const clock = createManualClock(Date.parse("2026-06-01T00:00:00Z"));
const data = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
const good = {
  "token-id": "abc123",
  "token-secret": "0123456789abcdef",
  "usage-bootstrap-authentication": "true",
};
const token = "abc123.0123456789abcdef";

function secretOf(texts: Record<string, string>, more: object = {}, metadata: object = {}): ApiObject {
  return {
    metadata: { name: "bootstrap-token-abc123", ...metadata },
    type: "bootstrap.orch.io/token",
    data: data(texts),
    ...more,
  };
}
const authenticatorFor = (secret: ApiObject | undefined, guessLimit?: GuessLimit) =>
  createBootstrapToken({
    ...(guessLimit ? { guessLimit } : {}),
    lookup: {
      secret: (namespace, name) =>
        namespace === "orch-system" && name === "bootstrap-token-abc123" ? secret : undefined,
    },
    vocabulary: orch,
    clock,
  });
const ask = async (secret: ApiObject | undefined, given = token) =>
  await authenticatorFor(secret).authenticateToken(given);

describe("bootstrap tokens", () => {
  test("each token is its own user in the group of bootstrappers", async () => {
    expect(accepted(await ask(secretOf(good)))).toEqual({
      user: { name: "system:bootstrap:abc123", uid: "", groups: ["system:bootstrappers"], extra: new Map() },
      by: "bootstrap",
      credentialId: "bootstrap abc123",
    });
  });

  test("extra groups are sorted and counted once", async () => {
    const extra = "system:bootstrappers:b,system:bootstrappers:a,system:bootstrappers:b";
    expect(accepted(await ask(secretOf({ ...good, "auth-extra-groups": extra }))).user.groups).toEqual([
      "system:bootstrappers",
      "system:bootstrappers:a",
      "system:bootstrappers:b",
    ]);
  });

  const refused: { why: string; secret: ApiObject | undefined }[] = [
    { why: "no Secret", secret: undefined },
    { why: "another type", secret: secretOf(good, { type: "Opaque" }) },
    {
      why: "a Secret that is being deleted",
      secret: secretOf(good, {}, { deletionTimestamp: "2026-06-01T00:00:00Z" }),
    },
    { why: "another id inside", secret: secretOf({ ...good, "token-id": "zzzzzz" }) },
    { why: "no token-secret", secret: secretOf({ "token-id": "abc123", "usage-bootstrap-authentication": "true" }) },
    { why: "a usage that is not allowed", secret: secretOf({ ...good, "usage-bootstrap-authentication": "TRUE" }) },
    { why: "expired", secret: secretOf({ ...good, expiration: "2026-05-31T23:59:59Z" }) },
    { why: "expires now", secret: secretOf({ ...good, expiration: "2026-06-01T00:00:00Z" }) },
    { why: "an unreadable expiration", secret: secretOf({ ...good, expiration: "soon" }) },
    {
      why: "a group without the prefix of bootstrappers",
      secret: secretOf({ ...good, "auth-extra-groups": "system:masters" }),
    },
    { why: "the prefix alone as a group", secret: secretOf({ ...good, "auth-extra-groups": "system:bootstrappers:" }) },
  ];
  for (const { why, secret } of refused) {
    test(`${why}: refused`, async () => expect(await ask(secret)).toBe("rejected"));
  }

  test("an expiration in another time zone is read", async () => {
    accepted(await ask(secretOf({ ...good, expiration: "2026-06-01T01:30:00+01:00" })));
  });

  test("a wrong secret is refused however similar it is (N25 and A09 in docs/security-rows.md)", async () => {
    for (const given of [
      "abc123.0123456789abcdeg",
      "abc123.1123456789abcdef",
      "abc123.0123456789ABCDEF",
      "abc123.0123456789abcde",
      "ABC123.0123456789abcdef",
      "abc123-0123456789abcdef",
      `${token}\n`,
    ]) {
      expect(await ask(secretOf(good), given), given).toBe("rejected");
    }
  });
});

describe("guessing (A10 in docs/security-rows.md)", () => {
  const time = createManualClock(0);
  const bearer = createBearer({
    tokens: authenticatorFor(secretOf(good), createGuessLimit({ clock: time, failuresPerMinute: 10 })),
  });
  const guess = async (given: string, remoteAddress: string) =>
    await bearer.authenticate(credentials({ headers: { authorization: `Bearer ${given}` }, remoteAddress }));

  test("a source that guesses too often waits, others do not", async () => {
    for (let i = 0; i < 10; i++) expect(await guess("abc123.000000000000000a", "10.0.0.1")).toBe("rejected");
    await expect(async () => await guess(token, "10.0.0.1")).rejects.toMatchObject({ code: 429 });
    accepted(await guess(token, "10.0.0.2"));
    accepted(await guess(token, ""));
    expect(await guess("some-other-token", "10.0.0.1")).toBe("rejected");
    time.advance(60_001);
    accepted(await guess(token, "10.0.0.1"));
  });

  test("tokens that do not exist do not count as guesses", async () => {
    for (let i = 0; i < 20; i++) expect(await guess("zzzzzz.0123456789abcdef", "10.0.0.3")).toBe("rejected");
    accepted(await guess(token, "10.0.0.3"));
  });

  test("the number of remembered sources is bounded", async () => {
    const limit = createGuessLimit({ clock: time, failuresPerMinute: 1 });
    for (let i = 0; i <= sourcesMax; i++) limit.count(`s${i}`);
    limit.check("s0");
    expect(() => limit.check(`s${sourcesMax}`)).toThrow(expect.objectContaining({ code: 429 }));
  });
});
