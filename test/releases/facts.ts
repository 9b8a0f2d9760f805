/** The facts of test/releases/facts/ as they are in one release. */

import { readdirSync, readFileSync } from "node:fs";
import { existsIn, isSince, type Release } from "../../src/base/release.ts";
import { type History, sorted } from "./fact-words.ts";

const folder = new URL("./facts/", import.meta.url);
const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as T; // scripts/releases.ts has printed it

export const releases = Array.from({ length: 17 }, (_, at) => `1.${21 + at}` as const satisfies Release);

/** What holds in a release; undefined: nothing does. */
export function latest<T>(history: History<T>, release: Release): T | undefined {
  let value: T | undefined;
  for (const [since, at] of history) if (isSince(release, since as Release)) value = at ?? undefined;
  return value;
}

type Pair = readonly [Release, Release | null];
export type Spans = Pair | readonly Pair[] | null;

export function within(spans: Spans, release: Release): boolean {
  if (spans === null) return false;
  const pairs = (typeof spans[0] === "string" ? [spans] : spans) as readonly Pair[]; // one span is written without a list around it
  return pairs.some(([since, until]) => existsIn(release, { since, until: until ?? undefined }));
}

/** "core.v1.Pod" and "core.v1.Pod.spec": the words of types and fields. */
export const types: Readonly<Record<string, History<string>>> = Object.assign(
  {},
  ...readdirSync(new URL("types/", folder)).map((name) => read<object>(`types/${name}`)),
);

export interface ResourceFacts {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly acceptsKind?: string;
  readonly has: Spans;
  readonly on: Spans;
  readonly gate?: string;
  /** The first release that has it without the gate. */
  readonly gateUntil?: Release;
  readonly introduced?: Release;
  readonly deprecated?: Release;
  readonly removed?: Release;
  readonly replacement?: string;
  readonly planned?: Readonly<Record<string, History<string>>>;
  readonly changes?: readonly (readonly [Release, Partial<ResourceFacts>])[];
}
/** By "batch/v1 jobs/status". */
export const resources = read<Readonly<Record<string, ResourceFacts>>>("resources.json");

export function resourceAt(facts: ResourceFacts, release: Release): ResourceFacts {
  const passed = (facts.changes ?? []).filter(([since]) => isSince(release, since));
  return Object.assign({}, facts, ...passed.map(([, change]) => change));
}

export const isPast = (until: Release | undefined, release: Release): boolean =>
  until !== undefined && isSince(release, until);

interface GroupFacts {
  readonly priority: number;
  /** With those that are off by default. */
  readonly all: History<readonly string[]>;
  readonly versions: History<readonly string[]>;
}
/** In the order of discovery. */
export const groups = read<Readonly<Record<string, GroupFacts>>>("groups.json");

type GateHistory = readonly (readonly [Release, null] | readonly [Release, string, boolean, boolean])[];
export const gates = read<Readonly<Record<string, GateHistory>>>("gates.json");

/** "BETA on", "GA on locked". */
export function gatesAt(release: Release): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, history] of Object.entries(gates)) {
    const passed = history.filter(([since]) => isSince(release, since)).at(-1);
    if (passed === undefined || passed[1] === null) continue;
    found.set(name, `${passed[1]} ${passed[2] ? "on" : "off"}${passed[3] ? " locked" : ""}`);
  }
  return found;
}

/** The gates that are on without being asked for. What every server has by now has no gate any more. */
export function defaultsAt(release: Release): (name: string) => boolean {
  return (name) => {
    const passed = (gates[name] ?? []).filter(([since]) => isSince(release, since));
    const last = passed.findLast((entry) => entry[1] !== null);
    return last?.[2] === true;
  };
}

/** The gates that a field names as its condition. */
export const fieldGates = read<Readonly<Record<string, readonly string[]>>>("field-gates.json");

export interface RoleFacts {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly rules?: readonly object[] | null;
  readonly subjects?: readonly object[];
  readonly roleRef?: object;
  readonly labels?: object;
  readonly aggregationRule?: object;
}
interface RoleChanges extends RoleFacts {
  readonly has: Spans;
  readonly changes?: readonly (readonly [Release, RoleChange])[];
}
type RoleChange = Omit<Partial<RoleFacts>, "rules"> & {
  readonly rules?: { readonly "+"?: readonly object[]; readonly "-"?: readonly object[] };
};
const firstRoles = read<Readonly<Record<string, RoleFacts>>>("roles.json");
const roleChanges = read<Readonly<Record<string, RoleChanges>>>("role-changes.json");

/** By "ClusterRole system:node". */
export function rolesAt(release: Release): ReadonlyMap<string, RoleFacts> {
  const found = new Map(Object.entries(firstRoles));
  for (const [name, { has, changes = [], ...own }] of Object.entries(roleChanges)) {
    if (!within(has, release)) {
      found.delete(name);
      continue;
    }
    let role: RoleFacts = found.get(name) ?? own;
    for (const [since, { rules, ...others }] of changes) {
      if (!isSince(release, since)) break;
      role = { ...role, ...others };
      if (rules === undefined) continue;
      const gone = new Set((rules["-"] ?? []).map(sorted));
      role = {
        ...role,
        rules: [...(role.rules ?? []).filter((each) => !gone.has(sorted(each))), ...(rules["+"] ?? [])],
      };
    }
    found.set(name, role);
  }
  return found;
}

interface PluginFacts {
  readonly on: History<boolean>;
  readonly gate?: string;
}
const { order: pluginOrder, ...plugins } = read<
  Readonly<Record<string, PluginFacts>> & { readonly order: History<readonly string[]> }
>("plugins.json");

/** "LimitRanger on", in their order. */
export function pluginsAt(release: Release): readonly string[] {
  return (latest(pluginOrder as History<readonly string[]>, release) ?? []).map((name) => {
    const facts = (plugins as Readonly<Record<string, PluginFacts>>)[name];
    return `${name} ${facts !== undefined && latest(facts.on, release) === true ? "on" : "off"}`;
  });
}

/** By "batch/jobs": "Name|string:name|0". */
export const columns = read<Readonly<Record<string, History<readonly string[]>>>>("columns.json");

interface ControllerFacts {
  readonly name: string;
  readonly default: boolean;
  readonly aliases?: readonly string[];
  readonly gates?: readonly string[];
  readonly cloud?: boolean;
}
export const controllers = read<Readonly<Record<string, History<ControllerFacts>>>>("controllers.json");
