import { expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { apiserverFlags } from "./apiserver-flags.ts";
import { insecureChoices } from "./insecure-choices.ts";

const choices = (...args: string[]) => insecureChoices(parseFlags(apiserverFlags, args).values);

const secure = ["--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction"];

test("the settings of `orch up` cause no warning (B05 in docs/security-rows.md)", () => {
  expect(choices(...secure)).toEqual([]);
});

const cases: [flags: string[], says: RegExp][] = [
  [["--authorization-mode=AlwaysAllow"], /AlwaysAllow/],
  [["--authorization-mode=ABAC"], /ABAC/],
  [["--enable-admission-plugins=AlwaysAdmit"], /NodeRestriction/],
  [
    ["--requestheader-client-ca-file=x", "--requestheader-username-headers=X-Remote-User"],
    /--requestheader-allowed-names/,
  ],
  [["--requestheader-client-ca-file=x", "--requestheader-allowed-names=proxy"], /--requestheader-username-headers/],
  [["--token-auth-file=x"], /--token-auth-file/],
  [["--service-account-lookup=false"], /--service-account-lookup/],
  [["--service-account-issuer=https://x"], /--service-account-max-token-expiration/],
  [["--oidc-issuer-url=https://x", "--oidc-username-prefix=-"], /--oidc-username-prefix/],
  [["--oidc-issuer-url=https://x", "--oidc-groups-claim=groups"], /--oidc-groups-prefix/],
  [["--kvstore-servers=http://192.0.2.1:2379"], /not encrypted/],
  [["--tls-min-version=VersionTLS10"], /--tls-min-version/],
];
for (const [flags, says] of cases) {
  test(`${flags.join(" ")} causes a warning`, () => {
    const names = new Set(flags.map((flag) => flag.split("=")[0]));
    const others = secure.filter((flag) => !names.has(flag.split("=")[0]));
    expect(choices(...others, ...flags)).toEqual([expect.stringMatching(says)]);
  });
}

test("a store on the same machine may be reached without TLS", () => {
  expect(
    choices(...secure, "--kvstore-servers=http://127.0.0.1:2379,https://192.0.2.1:2379,http://[::1]:2379"),
  ).toEqual([]);
});
