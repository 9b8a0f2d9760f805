import { expect, test } from "vitest";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { orch } from "../../vocabulary/orch.ts";
import { type Scenario, withControllers } from "../scenario.suite.ts";
import { hasListedToken, isTokenOf, missingParts, tokenNames } from "./reconcile.ts";
import { serviceAccountToken } from "./wire.ts";

const names = tokenNames(orch);
const account: ServiceAccount = {
  metadata: { namespace: "default", name: "robot", uid: "u1" },
  secrets: [{ name: "s" }],
};
const secret = (annotations: Record<string, string>, type = names.type): Secret => ({
  metadata: { namespace: "default", name: "s", annotations },
  type,
});

const cases = [
  { why: "the right name and uid", given: secret({ [names.account]: "robot", [names.uid]: "u1" }), is: true },
  { why: "no uid yet", given: secret({ [names.account]: "robot" }), is: true },
  { why: "the uid of an earlier account", given: secret({ [names.account]: "robot", [names.uid]: "u0" }), is: false },
  { why: "another account", given: secret({ [names.account]: "other" }), is: false },
  { why: "another type", given: secret({ [names.account]: "robot" }, "Opaque"), is: false },
];
for (const { why, given, is } of cases) {
  test(`a token Secret of the account: ${why}`, () => {
    expect(isTokenOf(given, account, names)).toBe(is);
    expect(hasListedToken(account, () => given, names)).toBe(is);
  });
}

test("empty keys and outdated authorities count as missing", () => {
  const data = { token: "eA==", namespace: "eA==", "ca.crt": Buffer.from("PEM").toString("base64") };
  expect(missingParts({ metadata: {}, data }, "PEM")).toBeUndefined();
  expect(missingParts({ metadata: {}, data: { ...data, "ca.crt": "eA==" } }, "PEM")).toMatchObject({ authority: true });
  expect(missingParts({ metadata: {}, data: { ...data, token: "" } }, "PEM")).toMatchObject({ token: true });
  expect(missingParts({ metadata: {} }, undefined)).toEqual({ token: true, namespace: true, authority: false });
});

const withTokens = (run: (scenario: Scenario) => Promise<void>) =>
  withControllers([serviceAccountToken], run, {
    settings: { rootCa: "PEM", signAccountToken: async ({ secretName }) => `token of ${secretName}` },
    server: { emulatedVersion: "1.21" }, // later releases make none by themselves
  });
const text = (given: Secret, key: string) => Buffer.from(given.data?.[key] ?? "", "base64").toString();

test("an account gets a listed token Secret, another one when it is deleted, and it is deleted with the account", () =>
  withTokens(async ({ client, create, until, untilGone }) => {
    const ref = { namespace: "default", name: "robot" };
    await create(ServiceAccount, { metadata: ref });
    const first = (await until(ServiceAccount, ref, ({ secrets }) => secrets?.length === 1)).secrets?.[0]?.name ?? "";
    const made = await client.of(Secret).get({ namespace: "default", name: first });
    expect(first).toMatch(/^robot-token-[a-z0-9]{5}$/);
    expect([text(made, "token"), text(made, "namespace"), text(made, "ca.crt")]).toEqual([
      `token of ${first}`,
      "default",
      "PEM",
    ]);
    await client.of(Secret).delete({ namespace: "default", name: first });
    const isAnother = ({ secrets }: ServiceAccount) => secrets?.length === 1 && secrets[0]?.name !== first;
    const second = (await until(ServiceAccount, ref, isAnother)).secrets?.[0]?.name ?? "";
    await client.of(ServiceAccount).delete(ref);
    await untilGone(Secret, { namespace: "default", name: second });
  }));

test("a Secret that requests a token is filled, and deleted when its account does not exist", () =>
  withTokens(async ({ create, until, untilGone }) => {
    await create(ServiceAccount, { metadata: { namespace: "default", name: "robot" } });
    const ask = (name: string, of: string): Secret => ({
      metadata: { namespace: "default", name, annotations: { [names.account]: of } },
      type: names.type,
    });
    await create(Secret, ask("extra", "robot"));
    await create(Secret, ask("lost", "nobody"));
    await until(Secret, { namespace: "default", name: "extra" }, (given) => text(given, "token") === "token of extra");
    await untilGone(Secret, { namespace: "default", name: "lost" });
  }));
