/** What a server serves: its groups, versions and resources, and which of them a user means by a word. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { DiscoveredResource } from "../contract.ts";
import { apiVersionOf } from "../requests/address.ts";
import { vocabularyOfGroups } from "./speaks.ts";

export interface DiscoveredGroup {
  /** "" for the core group. */
  readonly name: string;
  readonly preferred: string;
  readonly versions: readonly string[];
}

export interface DiscoveryContent {
  readonly groups: readonly DiscoveredGroup[];
  /** Every version of each resource. */
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that are announced and did not answer (a server behind this one may be down). */
  readonly failed: readonly { readonly groupVersion: string; readonly error: unknown }[];
  /** Whether the server told everything in one document, as servers since 1.26 do when they are asked for it. */
  readonly isAggregated?: boolean | undefined;
}

export class Discovery implements DiscoveryContent {
  readonly groups: readonly DiscoveredGroup[];
  readonly resources: readonly DiscoveredResource[];
  readonly failed: DiscoveryContent["failed"];
  readonly isAggregated: boolean;
  /** Made when it is first needed. */
  #ordered: readonly DiscoveredResource[] | undefined;

  constructor({ groups, resources, failed, isAggregated = false }: DiscoveryContent) {
    this.groups = groups;
    this.resources = resources;
    this.failed = failed;
    this.isAggregated = isAggregated;
  }

  get vocabulary(): Vocabulary {
    return vocabularyOfGroups(this.groups.map(({ name }) => name));
  }

  /** One version of each resource of a group: the one that the server prefers among those that have it. */
  get preferred(): DiscoveredResource[] {
    const seen = new Set<string>();
    return this.#byPreference().filter(({ group, resource }) => {
      const key = `${group}/${resource}`;
      return !seen.has(key) && seen.add(key) !== undefined;
    });
  }

  /** Groups in the server's order; within a group the preferred version first. */
  #byPreference(): readonly DiscoveredResource[] {
    if (this.#ordered !== undefined) return this.#ordered;
    // One walk over all of them: a server may have thousands of groups with thousands of resources.
    const byVersion = new Map<string, DiscoveredResource[]>();
    for (const resource of this.resources) {
      const known = byVersion.get(apiVersionOf(resource));
      if (known === undefined) byVersion.set(apiVersionOf(resource), [resource]);
      else known.push(resource);
    }
    this.#ordered = this.groups.flatMap(({ name: group, preferred, versions }) =>
      [preferred, ...versions.filter((version) => version !== preferred)].flatMap(
        (version) => byVersion.get(apiVersionOf({ group, version })) ?? [],
      ),
    );
    return this.#ordered;
  }

  /** `pods`, `po`, `Pod`, `deployments.apps`, `deployments.v1.apps`; undefined: the server does not have it. */
  find(word: string): DiscoveredResource | undefined {
    const lower = word.toLowerCase();
    const [first = "", ...rest] = lower.split(".");
    const candidates = this.#byPreference();
    const isNamed = ({ resource, singularName, kind }: DiscoveredResource, name: string) =>
      resource === name || singularName === name || kind.toLowerCase() === name;
    const match = (isIt: (resource: DiscoveredResource) => boolean) => candidates.find(isIt);
    if (rest.length === 0)
      return match((one) => isNamed(one, lower)) ?? match(({ shortNames }) => shortNames.includes(lower));
    const [version = "", ...groupParts] = rest;
    const group = groupParts.join(".");
    const whole = rest.join(".");
    const isCalled = (one: DiscoveredResource) => isNamed(one, first) || one.shortNames.includes(first);
    return (
      match((one) => groupParts.length > 0 && isCalled(one) && one.version === version && one.group === group) ??
      match((one) => isCalled(one) && one.group === whole) ??
      match((one) => isCalled(one) && one.group !== "" && one.group.startsWith(whole)) ??
      match(({ resource }) => resource === lower)
    );
  }

  byKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.resources.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  }

  /** The resource of a group that is served in the version, or else in any: "deployments", "apps". */
  inGroup(resource: string, group: string, version?: string): DiscoveredResource | undefined {
    const all = this.#byPreference().filter((one) => one.resource === resource && one.group === group);
    return all.find((one) => one.version === version) ?? all[0];
  }

  /** Resources of a category: "all" is a category. */
  inCategory(word: string): DiscoveredResource[] {
    return this.preferred.filter(({ categories }) => categories.includes(word));
  }

  /** All words that name a resource. */
  words(): string[] {
    return this.resources.flatMap(({ resource, singularName, shortNames }) => [resource, singularName, ...shortNames]);
  }
}

const qualified = /^([a-z0-9-]+)\.(v[0-9]+(?:(?:alpha|beta)[0-9]+)?)(?:\.([a-z0-9.-]+))?$/;

/** The parts of a word that names a group and version, such as `deployments.v1.apps`: one document is enough to find it. */
export function parseQualified(
  word: string,
): { readonly resource: string; readonly version: string; readonly group: string } | undefined {
  const match = qualified.exec(word);
  if (match === null) return undefined;
  const [, resource = "", version = "", group = ""] = match;
  return { resource, version, group };
}
