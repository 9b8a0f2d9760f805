/**
 * Prints the facts of a reference folder (what each release has) into test/releases/facts/: `npm run releases -- FOLDER`. The folder
 * has the state of the first release, and histories in `releases/`; its READMEs describe both.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fieldFacts, type History, type OwnFacts, typeFacts } from "../test/releases/fact-words.ts";

const [reference] = process.argv.slice(2);
if (reference === undefined) throw new Error("usage: npm run releases -- FOLDER");

const first = "1.21";
const target = join(process.cwd(), "test/releases/facts");
const read = <T>(path: string): T => JSON.parse(readFileSync(join(reference, path), "utf8")) as T; // the folder's README has the formats

/** One line for each member. */
const lines = (members: Readonly<Record<string, unknown>>): string => {
  const text = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${text.join(",\n")}\n}\n`;
};

interface DeclaredType extends OwnFacts {
  readonly fields?: Readonly<Record<string, OwnFacts>>;
  readonly scalar?: string;
}

/** Types by name, each with the history of its own facts (under "") and of its fields, as words. */
function types(): Map<string, Record<string, History<string>>> {
  const found = new Map<string, Record<string, [string, string | null][]>>();
  const add = (type: string, member: string, release: string, words: string | null) => {
    const members = found.get(type) ?? {};
    found.set(type, members);
    const history = members[member] ?? [];
    members[member] = history;
    if (history.at(-1)?.[0] === release) history.pop();
    if ((history.at(-1)?.[1] ?? null) !== words) history.push([release, words]);
  };
  const addWhole = (type: string, release: string, whole: DeclaredType) => {
    add(type, "", release, typeFacts(whole));
    for (const [name, field] of Object.entries(whole.fields ?? {})) add(type, name, release, fieldFacts(field));
  };
  for (const file of readdirSync(join(reference as string, "types"))) {
    const group = file.replace(/\.json$/, "");
    for (const [name, type] of Object.entries(read<Record<string, DeclaredType>>(`types/${file}`)))
      addWhole(`${group}.${name}`, first, type);
  }
  const base = new Set(found.keys());
  const fields = Object.entries(read<Record<string, History<DeclaredType>>>("releases/fields.json"));
  const isType = (name: string) => name.split(".").length === 3;
  for (const [type, history] of fields.filter(([name]) => isType(name))) {
    for (const [release, value] of history) {
      if (value === null) for (const member of Object.keys(found.get(type) ?? {})) add(type, member, release, null);
      else if (value.fields !== undefined || value.scalar !== undefined || !base.has(type))
        addWhole(type, release, value);
      else add(type, "", release, typeFacts(value));
    }
  }
  for (const [name, history] of fields.filter(([each]) => !isType(each))) {
    const parts = name.split(".");
    const [type, field] = [parts.slice(0, 3).join("."), parts.slice(3).join(".")];
    const members = found.get(type) ?? {};
    found.set(type, members);
    const ends = (members[""] ?? []).filter(([, words]) => words === null);
    members[field] = [];
    for (const [release, value] of history) add(type, field, release, value === null ? null : fieldFacts(value));
    // A field that goes with its type has no entry for that.
    for (const [release] of ends) {
      const known = members[field] ?? [];
      const later = known.some(([each]) => Number(each.slice(2)) >= Number(release.slice(2)));
      if (!later) add(type, field, release, null);
    }
  }
  return found;
}

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, "types"), { recursive: true });
const byGroup = new Map<string, Record<string, unknown>>();
for (const [name, members] of [...types()].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const group = name.split(".").slice(0, 2).join(".");
  const list = byGroup.get(group) ?? {};
  byGroup.set(group, list);
  for (const [member, history] of Object.entries(members)) list[member === "" ? name : `${name}.${member}`] = history;
}
for (const [group, members] of byGroup) writeFileSync(join(target, "types", `${group}.json`), lines(members));

interface Resource {
  readonly groupVersion: string;
  readonly name: string;
  readonly [fact: string]: unknown;
}
const resources = read<Resource[]>("releases/releases.json").map(({ groupVersion, name, ...facts }) => [
  `${groupVersion} ${name}`,
  facts,
]);
writeFileSync(join(target, "resources.json"), lines(Object.fromEntries(resources)));

const groups = read<{ group: string; priority: number; versions: unknown }[]>("releases/groups.json");
writeFileSync(join(target, "groups.json"), lines(Object.fromEntries(groups.map((each) => [each.group, each]))));

type Stage = readonly [release: string, ...state: unknown[]];
const gates =
  read<{ gate: string; at: readonly Stage[]; component: string | readonly Stage[] }[]>("releases/gates.json");
/** Without the releases in which it was a gate of the controller manager alone. */
function ofServers({ at, component }: (typeof gates)[number]): readonly Stage[] {
  const [before, after] = typeof component === "string" ? [] : component;
  if (before?.[1] !== "controller-manager" || after === undefined) return at;
  return at.filter(([release]) => Number(release.slice(2)) >= Number(after[0].slice(2)));
}
writeFileSync(join(target, "gates.json"), lines(Object.fromEntries(gates.map((each) => [each.gate, ofServers(each)]))));
writeFileSync(join(target, "field-gates.json"), lines(read("releases/field-gates.json")));

interface RoleFacts {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly [fact: string]: unknown;
}
const roleName = ({ kind, namespace = "", name }: RoleFacts) =>
  `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
const isRole = ({ kind }: RoleFacts) => /Role/.test(kind);
const byName = (facts: readonly RoleFacts[]) => Object.fromEntries(facts.map((each) => [roleName(each), each]));
writeFileSync(join(target, "roles.json"), lines(byName(read<RoleFacts[]>("bootstrap-objects.json").filter(isRole))));
writeFileSync(join(target, "role-changes.json"), lines(byName(read<RoleFacts[]>("releases/roles.json"))));

const { order, plugins } = read<{ order: unknown[]; plugins: { plugin: string }[] }>("releases/plugins.json");
const ofPlugins = Object.fromEntries(plugins.map(({ plugin, ...facts }) => [plugin, facts]));
writeFileSync(join(target, "plugins.json"), lines({ order, ...ofPlugins }));

interface TableFacts {
  readonly group: string;
  readonly resource: string;
  readonly columns: History<readonly string[]>;
}
const tables: Record<string, History<readonly string[]>> = {};
for (const { groupVersion, resource, columns } of read<
  { groupVersion: string; resource: string; columns: readonly string[] }[]
>("columns.json")) {
  const group = groupVersion.includes("/") ? groupVersion.replace(/\/.*/, "") : "";
  tables[`${group}/${resource}`] = [[first, columns]];
}
for (const { group, resource, columns } of read<TableFacts[]>("releases/columns.json"))
  tables[`${group}/${resource}`] = columns;
writeFileSync(join(target, "columns.json"), lines(tables));

const controllers = read<{ controller: string; at: unknown }[]>("releases/controllers.json");
writeFileSync(
  join(target, "controllers.json"),
  lines(Object.fromEntries(controllers.map(({ controller, at }) => [controller, at]))),
);
console.log(`releases: ${byGroup.size} groups of types, ${resources.length} resources, ${gates.length} gates`);
