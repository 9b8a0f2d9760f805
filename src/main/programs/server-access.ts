/** How a controller manager reaches its server: by a client configuration, or by the account of the pod that it runs in. */

import { homedir } from "node:os";
import { FlagError } from "../../base/flags/flag.ts";
import { type ClientAccess, resolveAccess } from "../../client/config/access.ts";
import { mergeConfigs } from "../../client/config/file.ts";
import { inClusterConfig } from "../../client/config/in-cluster.ts";
import { configPaths, loadConfigFiles } from "../../client/config/load.ts";

export interface ServerFlags {
  readonly kubeconfig: string;
  /** The address of the server; empty: that of the configuration. */
  readonly master: string;
}

export function readAccess(flags: ServerFlags): ClientAccess {
  const paths = configPaths({ explicit: flags.kubeconfig, env: process.env, home: homedir() });
  const overrides = { server: flags.master };
  const found = resolveAccess(mergeConfigs(loadConfigFiles(paths)), overrides);
  const inside = found === undefined ? inClusterConfig(process.env) : undefined;
  const access = found ?? (inside && resolveAccess(inside, overrides));
  if (access === undefined) throw new FlagError("--kubeconfig: no client configuration names a server");
  return access;
}
