import { expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld } from "../admission.suite.ts";
import { createReinvocation } from "./reinvocation.ts";
import { type Webhook, webhooksOf } from "./webhook.ts";

const webhook = (name: string, reinvocationPolicy: string): Webhook =>
  webhooksOf(
    {
      metadata: { name: "c" },
      webhooks: [{ name, reinvocationPolicy, clientConfig: {}, sideEffects: "None", admissionReviewVersions: ["v1"] }],
    },
    "mutating",
    "1.21",
  )[0]!;
const a = webhook("a", "IfNeeded");
const b = webhook("b", "IfNeeded");
const never = webhook("never", "Never");

/** Which of the webhooks are called in round 1, when in round 0 each answered as listed; `plugin` changes the object in between. */
function secondRound(calls: readonly [Webhook, boolean][], plugin?: (object: ApiObject) => void): string[] {
  const { request } = createWorld([]);
  const object: ApiObject = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "x" } };
  const made = request("configmaps", { object, namespace: "n" });
  const reinvocation = createReinvocation();
  reinvocation.begin(made);
  for (const [one, changed] of calls) if (reinvocation.calls(made, one)) reinvocation.called(one, changed);
  reinvocation.end(made);
  plugin?.(object);
  const again = Object.create(made, { round: { value: 1 } }) as typeof made; // the same request, a round later
  Object.defineProperty(again, "object", { value: object });
  reinvocation.begin(again);
  return calls.filter(([one]) => reinvocation.calls(again, one)).map(([{ name }]) => name);
}

test("a webhook is called again when a later one changed the object", () => {
  expect(
    secondRound([
      [a, false],
      [never, true],
    ]),
  ).toEqual(["a"]);
});
test("not if only the webhook itself changed the object", () => {
  expect(
    secondRound([
      [never, true],
      [a, true],
    ]),
  ).toEqual([]);
});
test("of two that both change, the first is called again", () => {
  expect(
    secondRound([
      [a, true],
      [b, true],
    ]),
  ).toEqual(["a"]);
});
test("a webhook with the policy Never is not called again", () => {
  expect(
    secondRound([
      [never, false],
      [a, true],
    ]),
  ).toEqual([]);
});
test("all with the policy IfNeeded are called again when a plugin of the server changed the object after them", () => {
  const label = (object: ApiObject) => {
    object.metadata.labels = { a: "b" };
  };
  expect(
    secondRound(
      [
        [a, false],
        [never, false],
        [b, true],
      ],
      label,
    ),
  ).toEqual(["a", "b"]);
});
