/** The configuration of PodSecurity: which standards hold where a namespace has no labels, and what is not checked. */

import { isDns1123Label, isDns1123Subdomain } from "../../machinery/meta/names.ts";
import { elided, list, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import {
  type ConfigurationKind,
  type PluginConfiguration,
  readConfiguration,
} from "../configuration/configuration-kind.ts";
import { isLevel, isVersion, levels, modes, type StandardPolicy } from "./policy.ts";

const fields = struct("config.PodSecurityConfiguration", {
  defaults: elided(
    struct("config.PodSecurityDefaults", {
      enforce: elided(string()),
      "enforce-version": elided(string()),
      audit: elided(string()),
      "audit-version": elided(string()),
      warn: elided(string()),
      "warn-version": elided(string()),
    }),
  ),
  exemptions: elided(
    struct("config.PodSecurityExemptions", {
      usernames: elided(list(string())),
      runtimeClasses: elided(list(string())),
      namespaces: elided(list(string())),
    }),
  ),
});
type Configuration = Static<typeof fields>;
const PodSecurityConfiguration: ConfigurationKind<Configuration> = {
  versions: ["v1", "v1beta1", "v1alpha1"].map((version) => ({
    apiVersion: `pod-security.admission.config.orch.io/${version}`,
    kind: "PodSecurityConfiguration",
  })),
  schema: fields,
};

interface PodSecuritySettings {
  readonly defaults: StandardPolicy;
  readonly exempt: {
    readonly usernames: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
  };
}

/** Throws an Error that names the member that is wrong. */
export function readPodSecurity(given: PluginConfiguration | undefined, vocabulary: Vocabulary): PodSecuritySettings {
  const configured: Configuration = given ? readConfiguration(PodSecurityConfiguration, given, vocabulary) : {};
  const where = `${given?.where}: exemptions`;
  const { usernames = [], runtimeClasses = [], namespaces = [] } = configured.exemptions ?? {};
  const required = (name: string) => (name === "" ? ["must not be empty"] : []);
  return {
    defaults: defaultsOf(configured, given),
    exempt: {
      usernames: distinct(usernames, `${where}.usernames`, required),
      runtimeClasses: distinct(runtimeClasses, `${where}.runtimeClasses`, isDns1123Subdomain),
      namespaces: distinct(namespaces, `${where}.namespaces`, isDns1123Label),
    },
  };
}

/** A name that is mistyped, or twice in a list, is a mistake: it would exempt something else than its author wanted. */
function distinct(
  names: readonly string[],
  where: string,
  problemsOf: (name: string) => readonly string[],
): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const [problem] = problemsOf(name);
    if (problem !== undefined) throw new Error(`${where}[${index}]: "${name}": ${problem}`);
    if (seen.has(name)) throw new Error(`${where}[${index}]: "${name}" is named twice`);
    seen.add(name);
  }
  return seen;
}

/** Throws an Error that names the member with an unknown level or version. */
function defaultsOf({ defaults = {} }: Configuration, given: PluginConfiguration | undefined): StandardPolicy {
  const entries = modes.map((mode) => {
    const level = defaults[mode] || "privileged";
    const version = defaults[`${mode}-version`] || "latest";
    if (!isLevel(level)) throw new Error(`${given?.where}: defaults.${mode} must be one of ${levels.join(", ")}`);
    if (!isVersion(version)) throw new Error(`${given?.where}: defaults.${mode}-version must be "latest" or "v1.x"`);
    return [mode, { level, version }] as const;
  });
  return Object.fromEntries(entries) as StandardPolicy; // an entry for each mode
}
