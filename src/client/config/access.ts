/** From a merged configuration and the flags of one command to one server and one user. */

import { readFileSync } from "node:fs";
import type { TlsIdentity } from "../../base/https-call.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import { type ExecPlugin, execPluginOf } from "./exec-plugin.ts";
import { ConfigError, ContextNotFound, type Located, type MergedConfig, pathOf, textOf } from "./file.ts";
import type { Impersonation } from "./impersonation.ts";
import { checkProxy } from "./proxy.ts";
import { isPem, shown } from "./shown.ts";
import { checkedToken } from "./token.ts";

/** The values of flags; absent or empty: those of the configuration are used. */
export interface AccessOverrides {
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly server?: string;
  readonly namespace?: string;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  /** A file in PEM, or its content; the same for the next two. */
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly as?: string;
  readonly asGroups?: readonly string[];
}

export interface ClientAccess {
  /** The address of the server, without a trailing slash; it may have a path. */
  readonly server: string;
  readonly namespace: string;
  /** Through which the server is reached; undefined: directly. */
  readonly proxy?: URL | undefined;
  readonly tls: TlsIdentity;
  /** Read again for each request: a token in a file is rotated by writing the file. */
  readonly token: (() => string) | undefined;
  readonly basic: { readonly username: string; readonly password: string } | undefined;
  readonly exec: ExecPlugin | undefined;
  readonly impersonate: Impersonation | undefined;
}

/** Undefined: nothing names a server, neither a file nor a flag. */
export function resolveAccess(config: MergedConfig, overrides: AccessOverrides): ClientAccess | undefined {
  const contextName = overrides.context || config.currentContext;
  const context = config.contexts.get(contextName);
  if (context === undefined && overrides.context) throw new ContextNotFound(overrides.context);
  const clusterName = overrides.cluster || textOf(context?.value, "cluster");
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined && overrides.cluster && !overrides.server)
    throw new ConfigError(`no server found for cluster "${overrides.cluster}"`);
  const userName = overrides.user || textOf(context?.value, "user");
  const user = config.users.get(userName);
  if (user === undefined && overrides.user) throw new ConfigError(`auth info "${overrides.user}" does not exist`);
  if (user === undefined && userName !== "" && context !== undefined)
    throw new ConfigError(`auth info "${userName}" does not exist`);
  const server = overrides.server || textOf(cluster?.value, "server");
  if (server === "") {
    if (cluster !== undefined) throw new ConfigError(`no server found for cluster "${clusterName}"`);
    if (context !== undefined && clusterName !== "") throw new ConfigError(`cluster "${clusterName}" does not exist`);
    return undefined;
  }
  return {
    server: serverUrl(server),
    namespace: overrides.namespace || textOf(context?.value, "namespace") || "default",
    proxy: checkProxy(textOf(cluster?.value, "proxy-url")),
    tls: tlsOf({ cluster, clusterName, user, userName }, overrides),
    ...credentialsOf(user, cluster, overrides, server),
    impersonate: impersonationOf(user, userName, overrides),
  };
}

/** `localhost:8080` means http, as it always has; anything else must be a URL. */
function serverUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) throw new ConfigError(`the server "${shown(text)}" must be a URL such as https://host:6443`);
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

interface Entries {
  readonly cluster: Located | undefined;
  readonly clusterName: string;
  readonly user: Located | undefined;
  readonly userName: string;
}

function tlsOf({ cluster, clusterName, user, userName }: Entries, overrides: AccessOverrides): TlsIdentity {
  const insecure = overrides.insecureSkipTlsVerify ?? cluster?.value["insecure-skip-tls-verify"] === true;
  const overriddenCa = overrides.certificateAuthority;
  const ca = overriddenCa
    ? readPem(overriddenCa, "certificate-authority", clusterName)
    : overrides.insecureSkipTlsVerify
      ? undefined // what the cluster says about certificates no longer matters
      : pemOf(cluster, "certificate-authority", clusterName);
  if (insecure && ca !== undefined)
    throw new ConfigError("specifying a root certificates file with the insecure flag is not allowed");
  const cert = overrides.clientCertificate
    ? readPem(overrides.clientCertificate, "client-cert", userName)
    : pemOf(user, "client-certificate", userName);
  const key = overrides.clientKey
    ? readPem(overrides.clientKey, "client-key", userName)
    : pemOf(user, "client-key", userName);
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError("a client certificate needs its key, and a client key needs its certificate");
  const serverName = overrides.tlsServerName || textOf(cluster?.value, "tls-server-name");
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(serverName === "" ? {} : { serverName }),
    ...(insecure ? { insecure: true } : {}),
  };
}

function pemOf(located: Located | undefined, key: string, name: string): string | undefined {
  if (located === undefined) return undefined;
  const data = textOf(located.value, `${key}-data`);
  if (data !== "") return Buffer.from(data, "base64").toString("utf8");
  const path = textOf(located.value, key);
  if (path === "") return undefined;
  if (isPem(path))
    throw new ConfigError(`${key} of ${name} must be a path; the content belongs into ${key}-data, in base64`);
  return read(pathOf(located, path), key === "client-certificate" ? "client-cert" : key, name);
}

/** `name`: the entry of the configuration that the file is for. */
function read(path: string, what: string, name = ""): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Without the cause, which repeats the path.
    const told = shown(path);
    throw new ConfigError(`unable to read ${what} ${told} for ${name} due to open ${told}: no such file or directory`);
  }
}

/** A file in PEM, or its content. */
const readPem = (given: string, what: string, name: string) => (isPem(given) ? given : read(given, what, name));

function credentialsOf(
  user: Located | undefined,
  cluster: Located | undefined,
  overrides: AccessOverrides,
  server: string,
): Pick<ClientAccess, "token" | "basic" | "exec"> {
  const none = { token: undefined, basic: undefined, exec: undefined };
  if (overrides.token) {
    const { token } = overrides;
    return { ...none, token: () => checkedToken(token, "the given token") };
  }
  if (overrides.username)
    return { ...none, basic: { username: overrides.username, password: overrides.password ?? "" } };
  if (user === undefined) return none;
  const provider = user.value["auth-provider"];
  if (isObject(provider))
    throw new ConfigError(
      `the auth provider "${textOf(provider, "name")}" is not supported; configure an exec credential plugin instead`,
    );
  const tokenFile = textOf(user.value, "tokenFile");
  const token = textOf(user.value, "token");
  if (tokenFile !== "") {
    const path = pathOf(user, tokenFile);
    return {
      ...none,
      token: () => checkedToken(read(path, "token file", "the user").trim(), `the token file ${path}`),
    };
  }
  if (token !== "") return { ...none, token: () => checkedToken(token, "the token of the configuration") };
  const username = textOf(user.value, "username");
  if (username !== "") return { ...none, basic: { username, password: textOf(user.value, "password") } };
  const exec = user.value["exec"];
  return isObject(exec) ? { ...none, exec: execPluginOf(exec, user, { cluster, server }) } : none;
}

function impersonationOf(
  user: Located | undefined,
  userName: string,
  overrides: AccessOverrides,
): Impersonation | undefined {
  const name = overrides.as || textOf(user?.value, "as");
  const given = user?.value["as-groups"];
  const groups = overrides.asGroups?.length
    ? overrides.asGroups
    : Array.isArray(given)
      ? given.filter((group) => typeof group === "string")
      : [];
  if (name === "") {
    if (groups.length > 0)
      throw new ConfigError(`requesting groups or user-extra for ${userName} without impersonating a user`);
    return undefined;
  }
  return { user: name, groups, extra: extraOf(user?.value["as-user-extra"]) };
}

function extraOf(value: unknown): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [key, list] of Object.entries(isObject(value) ? value : {}) as [string, JsonObject[string]][])
    if (Array.isArray(list)) extra[key] = list.map(String);
  return extra;
}
