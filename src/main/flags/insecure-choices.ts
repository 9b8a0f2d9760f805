/** Describes, in sentences for a person, which of their settings make a server easier to attack. */

import { isLoopback } from "../addresses.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";

/** Empty: no weak settings. Weak defaults of v1.21 count too. */
export function insecureChoices(flags: ApiServerFlags): readonly string[] {
  // With a file of authorizers the mode is not read.
  const modes = flags["authorization-config"] === "" ? flags["authorization-mode"] : [];
  const plugins = flags["enable-admission-plugins"];
  const choices: [boolean, string][] = [
    [modes.includes("AlwaysAllow"), "--authorization-mode=AlwaysAllow lets every authenticated user do anything"],
    [modes.includes("ABAC"), "--authorization-mode=ABAC cannot revoke access without a restart; prefer RBAC"],
    [
      modes.includes("Node") && !plugins.includes("NodeRestriction"),
      "without --enable-admission-plugins=NodeRestriction a node may change other nodes and their pods",
    ],
    [
      flags["requestheader-client-ca-file"] !== "" && flags["requestheader-allowed-names"].length === 0,
      "without --requestheader-allowed-names every certificate of --requestheader-client-ca-file may name any user",
    ],
    [
      flags["requestheader-client-ca-file"] !== "" && flags["requestheader-username-headers"].length === 0,
      "without --requestheader-username-headers no request of a front proxy has a user, so --requestheader-client-ca-file has no effect",
    ],
    [flags["token-auth-file"] !== "", "tokens of --token-auth-file never expire and can only be revoked by a restart"],
    [!flags["service-account-lookup"], "--service-account-lookup=false accepts tokens of accounts that were deleted"],
    [
      flags["service-account-issuer"] !== "" && flags["service-account-max-token-expiration"] === 0,
      "without --service-account-max-token-expiration a client may request a token that is valid for decades",
    ],
    [
      flags["oidc-issuer-url"] !== "" && flags["oidc-username-prefix"] === "-",
      "--oidc-username-prefix=- lets the provider issue tokens for system users",
    ],
    [
      flags["oidc-issuer-url"] !== "" && flags["oidc-groups-claim"] !== "" && flags["oidc-groups-prefix"] === "",
      "without --oidc-groups-prefix the provider may put users into system groups",
    ],
    [
      flags["kvstore-servers"].some(isOpen),
      "the connection to the store is not encrypted: anyone on the network can read and change everything",
    ],
    [
      ["VersionTLS10", "VersionTLS11"].includes(flags["tls-min-version"]),
      "--tls-min-version names a broken version of TLS; 1.2 is the oldest supported one",
    ],
  ];
  return choices.filter(([isChosen]) => isChosen).map(([, sentence]) => sentence);
}

function isOpen(url: string): boolean {
  return url.startsWith("http://") && !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));
}
