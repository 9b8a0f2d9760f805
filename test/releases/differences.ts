/** Where declarations, bound to each release, differ from what the release has: lines, by subject. */

import { admissionOrder } from "../../src/admission/order.ts";
import { featureGatesOf } from "../../src/api/feature-gates.ts";
import { bootstrapObjects } from "../../src/authz/bootstrap/objects.ts";
import { existsIn, type Release } from "../../src/base/release.ts";
import { absentControllers } from "../../src/controllers/choose.ts";
import { controllers } from "../../src/controllers/list.ts";
import { withShortNames } from "../../src/controllers/names.ts";
import { resourceList } from "../../src/http/discovery/documents.ts";
import type { Catalog } from "../../src/machinery/schema/catalog.ts";
import { tableColumns } from "../../src/machinery/table/table.ts";
import { orch } from "../../src/vocabulary/orch.ts";
import { Differences } from "./compare.ts";
import { catalogOf, declaredIn } from "./declared.ts";
import { sorted } from "./fact-words.ts";
import * as facts from "./facts.ts";
import { servedAt } from "./served.ts";

/** No release has it: it says which pods wait for a scheduler that is missing. */
const ownController = "unscheduled-pods";

const declared = new Map(facts.releases.map((release) => [release, declaredIn(release)]));

/** By subject: "fields", "roles". */
export const subjects: Readonly<Record<string, () => readonly string[]>> = {
  fields() {
    const found = new Differences();
    for (const [release, { words }] of declared) {
      const right = new Map<string, string>();
      for (const [name, history] of Object.entries(facts.types)) {
        const value = facts.latest(history, release);
        if (value !== undefined) right.set(name, value);
      }
      const isOurs = (name: string) => words.has(name.split(".").slice(0, 3).join("."));
      for (const name of new Set([...words.keys(), ...[...right.keys()].filter(isOurs)])) {
        const type = name.split(".").slice(0, 3).join(".");
        if (!right.has(type)) {
          if (type === name) found.add(release, `${type}: unknown type`);
          continue;
        }
        if (/\.(kind|apiVersion)$/.test(name) && !words.has(name)) continue;
        compareWords(found, release, name, right.get(name), words.get(name));
      }
    }
    return found.lines();
  },

  resources() {
    const found = new Differences();
    for (const [release, { catalog, kinds }] of declared) {
      const here = resourcesOf(catalog);
      for (const [name, own] of Object.entries(facts.resources)) {
        const at = facts.resourceAt(own, release);
        const right = facts.within(at.on, release) ? resourceWords({ ...at, verbs: at.verbs.split(" ") }) : undefined;
        found.compare(release, `on by default: ${name}`, right, here.get(name));
      }
      for (const name of here.keys()) {
        const group = name.replace(/\/.*/, "");
        if (facts.resources[name] === undefined && group in facts.groups)
          found.add(release, `on by default: ${name}: unknown`);
      }
      const known = new Set([...declared.values()].flatMap((each) => each.kinds.map(nameOf)));
      const ours = new Set(kinds.map(nameOf));
      for (const name of known) {
        const own = facts.resources[name];
        if (own !== undefined)
          found.compare(release, `has: ${name}`, String(facts.within(own.has, release)), String(ours.has(name)));
      }
      const listings = catalog.groups().filter(({ group }) => group in facts.groups);
      const rightGroups = Object.entries(facts.groups)
        .map(([group, own]) => `${group} ${(facts.latest(own.versions, release) ?? []).join(" ")}`)
        .filter((each) => each.includes(" v"));
      found.compare(
        release,
        "groups",
        rightGroups.join(", "),
        listings.map(({ group, versions }) => `${group} ${versions.join(" ")}`).join(", "),
      );
    }
    return found.lines();
  },

  /** With --runtime-config=api/all=true: as gates are by default, and with all of them on. Kinds that are not declared are left out. */
  versions() {
    const found = new Differences();
    const known = new Set([...declared.values()].flatMap((each) => each.kinds.map(nameOf)));
    for (const release of facts.releases) {
      const defaults = facts.defaultsAt(release);
      for (const [setting, enabled] of [
        ["all versions", defaults],
        ["all versions and gates", () => true],
      ] as const) {
        const catalog = catalogOf(release, new Map([["api/all", "true"]]), enabled);
        const here = resourcesOf(catalog);
        for (const [name, own] of Object.entries(facts.resources)) {
          if (!known.has(name.replace(/\/(?!.* )[^ ]*$/, ""))) continue;
          const at = facts.resourceAt(own, release);
          const isFree = at.gate === undefined || facts.isPast(at.gateUntil, release) || enabled(at.gate);
          const has = facts.within(at.has, release) && isFree;
          const right = has ? resourceWords({ ...at, verbs: at.verbs.split(" ") }) : undefined;
          found.compare(release, `${setting}: ${name}`, right, here.get(name));
        }
        for (const { group, versions } of catalog.groups()) {
          const all = facts.groups[group] && facts.latest(facts.groups[group].all, release);
          if (all === undefined || all === null) continue;
          const right = all.filter((version) => versions.includes(version));
          found.compare(release, `${setting}: order of ${group}`, right.join(" "), versions.join(" "));
        }
      }
    }
    return found.lines();
  },

  deprecations() {
    const found = new Differences();
    for (const [release, { kinds }] of declared) {
      for (const kind of kinds) {
        const own = facts.resources[nameOf(kind)];
        if (own === undefined) continue;
        const planned = (member: "deprecated" | "removed" | "replacement") => {
          const history = own.planned?.[member];
          return history === undefined ? own[member] : facts.latest(history, release);
        };
        const since = planned("deprecated");
        const isDeprecated = since !== undefined && existsIn(release, { since: since as Release });
        const right = isDeprecated
          ? `${since} ${planned("removed") ?? "-"} ${planned("replacement") ?? "-"}`
          : undefined;
        const { deprecated } = kind.declaration;
        const here =
          deprecated === undefined
            ? undefined
            : `${deprecated.since ?? "-"} ${deprecated.removed ?? "-"} ${deprecated.replacement ?? "-"}`;
        found.compare(release, nameOf(kind), right, here);
      }
    }
    return found.lines();
  },

  columns() {
    const found = new Differences();
    for (const [release, { kinds, catalog }] of declared) {
      for (const kind of kinds) {
        if (!catalog.isServed(kind)) continue;
        const history = facts.columns[`${kind.group}/${kind.resource}`];
        const right = history === undefined ? undefined : facts.latest(history, release);
        if (right === undefined) continue;
        const here = tableColumns(kind).map(
          ({ name, type, format, priority }) => `${name}|${type}${format === "" ? "" : `:${format}`}|${priority}`,
        );
        found.compare(release, `${kind.apiVersion} ${kind.resource}`, right.join(", "), here.join(", "));
      }
    }
    return found.lines();
  },

  roles() {
    const found = new Differences();
    for (const release of facts.releases) {
      const enabled = facts.defaultsAt(release);
      const here = new Map(
        bootstrapObjects({ vocabulary: orch, level: release, gates: { enabled } }).map((each) => {
          const { namespace = "", name = "" } = each.metadata;
          return [`${each.kind} ${namespace === "" ? "" : `${namespace}/`}${name}`, each];
        }),
      );
      const right = facts.rolesAt(release);
      found.compareSets(release, "roles", right.keys(), here.keys());
      for (const [name, own] of right) {
        const ours = here.get(name);
        if (ours === undefined) continue;
        found.compareSets(release, name, (own.rules ?? []).map(sorted), listOf(ours["rules"]).map(sorted));
        found.compareSets(release, name, (own.subjects ?? []).map(sorted), listOf(ours["subjects"]).map(sorted));
        for (const member of ["roleRef", "aggregationRule"] as const)
          found.compare(release, `${name} ${member}`, sorted(own[member]), sorted(ours[member]));
        found.compare(release, `${name} labels`, sorted(own.labels), sorted(ours.metadata.labels));
      }
    }
    return found.lines();
  },

  gates() {
    const found = new Differences();
    for (const release of facts.releases) {
      const right = facts.gatesAt(release);
      const here = new Map(
        featureGatesOf(release).map(({ name, stage, enabled, locked }) => [
          name,
          `${stage} ${enabled ? "on" : "off"}${locked ? " locked" : ""}`,
        ]),
      );
      for (const name of new Set([...right.keys(), ...here.keys()]))
        found.compare(release, name, right.get(name), here.get(name));
    }
    return found.lines();
  },

  plugins() {
    const found = new Differences();
    for (const release of facts.releases) {
      const here = admissionOrder
        .filter((place) => existsIn(release, place) && !/^DenyE/.test(place.name))
        .map(({ name, byDefault }) => `${name} ${byDefault ? "on" : "off"}`);
      const right = facts.pluginsAt(release);
      found.compareSets(release, "plugins", right, here);
      const both = (list: readonly string[], other: readonly string[]) => list.filter((each) => other.includes(each));
      found.compare(release, "order of plugins", both(right, here).join(" "), both(here, right).join(" "));
    }
    return found.lines();
  },

  controllers() {
    const absent = Object.keys(absentControllers);
    const known = [...controllers.map(({ name }) => name), ...absent];
    const found = new Differences();
    for (const release of facts.releases) {
      const right: string[] = [];
      for (const history of Object.values(facts.controllers)) {
        const at = facts.latest(history, release);
        if (at === undefined || at.cloud === true) continue;
        const [name] = withShortNames([at.name], known);
        // They are accepted, and the page about differences says why they are not there.
        if (name !== undefined && absent.includes(name)) continue;
        right.push(`${name} ${at.default ? "on" : "off"}`);
      }
      const here = controllers.filter((each) => existsIn(release, each) && each.name !== ownController);
      found.compareSets(
        release,
        "controllers",
        right,
        here.map((each) => `${each.name} ${each.offByDefault ? "off" : "on"}`),
      );
    }
    return found.lines();
  },
};

function compareWords(
  found: Differences,
  release: Release,
  name: string,
  right: string | undefined,
  here: string | undefined,
): void {
  if (right === undefined || here === undefined) {
    found.compare(release, name, right, here);
    return;
  }
  const theirs = right.split(" ").filter(Boolean);
  const ours = here.split(" ").filter(Boolean);
  // The facts of fields that never changed do not tell how JSON shows them.
  const saysPresence = theirs.some((word) => word.startsWith("presence="));
  for (const word of new Set([...theirs, ...ours].map(kindOfWord))) {
    if (word === "presence" && !saysPresence) continue;
    found.compare(release, `${name} ${word}`, pick(theirs, word), pick(ours, word));
  }
}

/** "list" of "list=atomic", "@" of a number; the word without a name is the type. */
function kindOfWord(word: string): string {
  if (word.startsWith("@") || word === "required") return word.slice(0, 8).replace(/^@.*/, "number");
  return /^(\w+)=/.exec(word)?.[1] ?? "type";
}
const pick = (words: readonly string[], kind: string): string | undefined =>
  words.find((word) => kindOfWord(word) === kind);

interface Words {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}
export function resourceWords({ kind, namespaced, verbs, shortNames = [], categories = [] }: Words): string {
  const extra = [...shortNames.map((each) => `short=${each}`), ...categories.map((each) => `category=${each}`)];
  return [kind, namespaced ? "namespaced" : "cluster", verbs.join(","), ...extra].join(" ");
}

/** By "batch/v1 jobs/status". */
function resourcesOf(catalog: Catalog): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { group, versions } of catalog.groups()) {
    for (const version of versions) {
      const { groupVersion, resources } = resourceList(catalog, group, version);
      for (const each of resources) found.set(`${groupVersion} ${each.name}`, resourceWords(each));
    }
  }
  return found;
}

const nameOf = ({ apiVersion, resource }: { readonly apiVersion: string; readonly resource: string }): string =>
  `${apiVersion} ${resource}`;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Where what a server of each level tells its clients differs from what the release tells. */
export async function servedDifferences(releases: readonly Release[]): Promise<readonly string[]> {
  const found = new Differences();
  for (const release of releases) {
    const served = await servedAt(release);
    found.compare(release, "minor", release.slice(2), served.minor);
    const groups = Object.entries(facts.groups).flatMap(([group, { versions }]) => {
      const on = group === "" ? undefined : facts.latest(versions, release);
      return on === undefined || on.length === 0 ? [] : [`${group} ${on.join(" ")}`];
    });
    found.compare(release, "groups", groups.join(", "), served.groups.join(", "));
    for (const [name, own] of Object.entries(facts.resources)) {
      const at = facts.resourceAt(own, release);
      const right = facts.within(at.on, release) ? resourceWords({ ...at, verbs: at.verbs.split(" ") }) : undefined;
      found.compare(release, name, right, served.resources.get(name));
    }
    for (const [name, singular] of served.singularNames) {
      const right = existsIn(release, { since: "1.27" }) ? name.replace(/.* /, "").toLowerCase() : "";
      found.compare(release, `singular of ${name}`, right, singular);
    }
    const types = new Set(
      [...served.v2.keys(), ...served.v3.keys()].map((name) => name.split(".").slice(0, 3).join(".")),
    );
    for (const [name, history] of Object.entries(facts.types)) {
      const right = facts.latest(history, release);
      if (name.split(".").length < 4 || !types.has(name.split(".").slice(0, 3).join("."))) continue;
      // What only protobuf and JSON show; defaults and values are in the third version alone, which clients read since 1.24.
      const shown = right === undefined ? undefined : withoutWords(right, ["number", "inside", "presence"]);
      const plain = (words: string | undefined) => words && withoutWords(words, ["default", "enum", "itemEnum"]);
      found.compare(release, `${name} (v2)`, plain(shown), plain(served.v2.get(name)));
      if (existsIn(release, { since: "1.24" })) found.compare(release, `${name} (v3)`, shown, served.v3.get(name));
    }
    const roles = facts.rolesAt(release);
    found.compareSets(release, "roles", roles.keys(), served.roles.keys());
    for (const [name, own] of roles) {
      const here = served.roles.get(name) as facts.RoleFacts | undefined;
      if (here !== undefined)
        found.compareSets(release, name, (own.rules ?? []).map(sorted), (here.rules ?? []).map(sorted));
    }
    if (existsIn(release, { since: "1.26" })) {
      const right = facts.gatesAt(release);
      for (const name of new Set([...right.keys(), ...served.gates.keys()]))
        found.compare(release, `gate ${name}`, right.get(name)?.replace(" locked", ""), served.gates.get(name));
    }
  }
  return found.lines();
}

const withoutWords = (words: string, kinds: readonly string[]): string =>
  words
    .split(" ")
    .filter((word) => !kinds.includes(kindOfWord(word)))
    .join(" ");
