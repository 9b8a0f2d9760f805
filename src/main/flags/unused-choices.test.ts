import { expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { apiserverFlags } from "./apiserver-flags.ts";
import { unusedChoices } from "./unused-choices.ts";

const choices = (...args: string[]) => unusedChoices(parseFlags(apiserverFlags, args).values);

test.each([
  "--oidc-ca-file=/ca.pem",
  "--oidc-groups-claim=groups",
  "--oidc-groups-prefix=x:",
  "--oidc-required-claim=a=b",
  "--oidc-username-prefix=x:",
])("%s without a provider has no effect, and that is said", (flag) => {
  const [name] = flag.split("=");
  expect(choices(flag)).toEqual([
    `${name} has no effect without --oidc-issuer-url: no token of a provider is accepted`,
  ]);
  expect(choices(flag, "--oidc-issuer-url=https://x", "--oidc-client-id=y")).toEqual([]);
});

test("nothing is said about the defaults", () => expect(choices()).toEqual([]));
