/** The client configuration file: where a server is, how to verify it, and the client's credentials; command-line tools read it. */

import { isDeepStrictEqual } from "node:util";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

/** What a client needs to reach a server as one user. PEM texts; absent parts are omitted. */
interface UserAccess {
  readonly server: string;
  /** The name of the user in the file. Default: the vocabulary's own admin. */
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

export function clientConfiguration(access: UserAccess, vocabulary: Vocabulary): ClientConfiguration {
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

/** The text that anyone may read before they have credentials: where the server is and how to verify it, without users. */
export function printClusterInfo({ server, authority }: Required<Pick<UserAccess, "server" | "authority">>): string {
  const cluster = { server, "certificate-authority-data": base64(authority) };
  return `${JSON.stringify({ apiVersion: "v1", kind: "Config", clusters: [{ name: "", cluster }] }, null, 2)}\n`;
}

/** As the text of the file. JSON is YAML, and every tool reads it. */
export function printClientConfiguration(configuration: ClientConfiguration): string {
  return `${JSON.stringify(configuration, null, 2)}\n`;
}

/**
 * The text of a file that may have been changed by its user: cluster, user and context of our names are brought up to date,
 * everything else stays. A file in which nothing has to change stays as it is, comments included.
 */
export function updateClientConfiguration(text: string | undefined, configuration: ClientConfiguration): string {
  const found = text === undefined ? undefined : readConfiguration(text);
  if (text === undefined || found === undefined) return printClientConfiguration(configuration);
  const next = {
    ...found,
    clusters: withEntry(found["clusters"], "cluster", configuration.clusters[0]!),
    users: withEntry(found["users"], "user", configuration.users[0]!),
    contexts: withEntry(found["contexts"], "context", configuration.contexts[0]!),
    "current-context": found["current-context"] || configuration["current-context"],
  };
  return isDeepStrictEqual(next, found) ? text : `${JSON.stringify(next, null, 2)}\n`;
}

/** The URL of the server of the current context; undefined: the text does not say. */
export function serverOf(text: string): string | undefined {
  const found = readConfiguration(text);
  const byName = (list: unknown, name: unknown) =>
    (Array.isArray(list) ? list : []).filter(isRecord).find((one) => one["name"] === name);
  const context = byName(found?.["contexts"], found?.["current-context"])?.["context"];
  const cluster = isRecord(context) ? byName(found?.["clusters"], context["cluster"])?.["cluster"] : undefined;
  const server = isRecord(cluster) ? cluster["server"] : undefined;
  return typeof server === "string" ? server : undefined;
}

function readConfiguration(text: string): Record<string, unknown> | undefined {
  try {
    const value = decodeYaml(Buffer.from(text)); // JSON as we write it, or YAML into which a tool converted it
    return isRecord(value) && value["kind"] === "Config" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The list with the entry of that name updated, or with a new one at its end. */
function withEntry(list: unknown, part: string, entry: { readonly name: string }): unknown[] {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const own = (entry as Record<string, unknown>)[part] as Record<string, unknown>; // as ClientConfiguration declares it
  const isOurs = (one: unknown) => isRecord(one) && one["name"] === entry.name;
  if (!entries.some(isOurs)) return [...entries, entry];
  return entries.map((one) => {
    if (!isOurs(one) || !isRecord(one)) return one;
    return { ...one, [part]: { ...(isRecord(one[part]) ? one[part] : {}), ...own } };
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
