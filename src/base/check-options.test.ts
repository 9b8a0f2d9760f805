import { expect, test } from "vitest";
import {
  amount,
  checkOptions,
  count,
  either,
  filled,
  listOf,
  oneOf,
  options,
  required,
  text,
} from "./check-options.ts";

interface Options {
  readonly name: string;
  readonly mode?: string;
  readonly times?: readonly number[];
  readonly retry?: { readonly attempts?: number };
  readonly server?: unknown;
}
const shape = {
  name: required(filled),
  mode: oneOf("RBAC", "AlwaysAllow"),
  times: listOf(amount(0)),
  retry: options<{ attempts: number }>({ attempts: count(1) }),
  server: either("a URL or a server", text),
};

const cases: readonly { readonly given: unknown; readonly says: string | undefined }[] = [
  { given: { name: "a" }, says: undefined },
  { given: { name: "a", mode: undefined, times: [0, 1.5], retry: {} }, says: undefined },
  { given: { name: "a", moed: "RBAC" }, says: 'open has no option "moed"; did you mean "mode"?' },
  {
    given: { name: "a", telescope: 1 },
    says: 'open has no option "telescope"; there are name, mode, times, retry, server',
  },
  {
    given: { name: "a", mode: "rbac" },
    says: 'open: mode must be "RBAC" or "AlwaysAllow", not "rbac"; did you mean "RBAC"?',
  },
  { given: {}, says: "open: name is needed" },
  { given: { name: "" }, says: 'open: name must be a text that is not empty, not ""' },
  { given: { name: "a", times: [1, Number.NaN] }, says: "open: times[1] must be a number of at least 0, not NaN" },
  {
    given: { name: "a", retry: { attempts: 0 } },
    says: "open: retry.attempts must be a whole number of at least 1, not 0",
  },
  {
    given: { name: "a", retry: { atempts: 1 } },
    says: 'open: retry has no option "atempts"; did you mean "attempts"?',
  },
  { given: { name: "a", server: { token: "secret" } }, says: "open: server must be a URL or a server, not an object" },
  { given: { name: "a", mode: "x".repeat(41) }, says: 'open: mode must be "RBAC" or "AlwaysAllow", not a longer text' },
  { given: null, says: "open must be an object, not null" },
];

for (const { given, says } of cases)
  test(`options ${JSON.stringify(given)}: ${says ?? "are right"}`, () => {
    const check = () => checkOptions<Options>("open", given as Options, shape); // as a program in JavaScript may
    if (says === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(new TypeError(says));
  });

test("members of an object with a class of its own are its own matter", () => {
  class Mine {
    readonly name = "a";
    readonly other = 1;
  }
  expect(() => checkOptions<Options>("open", new Mine(), shape)).not.toThrow();
});
