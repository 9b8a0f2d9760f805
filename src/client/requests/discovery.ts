/** Which resources a server has: its groups and versions, read again each time. */

import type { DiscoveredResource, Discovery } from "../contract.ts";
import type { Sender } from "./send.ts";

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export async function discover({ json }: Sender): Promise<Discovery> {
  const [core, named] = await Promise.all([json("/api"), json("/apis")]);
  const groupVersions = [...coreVersions(core), ...namedVersions(named)];
  const failed: { groupVersion: string; error: unknown }[] = [];
  const found = await Promise.all(
    groupVersions.map(async (groupVersion) => {
      const path = pathOf(groupVersion);
      try {
        return resourcesOf(groupVersion, await json(path));
      } catch (error) {
        failed.push({ groupVersion: path.replace(/^\/apis?\//, ""), error });
        return [];
      }
    }),
  );
  const all = found.flat();
  return { all, preferred: firstOfEach(all), failed };
}

const pathOf = ({ group, version }: GroupVersion) => (group === "" ? `/api/${version}` : `/apis/${group}/${version}`);

/** Versions come best first, so the first that has a resource is preferred. */
function firstOfEach(all: readonly DiscoveredResource[]): DiscoveredResource[] {
  const seen = new Set<string>();
  return all.filter(({ group, resource }) => {
    const key = `${group} ${resource}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

// The functions below read answers of the server; their form is part of the API.

function coreVersions(body: unknown): GroupVersion[] {
  return ((body as { versions?: string[] }).versions ?? []).map((version) => ({ group: "", version }));
}

function namedVersions(body: unknown): GroupVersion[] {
  const { groups = [] } = body as {
    groups?: { name: string; preferredVersion?: { version: string }; versions: { version: string }[] }[];
  };
  return groups.flatMap(({ name, preferredVersion, versions }) => {
    const first = preferredVersion?.version;
    const others = versions.map(({ version }) => version).filter((version) => version !== first);
    return [...(first === undefined ? [] : [first]), ...others].map((version) => ({ group: name, version }));
  });
}

function resourcesOf({ group, version }: GroupVersion, body: unknown): DiscoveredResource[] {
  const { resources = [] } = body as {
    resources?: { name: string; namespaced: boolean; kind: string; verbs: string[]; shortNames?: string[] }[];
  };
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, namespaced, kind, verbs, shortNames = [] }) => ({
      group,
      version,
      resource: name,
      kind,
      namespaced,
      verbs,
      shortNames,
    }));
}
