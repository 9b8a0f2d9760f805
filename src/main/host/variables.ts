/**
 * The variables that a container of a Deployment would have, for a program on this machine. Who may change the Deployment or its config maps
 * may be someone else, and must not run code here: variables that make programs load code stay behind.
 */

import { hostname } from "node:os";
import type { Client } from "../../kit/contract.ts";
import { ConfigMap, type Deployment, Secret } from "../../kit/kinds.ts";
import { environmentOf } from "../../simulation/containers/environment.ts";

interface HostedVariables {
  readonly variables: Readonly<Record<string, string>>;
  /** The names of those that stay behind. */
  readonly leftOut: readonly string[];
}

/** Of the loader, of shells and of languages. */
const loadsCode = new RegExp(
  `^(${[
    "PATH|LD_.*|DYLD_.*|GCONV_PATH|OPENSSL_(CONF|ENGINES|MODULES)",
    "ENV|BASH_ENV|BASH_FUNC_.*|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|EDITOR|VISUAL|PAGER|LESSOPEN",
    "NODE_OPTIONS|NODE_PATH|BUN_OPTIONS|PERL5?(OPT|LIB|DB)|RUBY(OPT|LIB)|LUA_INIT.*",
    "PYTHON(STARTUP|PATH|HOME|INSPECT|BREAKPOINT|USERBASE|EXECUTABLE|WARNINGS)",
    "JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|DOTNET_ADDITIONAL_DEPS|COR(ECLR)?_.*",
    "GIT_(SSH.*|EXTERNAL_DIFF|PROXY_COMMAND|EXEC_PATH|CONFIG.*|ASKPASS|EDITOR|PAGER)",
  ].join("|")})$`,
  "i",
);

/** The variables that the container sets, with what they refer to. Throws an Error if something that it needs is missing. */
export async function variablesOf(
  client: Client,
  deployment: Deployment,
  containerName: string,
): Promise<HostedVariables> {
  const { namespace = "", name = "" } = deployment.metadata;
  const template = deployment.spec?.template;
  const containers = template?.spec?.containers ?? [];
  const container = containers.find((one) => containerName === "" || one.name === containerName);
  if (container === undefined) {
    const known = containers.map((one) => one.name).join(", ");
    throw new Error(`deployment ${namespace}/${name} has no container "${containerName}"; it has ${known}`);
  }
  const [maps, secrets] = [new Map<string, ConfigMap>(), new Map<string, Secret>()];
  for await (const map of client.of(ConfigMap).list({ namespace })) maps.set(map.metadata.name ?? "", map);
  for await (const secret of client.of(Secret).list({ namespace })) secrets.set(secret.metadata.name ?? "", secret);
  const pod = {
    metadata: { ...template?.metadata, namespace, name: `${name}-host` },
    spec: { serviceAccountName: "default", ...template?.spec, containers, nodeName: hostname() },
    status: { podIP: "127.0.0.1", hostIP: "127.0.0.1" },
  };
  const found = environmentOf(pod, container, {
    configMap: (one) => maps.get(one),
    secret: (one) => secrets.get(one),
    services: new Map(),
    node: {},
  });
  // HOME and HOSTNAME are those of this machine, unless the container sets them.
  const own = new Set((container.env ?? []).map((one) => one.name));
  const set = [...found].filter(([key]) => own.has(key) || !["PATH", "HOME", "HOSTNAME"].includes(key));
  return {
    variables: Object.fromEntries(set.filter(([key]) => !loadsCode.test(key))),
    leftOut: set.map(([key]) => key).filter((key) => loadsCode.test(key)),
  };
}
