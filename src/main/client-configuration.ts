/** The file that tells a client where a server is, how to know it, and who the client is; command-line tools read it. */

import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** What somebody needs to speak to a server as one user. PEM texts; absent parts are left out. */
export interface Access {
  readonly server: string;
  /** The name under which the user stands in the file. Default: the vocabulary's own admin. */
  readonly user?: string;
  readonly authority?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

/** The object of the configuration file, in the form that v1.21's tools read. */
export interface ClientConfiguration {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  readonly clusters: readonly { readonly name: string; readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly name: string; readonly user: Readonly<Record<string, string>> }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly "current-context": string;
}

export function clientConfiguration(access: Access, vocabulary: Vocabulary): ClientConfiguration {
  const name = vocabulary.name;
  const user = access.user ?? `${name}-admin`;
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          server: access.server,
          ...(access.authority === undefined ? {} : { "certificate-authority-data": base64(access.authority) }),
        },
      },
    ],
    users: [
      {
        name: user,
        user: {
          ...(access.certificate === undefined ? {} : { "client-certificate-data": base64(access.certificate) }),
          ...(access.key === undefined ? {} : { "client-key-data": base64(access.key) }),
          ...(access.token === undefined ? {} : { token: access.token }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  };
}

/** As the text of the file. JSON is YAML, and every tool reads it. */
export function printClientConfiguration(configuration: ClientConfiguration): string {
  return `${JSON.stringify(configuration, null, 2)}\n`;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
