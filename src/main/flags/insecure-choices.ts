/** Describes, in sentences for a person, which of their settings make a server easier to attack. */

import type { ApiServerFlags } from "../apiserver.ts";
import { isLoopback } from "./addresses.ts";

/** Empty: no weak settings. Weak defaults of v1.21 count too. */
export function insecureChoices(flags: ApiServerFlags): readonly string[] {
  const modes = flags["authorization-mode"];
  const plugins = flags["enable-admission-plugins"];
  const choices: [boolean, string][] = [
    [modes.includes("AlwaysAllow"), "--authorization-mode=AlwaysAllow lets everybody who is known do anything"],
    [modes.includes("ABAC"), "--authorization-mode=ABAC cannot take rights back without a restart; prefer RBAC"],
    [
      modes.includes("Node") && !plugins.includes("NodeRestriction"),
      "without --enable-admission-plugins=NodeRestriction every node may change every other node and pod",
    ],
    [
      flags["requestheader-client-ca-file"] !== "" && flags["requestheader-allowed-names"].length === 0,
      "without --requestheader-allowed-names every certificate of --requestheader-client-ca-file may name any user",
    ],
    [flags["token-auth-file"] !== "", "tokens of --token-auth-file never end and can only be withdrawn by a restart"],
    [!flags["service-account-lookup"], "--service-account-lookup=false accepts tokens of accounts that were deleted"],
    [
      flags["service-account-issuer"] !== "" && flags["service-account-max-token-expiration"] === 0,
      "without --service-account-max-token-expiration tokens may be asked for that last for decades",
    ],
    [
      flags["oidc-issuer-url"] !== "" && flags["oidc-username-prefix"] === "-",
      "--oidc-username-prefix=- lets the provider name users of the system",
    ],
    [
      flags["oidc-issuer-url"] !== "" && flags["oidc-groups-claim"] !== "" && flags["oidc-groups-prefix"] === "",
      "without --oidc-groups-prefix the provider may put users into groups of the system",
    ],
    [
      flags["kvstore-servers"].some(isOpen),
      "a store is reached over http: whoever is between reads and changes everything",
    ],
    [
      ["VersionTLS10", "VersionTLS11"].includes(flags["tls-min-version"]),
      "--tls-min-version asks for a broken version of TLS; 1.2 is the oldest that is spoken",
    ],
  ];
  return choices.filter(([isChosen]) => isChosen).map(([, sentence]) => sentence);
}

function isOpen(url: string): boolean {
  return url.startsWith("http://") && !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));
}
