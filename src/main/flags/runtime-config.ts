/** Which group versions and resources are served: --runtime-config as a function, and its checks. */

import { existsIn } from "../../base/release.ts";
import { didYouMean } from "../../base/suggest.ts";
import { hasAt } from "../../machinery/schema/features.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../../machinery/schema/levels.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

/** Whether a version of a resource is served; the group is the spoken name. */
export type IsServed = (group: string, version: string, resource: string) => boolean;

/** The one group version whose resources can be switched one by one where beta versions are on by themselves. */
const byResource = "extensions/v1beta1";

function isByResource(groupVersion: string, level: Level): boolean {
  const has = hasAt(level);
  return groupVersion === byResource || has("betaVersionsOff");
}

/** Those that were on before they were off by themselves, by the first word of their group, and those of flow control stay on until they are removed. */
const betaStaysOn: Readonly<Record<string, readonly string[]>> = {
  autoscaling: ["v2beta1", "v2beta2"],
  batch: ["v1beta1"],
  discovery: ["v1beta1"],
  events: ["v1beta1"],
  flowcontrol: ["v1beta1", "v1beta2", "v1beta3"],
  node: ["v1beta1"],
  policy: ["v1beta1"],
  storage: ["v1beta1"],
};

function isBetaOn(group: string, version: string, level: Level): boolean {
  const has = hasAt(level);
  if (!has("betaVersionsOff")) return true;
  const [word = ""] = group.split(".");
  const stays = word !== "storage" || !has("storageBetasOff");
  return stays && betaStaysOn[word]?.includes(version) === true;
}

/**
 * The most exact entry decides: `storage.orch.io/v1beta1/csistoragecapacities`, then `batch/v1beta1` (`v1` or `api/v1` for the core group),
 * then `api/alpha`, `api/beta` or `api/ga`, then `api/all`. Without any, alpha versions are off, and beta versions too at later levels.
 */
export function createIsServed(config: ReadonlyMap<string, string>, level: Level = levelDefault): IsServed {
  const switches = new Map<string, boolean>();
  for (const [key, value] of config) {
    const on = parseSwitch(value);
    if (on !== undefined) switches.set(key.replace(/^api\/(?=v\d)/, ""), on);
  }
  return (group, version, resource) => {
    const groupVersion = group === "" ? version : `${group}/${version}`;
    return (
      (isByResource(groupVersion, level) ? switches.get(`${groupVersion}/${resource}`) : undefined) ??
      switches.get(groupVersion) ??
      switches.get(`api/${stability(version)}`) ??
      switches.get("api/all") ??
      (stability(version) === "ga" || (stability(version) === "beta" && isBetaOn(group, version, level)))
    );
  };
}

/** Keys that stand for many versions at once. */
const families = new Set(["api/all", "api/alpha", "api/beta", "api/ga"]);

/** Versions that releases have and this server does not: a command line that names them is accepted, with a warning. */
const absent = [
  "apps/v1beta1",
  "apps/v1beta2",
  "coordination.orch.io/v1alpha1",
  "coordination.orch.io/v1alpha2",
  "lifecycle.orch.io/v1alpha1",
  "resource.orch.io/v1alpha1",
  "resource.orch.io/v1alpha2",
  "resource.orch.io/v1alpha3",
  "resource.orch.io/v1beta1",
  "resource.orch.io/v1beta2",
  "scheduling.orch.io/v1alpha2",
  "scheduling.orch.io/v1alpha3",
  "storagemigration.orch.io/v1alpha1",
];

interface RuntimeConfigFindings {
  /** Why the server must not start, in the wording of v1.21; undefined: it can. */
  readonly problem: string | undefined;
  readonly warnings: readonly string[];
}

type ConfiguredKind = Pick<Kind, "version" | "resource" | "since" | "until" | "deprecated"> & {
  readonly group: string;
};

export function checkRuntimeConfig(
  config: ReadonlyMap<string, string>,
  kinds: Iterable<ConfiguredKind>,
  vocabulary: Vocabulary,
  level: Level = levelDefault,
): RuntimeConfigFindings {
  const warnings: string[] = [];
  const fail = (problem: string) => ({ problem, warnings });
  if (config.size === 1 && parseSwitch(config.get("api/all") ?? "true") === false) {
    return fail("invalid key with only api/all=false");
  }
  const missing = new Set(absent.map((each) => spoken(each, vocabulary)));
  const versions = new Set(missing);
  /** Names and resources of the versions that the level has. */
  const present = new Set<string>();
  for (const { group, version, resource, since, until, deprecated } of kinds) {
    versions.add(`${group}/${version}`);
    if (!existsIn(level, { since, until: until ?? deprecated?.removed })) continue;
    present.add(`${group}/${version}`).add(`${group}/${version}/${resource}`);
  }
  const groups = new Set([...versions].map((each) => each.slice(0, each.indexOf("/"))));

  const entries = [...config]
    .filter(([key]) => !families.has(key))
    .map(([key, value]) => ({ ...split(key), key, value }));
  const misshapen = entries.find(({ parts }) => parts !== 2 && parts !== 3);
  if (misshapen !== undefined) return fail(`invalid key ${misshapen.key}`);
  const unknown = entries.filter(({ group }) => !groups.has(group)).map(({ group }) => group);
  if (unknown.length > 0)
    return fail(`unknown api groups ${[...new Set(unknown)].join(",")}${didYouMean(unknown[0] ?? "", groups)}`);
  for (const [key, value] of config) {
    if (parseSwitch(value) === undefined) return fail(`invalid value of ${key}: ${value}, it must be true or false`);
  }
  for (const { key, group, version, resource, parts } of entries) {
    const groupVersion = `${group}/${version}`;
    if (parts === 3 && !isByResource(groupVersion, level)) {
      warnings.push(
        `ignoring invalid key ${key}, individual resource enablement/disablement is not supported in ${groupVersion}, and will prevent starting in future releases`,
      );
    } else if (!versions.has(groupVersion)) {
      const [word = "", ...known] = [groupVersion, ...versions]
        .filter((each) => each.startsWith(`${group}/`))
        .map((each) => each.replace(/^\//, "")); // as the flag names versions of the core group
      return fail(`group version ${groupVersion} that has not been registered${didYouMean(word, known)}`);
    } else if (missing.has(groupVersion)) {
      warnings.push(`--runtime-config: ${key} has no effect, because this server does not have the version`);
    } else if (/[A-Z]/.test(resource)) {
      return fail(`invalid key ${key}: a resource is its plural in lower case, not ${JSON.stringify(resource)}`);
    } else if (!present.has(parts === 3 ? `${groupVersion}/${resource}` : groupVersion)) {
      warnings.push(`--runtime-config: ${key} has no effect, because level ${level} does not have it`);
    }
  }
  return { problem: undefined, warnings };
}

/** "v1", "api/v1" and "v1/pods" are about the core group, whose name is empty. */
function split(key: string) {
  const parts = key.replace(/^api\/(?=v\d)/, "").split("/");
  const isCore = /^v\d/.test(parts[0] ?? "");
  const [group = "", version = "", resource = ""] = isCore ? ["", ...parts] : parts;
  return { group, version, resource, parts: parts.length + (isCore ? 1 : 0) };
}

function spoken(groupVersion: string, vocabulary: Vocabulary): string {
  const slash = groupVersion.indexOf("/");
  return vocabulary.group(groupVersion.slice(0, slash)) + groupVersion.slice(slash);
}

/** Undefined: it is neither on nor off. A key without a value is on. */
function parseSwitch(value: string): boolean | undefined {
  if (["", "true", "t", "1", "TRUE", "True", "T"].includes(value)) return true;
  return ["false", "f", "0", "FALSE", "False", "F"].includes(value) ? false : undefined;
}

function stability(version: string): "alpha" | "beta" | "ga" {
  if (version.includes("alpha")) return "alpha";
  return version.includes("beta") ? "beta" : "ga";
}
