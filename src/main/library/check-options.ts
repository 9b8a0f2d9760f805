/** A misspelled option would be a server without what the person asked for, so it is refused. */

import { didYouMean } from "../../base/suggest.ts";
import type { CreateServerOptions } from "./options.ts";

/** All of them; the type checker finds one that is missing here. */
const known: Readonly<Record<keyof CreateServerOptions, true>> = {
  vocabulary: true,
  emulatedVersion: true,
  dataDir: true,
  from: true,
  listen: true,
  host: true,
  port: true,
  tokens: true,
  authorization: true,
  featureGates: true,
  runtimeConfig: true,
  enableAdmissionPlugins: true,
  proxyLocalTargets: true,
  disableAdmissionPlugins: true,
  controllers: true,
  nodes: true,
  simulation: true,
  admission: true,
  admissionConfiguration: true,
  clock: true,
  journal: true,
  faultPlans: true,
  forks: true,
  log: true,
  random: true,
};

export function checkOptions(options: CreateServerOptions): void {
  const names = Object.keys(known);
  for (const name of Object.keys(options))
    if (!names.includes(name))
      throw new Error(
        `createServer has no option "${name}"${didYouMean(name, names) || `; there are ${names.join(", ")}`}`,
      );
}
