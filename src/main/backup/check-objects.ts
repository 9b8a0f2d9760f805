/** Checks stored entries one by one: every object decodes as its kind, and its name is that of its key. */

import { catalog as kinds } from "../../api/catalog.ts";
import { createFeatureGates } from "../../api/feature-gates.ts";
import { Workspace } from "../../api/tenancy/v1alpha1/workspace.ts";
import { WorkspaceType } from "../../api/tenancy/v1alpha1/workspace-type.ts";
import { systemClock } from "../../base/clock.ts";
import type { KvEntry } from "../../kv/contract.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { decodeStoredText } from "../../machinery/json/json.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import type { FamilyId } from "../../machinery/schema/identity.ts";
import { levels } from "../../machinery/schema/levels.ts";
import { refOf, splitKey } from "../../registry/keys.ts";
import { apiGroups } from "../../vocabulary/api-groups.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createEnvironment } from "../environment.ts";
import { isLocalKey } from "../stores/etcd-mark.ts";
import { isOfWorkspaces, placeOf, workspaceIn } from "../stores/places.ts";

export interface ObjectCheck {
  /** One sentence for each problem of the entry; empty: there is none. */
  problems(entry: KvEntry): string[];
  /** Problems that show only when all entries have been seen. */
  finish(): string[];
  readonly objects: number;
  /** Objects whose bytes are encrypted, so that only their keys and revisions were checked. */
  readonly encrypted: number;
}

/** What encryption at rest puts before its bytes, in both vocabularies. */
const encryptedStart = /^(orch|k8s):enc:/;
/** What the registry keeps beside objects. */
const internalPrefix = "registry/";
const customPrefix = "custom:";
const workspacesFamily = "tenancy.orch.io/workspaces";
const definitionsFamily = "apiextensions.orch.io/customresourcedefinitions";

export function createObjectCheck(vocabulary: Vocabulary): ObjectCheck {
  const families = familiesOf(vocabulary);
  /** By scope: names such as "carts.shop.example.com", of definitions and of custom objects. */
  const defined = new Map<string, Set<string>>();
  const used = new Map<string, Set<string>>();
  const baseOf = new Map<string, string>();
  const nameOf = new Map<string, string>();
  const noteWorkspace = (value: Uint8Array) => {
    const { uid, name, base } = workspaceIn(value);
    nameOf.set(uid, name);
    baseOf.set(uid, base);
  };
  let objects = 0;
  let encrypted = 0;
  return {
    get objects() {
      return objects;
    },
    get encrypted() {
      return encrypted;
    },
    problems({ key: stored, value, revision, created }) {
      const place = placeOf({ key: stored, value });
      const { key, workspace, base } = place;
      const scope = workspace ?? base ?? "";
      const where = workspace === undefined ? "" : ` (workspace ${nameOf.get(workspace) ?? "that is gone"})`;
      const say = (problem: string) => `${JSON.stringify(stored)}${where}: ${problem}`;
      if (created > revision || created < 1n) return [say(`created at revision ${created}, changed at ${revision}`)];
      if (place.isRemoved || key.startsWith(internalPrefix) || isLocalKey(key) || isOfWorkspaces(key)) return [];
      const location = key.startsWith("/") ? splitKey(key) : undefined;
      if (location === undefined) return [say("is not the key of an object")];
      objects += 1;
      if (location.family === definitionsFamily) addTo(defined, scope, location.path);
      if (location.family.startsWith(customPrefix)) addTo(used, scope, definitionOf(location.family));
      if (location.family === workspacesFamily && scope === "") noteWorkspace(value);
      if (encryptedStart.test(Buffer.from(value.subarray(0, 16)).toString("latin1"))) {
        encrypted += 1;
        return [];
      }
      return objectProblems(families.get(location.family), location, value).map(say);
    },
    finish: () =>
      [...used].flatMap(([scope, names]) => {
        const known = [scope, baseOf.get(scope) ?? ""].map((one) => defined.get(one));
        const where = nameOf.has(scope) ? ` in the workspace ${nameOf.get(scope)}` : "";
        return [...names]
          .filter((name) => !known.some((one) => one?.has(name)))
          .map((name) => `there are objects of "${name}"${where}, but no such CustomResourceDefinition`);
      }),
  };
}

/** The families of all levels. A higher level also reads what a lower one has stored, so where several have one, its is taken. */
function familiesOf(vocabulary: Vocabulary): ReadonlyMap<FamilyId, Family> {
  const found = new Map<FamilyId, Family>();
  for (const level of levels) {
    const gates = createFeatureGates(new Map(), level);
    const environment = createEnvironment({ vocabulary, gates, level, clock: systemClock, allowPrivileged: true });
    const catalog = createCatalog([...kinds, Workspace, WorkspaceType], environment, {
      groups: apiGroups,
      isEnabled: () => true,
    });
    for (const family of catalog.families()) found.set(family.id, family);
  }
  return found;
}

function addTo(map: Map<string, Set<string>>, scope: string, name: string): void {
  const names = map.get(scope);
  if (names === undefined) map.set(scope, new Set([name]));
  else names.add(name);
}

/** "custom:shop.example.com/carts" -> "carts.shop.example.com". */
function definitionOf(family: FamilyId): string {
  const [group = "", resource = ""] = family.slice(customPrefix.length).split("/");
  return `${resource}.${group}`;
}

interface Location {
  readonly family: FamilyId;
  readonly path: string;
}

function objectProblems(family: Family | undefined, location: Location, value: Uint8Array): string[] {
  const isCustom = location.family.startsWith(customPrefix);
  if (family === undefined && !isCustom) return [`this program knows no kind "${location.family}"`];
  let object: unknown;
  try {
    object = decodeStoredText(Buffer.from(value).toString("utf8"));
  } catch (error) {
    return [`its bytes are not JSON: ${messageOf(error)}`];
  }
  if (!isObject(object) || !isObject(object["metadata"])) return ["its bytes are not an object with metadata"];
  const { name, namespace = "", uid } = object["metadata"];
  const problems: string[] = [];
  const namespaced = family?.namespaced ?? location.path.includes("/");
  const ref = refOf({ namespaced }, location.path);
  if (name !== ref.name || namespace !== ref.namespace) {
    problems.push(`its metadata names ${JSON.stringify({ namespace, name })}`);
  }
  if (typeof uid !== "string" || uid === "") problems.push("it has no uid");
  return family === undefined ? problems : [...problems, ...kindProblems(family, object)];
}

function kindProblems(family: Family, object: Record<string, unknown>): string[] {
  const { kind, apiVersion } = object;
  const version = family.versions.find((one) => one.kind === kind && one.apiVersion === apiVersion);
  if (version === undefined) return [`"${String(apiVersion)}" ${String(kind)} is not a version of ${family.id}`];
  try {
    version.codec.decode(object);
    return [];
  } catch (error) {
    return [`it does not decode as ${String(kind)}: ${messageOf(error)}`];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
