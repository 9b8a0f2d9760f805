/**
 * Prints the lists of kinds that programs import by name, from the catalog: `src/main/kinds.ts` and `src/main/kind-versions.ts` for admission
 * plugins and tools, and `src/kit/kinds.ts` for clients, where declarations are types only. `npm run golden` writes them.
 */

import { readFileSync } from "node:fs";
import { catalog } from "../src/api/catalog.ts";
import type { Kind } from "../src/machinery/schema/kind.ts";

/** Kinds that no program needs by name, with the reason. */
const unlisted: Readonly<Record<string, string>> = {
  AccessExplanation: "`ctl` asks for it, and the answer is for people",
  AccessHolders: "`ctl` asks for it, and the answer is for people",
  ComponentStatus: "deprecated since v1.19, and always the same",
  StorageVersion: "servers tell each other which version they store",
};

/** Versions that are listed as well, under the name of the kind and the version. */
const furtherVersions: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: "v2",
  FlowSchema: "v1",
  PriorityLevelConfiguration: "v1",
  CSIStorageCapacity: "v1",
};

/** What is sent to and answered by paths under other objects; clients have calls for them. */
const sentToPaths: ReadonlySet<string> = new Set([
  "Binding",
  "EphemeralContainers",
  "Eviction",
  "Scale",
  "TokenRequest",
]);
/** Paths under objects for which clients have calls. */
const callablePaths: readonly string[] = ["scale", "status", "log", "token"];

interface Listed {
  readonly kind: Kind;
  /** "FlowSchema", or "FlowSchemaV1" for a further version. */
  readonly name: string;
  /** Where it is declared, below src/api/. */
  readonly file: string;
}

/** The files by their paths, as `biome format` has to see them. */
export function kindLists(): ReadonlyMap<string, string> {
  const listed = listedKinds();
  const namesakes = listed.filter(({ kind, name }) => name === kind.kind);
  const further = listed.filter(({ kind, name }) => name !== kind.kind);
  return new Map([
    [
      "src/main/kinds.ts",
      `/** Kinds by name, for programs that write admission plugins: \`on(kinds.Pod, "CREATE", …)\`. Each means all versions of the kind. ${printed} */\n\n${exportsOf(namesakes)}`,
    ],
    [
      "src/main/kind-versions.ts",
      `/** Versions of kinds beside those of kinds.ts, for clients: levels differ in the versions that they serve. ${printed} */\n\n${exportsOf(further)}`,
    ],
    ["src/kit/kinds.ts", clientKinds(listed.filter(({ kind }) => !sentToPaths.has(kind.kind)))],
  ]);
}

const printed = "Printed from the catalog by `npm run golden`.";

/** The kinds in the order of the catalog, whose source says where each of them is declared. */
function listedKinds(): Listed[] {
  const source = readFileSync("src/api/catalog.ts", "utf8");
  const files = new Map(
    [...source.matchAll(/^import \{ (?:\w+ as )?(\w+) \} from "\.\/(\S+)";/gm)].map(([, local = "", file = ""]) => [
      local,
      file,
    ]),
  );
  const names = [...source.slice(source.indexOf("export const catalog")).matchAll(/^ {2}(\w+),$/gm)];
  if (names.length !== catalog.length) throw new Error("src/api/catalog.ts has a form that this script cannot read");
  return catalog.flatMap((kind, at) => {
    const file = files.get(names[at]?.[1] ?? "") ?? "";
    if (unlisted[kind.kind] !== undefined) return [];
    if (isNamesake(kind)) return [{ kind, file, name: kind.kind }];
    const isFurther = furtherVersions[kind.kind] === kind.version;
    return isFurther ? [{ kind, file, name: `${kind.kind}${kind.version.toUpperCase()}` }] : [];
  });
}

/** The version that has the name of the kind alone: v1 where every level serves it, otherwise the hub. */
function isNamesake(kind: Kind): boolean {
  const everywhere = catalog.find(
    (one) => one.kind === kind.kind && one.group === kind.group && one.version === "v1" && one.since === undefined,
  );
  return everywhere === undefined
    ? kind.hub === undefined
    : everywhere === kind && (kind.hub ?? kind).group === kind.group;
}

/** The order in which the linter wants imports: a folder before the file of its name, and that before longer names. */
const byFile = (a: Listed, b: Listed) => (importOrder(a) < importOrder(b) ? -1 : 1);
const importOrder = ({ file }: Listed) => file.replaceAll("/", " ").replace(".", "!");

function exportsOf(listed: readonly Listed[]): string {
  const lines = listed
    .toSorted(byFile)
    .map(({ kind, name, file }) => `export { ${asName(kind.kind, name)} } from "../api/${file}";\n`);
  return lines.join("");
}

const asName = (kind: string, name: string): string => (kind === name ? kind : `${kind} as ${name}`);

function clientKinds(listed: readonly Listed[]): string {
  const groups = new Map<string, Listed[]>();
  for (const one of listed) {
    const group = one.file.slice(0, one.file.indexOf("/"));
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  const imports = listed
    .toSorted(byFile)
    .map(({ kind, name, file }) => `import type { ${kind.kind} as ${name}Object } from "../api/${file}";\n`);
  const parts = [...groups].map(([group, kinds]) => {
    const served = kinds[0]?.kind.group ?? "";
    return `const ${group} = kindsOf("${served}");\n${kinds.map((one) => clientKind(group, one)).join("")}`;
  });
  return `${clientHeader}${imports.join("")}${clientHelpers}\n${parts.join("\n")}`;
}

function clientKind(group: string, { kind, name }: Listed): string {
  const { version, resource, scope, verbs, subresources = [] } = kind;
  const isReview = verbs?.length === 1 && verbs[0] === "create";
  const form = scope === "Cluster" ? (isReview ? "review" : "cluster") : isReview ? "namespacedReview" : "namespaced";
  const paths = callablePaths.filter((path) => subresources.some((one) => one.name === path)).sort();
  const object = hasPrintedStatus(kind) ? name : `${name}Object`;
  const types = [object, ...(paths.length === 0 ? [] : [paths.map((path) => `"${path}"`).join(" | ")])].join(", ");
  const about =
    name === kind.kind ? "" : `/** In the version ${version}, which servers of v${kind.since} and later serve. */\n`;
  const type = hasPrintedStatus(kind) ? `CreatedBare<${name}Object>` : `${name}Object`;
  return `${about}export const ${name} = ${group}.${form}<${types}>("${version}", "${kind.kind}", "${resource}");
export type ${name} = ${type};
`;
}

/** Whether an object always has a status, even one that was just created. */
const hasPrintedStatus = ({ schema }: Kind): boolean => schema.fields.get("status")?.presence === "required";

const clientHeader = `/**
 * The built-in kinds as clients know them: their names, and the types of their objects. The declarations themselves are part of the
 * server and are imported as types only. ${printed}
 */

`;

const clientHelpers = `import type { Answered, AnyObject, ClusterWide, KindTraits, Namespaced, ServedKind } from "../client/contract.ts";

/** Servers write the status, so an object is created without one, even where it is always printed. */
type CreatedBare<T extends { status: unknown }> = Omit<T, "status"> & Partial<Pick<T, "status">>;

type Names = readonly [version: string, kind: string, resource: string];

/** The kinds of a group, under its neutral name. \`P\`: the paths that objects of the kind have and that have calls of their own. */
function kindsOf(group: string) {
  const kind = <T extends AnyObject, K extends KindTraits>(
    scope: K["scope"],
    [version, name, resource]: Names,
  ): ServedKind<T, K> => ({ group, version, kind: name, resource, scope });
  return {
    namespaced: <T extends AnyObject, P extends string = never>(...names: Names) =>
      kind<T, Namespaced<P>>("Namespaced", names),
    cluster: <T extends AnyObject, P extends string = never>(...names: Names) =>
      kind<T, ClusterWide<P>>("Cluster", names),
    namespacedReview: <T extends AnyObject>(...names: Names) => kind<T, Answered<"Namespaced">>("Namespaced", names),
    review: <T extends AnyObject>(...names: Names) => kind<T, Answered<"Cluster">>("Cluster", names),
  };
}
`;
