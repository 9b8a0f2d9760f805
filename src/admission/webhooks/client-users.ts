/** The user that the server authenticates as to each webhook: the users of the client configuration file, named by host. */

import type { ClientUser } from "../../base/callout.ts";
import { parseClientUser } from "../../machinery/client-file/endpoint.ts";
import { elided, type Static, string, struct } from "../../machinery/schema/build.ts";
import { type ConfigurationKind, readConfiguration } from "../configuration/configuration-kind.ts";
import { decodeFile } from "../configuration/operator-file.ts";
import type { AdmissionContext } from "../context.ts";

/** "hooks.example.com:8443" to the user for it. */
export type ClientUsers = (hostAndPort: string) => ClientUser;

const anonymous: ClientUser = { headers: {} };

const fields = struct("config.WebhookAdmissionConfiguration", { kubeConfigFile: elided(string()) });
const WebhookAdmissionConfiguration: ConfigurationKind<Static<typeof fields>> = {
  versions: [
    { apiVersion: "apiserver.config.orch.io/v1", kind: "WebhookAdmissionConfiguration" },
    { apiVersion: "apiserver.config.orch.io/v1alpha1", kind: "WebhookAdmission" },
  ],
  schema: fields,
};

/** Reads the file that the operator's configuration of the plugin names; without one the server is anonymous everywhere. */
export function readClientUsers(
  { configuration, catalog }: Pick<AdmissionContext, "configuration" | "catalog">,
  plugin: string,
): ClientUsers {
  const given = configuration(plugin);
  if (given === undefined) return () => anonymous;
  const { vocabulary } = catalog.environment;
  const { kubeConfigFile = "" } = readConfiguration(WebhookAdmissionConfiguration, given, vocabulary);
  if (kubeConfigFile === "") return () => anonymous;
  const file = given.file.open(kubeConfigFile);
  try {
    return parseClientUsers(decodeFile(file), (path) => file.open(path).text);
  } catch (cause) {
    throw new Error(`${file.path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

interface Entry {
  readonly name?: unknown;
  readonly user?: unknown;
  readonly context?: unknown;
}

/**
 * `configuration` is a client configuration as decoded from YAML. A user is named by the host ("hooks.shop.svc",
 * "hooks.example.com:8443"; the port may be left out when it is 443), by a pattern for the hosts of a domain ("*.shop.svc"),
 * or by "*" for all others; then comes the user of the current context, then none. Throws an Error that says what is wrong.
 */
export function parseClientUsers(configuration: unknown, readFile: (path: string) => string): ClientUsers {
  const root = (configuration ?? {}) as Record<string, unknown>; // validated member by member
  const users = new Map<string, ClientUser>();
  for (const { name, user } of entries(root["users"], "users"))
    if (typeof name === "string") users.set(name, parseClientUser(user ?? {}, readFile));
  const current = entries(root["contexts"], "contexts").find(({ name }) => name === root["current-context"]);
  const userOfContext = (current?.context as { readonly user?: unknown } | undefined)?.user;
  const fallback = users.get("*") ?? (typeof userOfContext === "string" ? users.get(userOfContext) : undefined);
  return (hostAndPort) => {
    for (const name of namesFor(hostAndPort)) {
      const user = users.get(name);
      if (user !== undefined) return user;
    }
    return fallback ?? anonymous;
  };
}

function entries(value: unknown, list: string): readonly Entry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== "object" || entry === null))
    throw new Error(`${list} of the client configuration must be a list of objects`);
  return value;
}

/** The host itself, then the domains it is in, from the narrowest on; each with and without the port when that is 443. */
function namesFor(hostAndPort: string): readonly string[] {
  const colon = hostAndPort.lastIndexOf(":");
  const [host, port] = [hostAndPort.slice(0, colon), hostAndPort.slice(colon + 1)];
  const steps = host.split(".");
  const names = [host, ...steps.slice(1).map((_, index) => `*.${steps.slice(index + 1).join(".")}`)];
  return names.flatMap((name) => (port === "443" ? [`${name}:443`, name] : [`${name}:${port}`]));
}
