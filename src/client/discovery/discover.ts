/** Which resources a server has: its groups and versions, read again each time. */

import { fewAtOnce } from "../../base/few-at-once.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import type { DiscoveredResource } from "../contract.ts";
import { apiVersionOf } from "../requests/address.ts";
import { UnexpectedAnswer } from "../requests/refusals.ts";
import type { Sender } from "../requests/send.ts";
import { aggregatedAccept, aggregatedDiscovery, isAggregatedDocument } from "./aggregated.ts";
import { type DiscoveredGroup, Discovery } from "./discovery.ts";

export interface GroupVersion {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
}

/** Versions of groups that are read at once: a server may have thousands. */
export const versionsAtOnceMax = 50;

interface DiscoverOptions {
  /** Whether to ask for one document of everything, where the server has it. */
  readonly isAggregated: boolean;
  /** See createClient. */
  readonly sharedVersion?: ((version: GroupVersion) => readonly DiscoveredResource[] | undefined) | undefined;
}

export async function discover({ json }: Pick<Sender, "json">, options: DiscoverOptions): Promise<Discovery> {
  const { isAggregated, sharedVersion } = options;
  const accept = isAggregated ? aggregatedAccept : undefined;
  const [core, named] = await Promise.all([
    readDocument({ json }, "/api", { kind: "APIVersions", accept }),
    readDocument({ json }, "/apis", { kind: "APIGroupList", accept }),
  ]);
  if (isAggregatedDocument(core) && isAggregatedDocument(named)) return aggregatedDiscovery([core, named]);
  // Each of the two documents has the form of its kind, which is part of the API; a server has one document of all or none.
  const groups = [coreGroup(core as CoreDocument), ...namedGroups(named as GroupsDocument)];
  const read = async (version: GroupVersion) => sharedVersion?.(version) ?? (await discoverVersion({ json }, version));
  return discoverVersions(read, groups);
}

async function discoverVersions(
  read: (version: GroupVersion) => Promise<readonly DiscoveredResource[]>,
  groups: readonly DiscoveredGroup[],
): Promise<Discovery> {
  const failed: { groupVersion: string; error: unknown }[] = [];
  const versions = groups.flatMap(({ name, versions }) => versions.map((version) => ({ group: name, version })));
  const found = await fewAtOnce(versionsAtOnceMax, versions, async (groupVersion) => {
    try {
      return await read(groupVersion);
    } catch (error) {
      failed.push({ groupVersion: apiVersionOf(groupVersion), error });
      return [];
    }
  });
  return new Discovery({ groups, resources: found.flat(), failed });
}

/** The resources of one version of a group, without subresources. */
export async function discoverVersion(
  { json }: Pick<Sender, "json">,
  groupVersion: GroupVersion,
): Promise<DiscoveredResource[]> {
  const path = `/${groupVersion.group === "" ? "api" : "apis"}/${apiVersionOf(groupVersion)}`;
  const document = await readDocument({ json }, path, { kind: "APIResourceList" });
  return resourcesOf(groupVersion, document as ResourcesDocument); // its form is part of the API
}

/** Without this check something else than a server would look like one that serves nothing. */
async function readDocument(
  { json }: Pick<Sender, "json">,
  path: string,
  { kind, accept }: { readonly kind: string; readonly accept?: string | undefined },
): Promise<JsonObject> {
  const body = await json(path, accept === undefined ? {} : { accept });
  if (isObject(body) && (body["kind"] === kind || (accept !== undefined && isAggregatedDocument(body)))) return body;
  throw new UnexpectedAnswer(`GET ${path}`, `an ${kind}`, JSON.stringify(body) ?? "");
}

interface CoreDocument {
  readonly versions?: readonly string[];
}

function coreGroup({ versions = ["v1"] }: CoreDocument): DiscoveredGroup {
  return { name: "", preferred: versions[0] ?? "v1", versions };
}

interface GroupsDocument {
  readonly groups?: readonly {
    readonly name: string;
    readonly preferredVersion?: { readonly version: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

function namedGroups({ groups = [] }: GroupsDocument): DiscoveredGroup[] {
  return groups.map(({ name, preferredVersion, versions }) => {
    const all = versions.map(({ version }) => version);
    return { name, preferred: preferredVersion?.version ?? all[0] ?? "", versions: all };
  });
}

interface ResourcesDocument {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** What the document of a version of a group lists, without subresources. */
export function resourcesOf(
  { group, version }: GroupVersion,
  { resources = [] }: ResourcesDocument,
): DiscoveredResource[] {
  const subresources = new Map<string, string[]>();
  for (const { name } of resources) {
    const slash = name.indexOf("/");
    if (slash < 0) continue;
    const known = subresources.get(name.slice(0, slash)) ?? [];
    known.push(name.slice(slash + 1));
    subresources.set(name.slice(0, slash), known);
  }
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => {
      const { name, kind, singularName, namespaced, verbs = [], shortNames = [], categories = [] } = resource;
      return {
        group,
        version,
        resource: name,
        singularName: singularName || kind.toLowerCase(),
        kind,
        namespaced: namespaced === true,
        verbs,
        shortNames,
        categories,
        subresources: subresources.get(name) ?? [],
      };
    });
}
