/** What would break at a higher level (`orch check --for=1.25`): objects whose kind goes, and clients that use versions which go. */

import { catalog as kinds } from "../../api/catalog.ts";
import { createFeatureGates } from "../../api/feature-gates.ts";
import { systemClock } from "../../base/clock.ts";
import { compareReleases, isRelease, type Release } from "../../base/release.ts";
import type { KvEntry } from "../../kv/contract.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { decodeStoredText } from "../../machinery/json/json.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { type BoundKind, type Catalog, servedKinds } from "../../machinery/schema/catalog.ts";
import { type Level, levels } from "../../machinery/schema/levels.ts";
import { serverManagers } from "../../registry/contract/server-writes.ts";
import { refOf, splitKey, storeLevelKey } from "../../registry/keys.ts";
import { StoreLevelError } from "../../registry/store-level.ts";
import { apiGroups } from "../../vocabulary/api-groups.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createEnvironment } from "../environment.ts";
import { createIsServed } from "../flags/runtime-config.ts";
import { placeOf, workspaceIn } from "../stores/places.ts";

/** A version that some level serves, and the level in question does not. */
interface GoneVersion {
  /** "policy/v1beta1 PodSecurityPolicy". */
  readonly name: string;
  /** The first release that no longer serves it. Undefined: it is not declared. */
  readonly removed: Release | undefined;
  /** "policy/v1 PodDisruptionBudget", which the level serves. Undefined: nothing replaces it. */
  readonly replacement: string | undefined;
}

/** What uses a version that goes: objects of a kind that is lost with it, or clients. */
export interface Use extends GoneVersion {
  readonly by: "objects" | "manager" | "request";
  /** Names of objects, of a manager, or of a user with its program. */
  readonly who: string;
  readonly count: number;
  /** A few of the objects or paths. */
  readonly examples: readonly string[];
}

const workspacesFamily = "tenancy.orch.io/workspaces";
/** How many objects or paths of one use are printed; all are counted. */
export const examplesMax = 5;
/** How many different uses are told apart; further ones are counted together. */
const usesMax = 1_000;

export interface UpgradeCheck {
  entry(entry: KvEntry): void;
  /** A line of an audit log. Lines that are not events are passed over. */
  auditLine(line: string): void;
  /** A line of the server's metrics. */
  metricLine(line: string): void;
  uses(): readonly Use[];
}

export function createUpgradeCheck(vocabulary: Vocabulary, target: Level): UpgradeCheck {
  const index = createIndex(vocabulary, target);
  const own = serverManagers(vocabulary);
  const found = new Map<string, { use: Omit<Use, "count" | "examples">; count: number; examples: string[] }>();
  /** Names by uid. They are stored before what is in them. */
  const workspaces = new Map<string, string>();
  const note = (gone: GoneVersion, by: Use["by"], who: string, example: string): void => {
    const name = found.size < usesMax ? who : "others";
    const key = JSON.stringify([by, gone.name, name]);
    const known = found.get(key) ?? { use: { ...gone, by, who: name }, count: 0, examples: [] };
    known.count += 1;
    if (known.examples.length < examplesMax && !known.examples.includes(example)) known.examples.push(example);
    found.set(key, known);
  };

  return {
    entry({ key: stored, value }) {
      const { key, workspace, base, isRemoved } = placeOf({ key: stored, value });
      if (stored === storeLevelKey) {
        const level = Buffer.from(value).toString("utf8");
        if (isRelease(level) && compareReleases(level, target) > 0)
          throw new StoreLevelError(
            `the objects are of level ${level}, and no server of ${target} opens them: give a higher level`,
          );
      }
      const location = key.startsWith("/") && !isRemoved ? splitKey(key) : undefined;
      if (location?.family === workspacesFamily) {
        const { uid, name } = workspaceIn(value);
        workspaces.set(uid, name);
      }
      const family = location && index.families.get(location.family);
      if (location === undefined || family === undefined) return; // a custom kind has its own versions
      const { namespace, name } = refOf(family, location.path);
      const inside = workspace === undefined ? undefined : `in workspace ${workspaces.get(workspace) ?? workspace}`;
      const where = inside ?? (base === undefined ? "" : "of a workspace type");
      const ref = `${namespace === "" ? name : `${namespace}/${name}`}${where === "" ? "" : ` ${where}`}`;
      if (!family.isKept) {
        note(family.last, "objects", family.resource, ref);
        return;
      }
      for (const { manager, version } of managersOf(value)) {
        if (own.has(manager)) continue; // a server of the next level writes its objects in other versions
        const gone = index.byKind.get(`${version} ${family.kind}`);
        if (gone !== undefined) note(gone, "manager", manager, `${family.resource} ${ref}`);
      }
    },
    auditLine(line) {
      const event = readJson(line);
      const { objectRef, user, userAgent, requestURI } = event as Record<string, unknown>;
      if (!isObject(objectRef)) return;
      const { apiGroup = "", apiVersion, resource } = objectRef;
      const gone = index.byResource.get(`${String(apiGroup)}/${String(apiVersion)}/${String(resource)}`);
      if (gone === undefined) return;
      const name = isObject(user) ? String(user["username"] ?? "") : "";
      note(gone, "request", `${name} (${String(userAgent ?? "no user agent")})`, String(requestURI ?? ""));
    },
    metricLine(line) {
      const labels = /^apiserver_requested_deprecated_apis\{(.*)\} [1-9]/.exec(line)?.[1];
      if (labels === undefined) return;
      const {
        group = "",
        version,
        resource,
      } = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]));
      const gone = index.byResource.get(`${group}/${version}/${resource}`);
      if (gone !== undefined) note(gone, "request", "clients (the audit log names them)", `${resource} in ${version}`);
    },
    uses: () => [...found.values()].map(({ use, count, examples }) => ({ ...use, count, examples })),
  };
}

interface FamilyAt {
  readonly namespaced: boolean;
  readonly resource: string;
  readonly kind: string;
  /** Whether the level serves any version of it. */
  readonly isKept: boolean;
  /** The best version that goes. */
  readonly last: GoneVersion;
}

interface Index {
  /** Built-in families, by id. */
  readonly families: ReadonlyMap<string, FamilyAt>;
  /** By "policy/v1beta1 PodSecurityPolicy". */
  readonly byKind: ReadonlyMap<string, GoneVersion>;
  /** By "policy/v1beta1/podsecuritypolicies". */
  readonly byResource: ReadonlyMap<string, GoneVersion>;
}

/** Lower levels are looked at as well: objects and clients are of one of them. */
function createIndex(vocabulary: Vocabulary, target: Level): Index {
  const later = catalogAt(vocabulary, target);
  const kept = new Set(servedKinds(later).map(nameOf));
  const keptFamilies = new Set(servedKinds(later).map(({ family }) => family.id));
  const families = new Map<string, FamilyAt>();
  const byKind = new Map<string, GoneVersion>();
  const byResource = new Map<string, GoneVersion>();
  for (const level of levels.slice(0, levels.indexOf(target) + 1)) {
    for (const kind of servedKinds(catalogAt(vocabulary, level))) {
      const gone = goneVersion(kind, vocabulary);
      const { family, group, version, resource, namespaced } = { ...kind, namespaced: kind.family.namespaced };
      const isKept = keptFamilies.has(family.id);
      families.set(family.id, { namespaced, resource, kind: kind.kind, isKept, last: gone });
      if (kept.has(nameOf(kind))) continue;
      byKind.set(nameOf(kind), gone);
      byResource.set(`${group}/${version}/${resource}`, gone);
    }
  }
  const lasting = (gone: GoneVersion) => ({ ...gone, replacement: lastingReplacement(gone, byKind) });
  return { families, byKind: mapped(byKind, lasting), byResource: mapped(byResource, lasting) };
}

/** What replaces a version may go as well, and what replaces that one is later. */
function lastingReplacement({ replacement }: GoneVersion, byKind: ReadonlyMap<string, GoneVersion>) {
  let next = replacement;
  for (let gone = byKind.get(next ?? ""); gone !== undefined; gone = byKind.get(next ?? "")) next = gone.replacement;
  return next;
}

const mapped = <V>(map: ReadonlyMap<string, V>, change: (value: V) => V): ReadonlyMap<string, V> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));

const nameOf = ({ apiVersion, kind }: BoundKind): string => `${apiVersion} ${kind}`;

function goneVersion(kind: BoundKind, vocabulary: Vocabulary): GoneVersion {
  const { deprecated, until } = kind.declared;
  const now = kind.declaration.deprecated ?? deprecated; // a later release may name another replacement
  const [groupVersion = "", ...rest] = now?.replacement?.split(" ") ?? [];
  return {
    name: nameOf(kind),
    removed: deprecated?.removed ?? until,
    replacement: groupVersion === "" ? undefined : [vocabulary.word(groupVersion), ...rest].join(" "),
  };
}

function catalogAt(vocabulary: Vocabulary, level: Level): Catalog {
  const gates = createFeatureGates(new Map(), level);
  const environment = createEnvironment({ vocabulary, gates, level, clock: systemClock, allowPrivileged: true });
  return createCatalog(kinds, environment, { groups: apiGroups, isEnabled: createIsServed(new Map(), level) });
}

/** An encrypted object names none. */
function managersOf(value: Uint8Array): { manager: string; version: string }[] {
  const object = readJson(Buffer.from(value).toString("utf8"));
  const metadata = object["metadata"];
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) =>
    isObject(entry) ? [{ manager: String(entry["manager"] ?? ""), version: String(entry["apiVersion"] ?? "") }] : [],
  );
}

function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = decodeStoredText(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
