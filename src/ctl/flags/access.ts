/** The flags that choose the server, and who we are there, for one command. */

import type { AccessOverrides } from "../../client/config/access.ts";
import type { CommonValues } from "./declared.ts";

export interface AccessFlags {
  readonly flags: CommonValues;
  readonly isSet: (name: keyof CommonValues) => boolean;
  /** Global flags that the command declares itself, under a name that means something else there. */
  readonly ownFlags: ReadonlySet<string>;
}

/** The global flags whose value is a text. */
type TextFlag = { [K in keyof CommonValues]-?: CommonValues[K] extends string ? K : never }[keyof CommonValues];

/** What the flags put in place of the client configuration; "" leaves a value as it is there. */
export function accessOverrides({ flags, isSet, ownFlags }: AccessFlags): AccessOverrides {
  const text = (name: TextFlag) => (ownFlags.has(name) ? "" : flags[name]);
  return {
    context: text("context"),
    cluster: text("cluster"),
    user: text("user"),
    server: text("server"),
    namespace: text("namespace"),
    token: text("token"),
    username: text("username"),
    password: text("password"),
    certificateAuthority: text("certificate-authority"),
    clientCertificate: text("client-certificate"),
    clientKey: text("client-key"),
    ...(isSet("insecure-skip-tls-verify") ? { insecureSkipTlsVerify: flags["insecure-skip-tls-verify"] } : {}),
    tlsServerName: text("tls-server-name"),
    as: text("as"),
    asGroups: flags["as-group"],
  };
}
