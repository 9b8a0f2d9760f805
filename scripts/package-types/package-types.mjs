/** The types of the package: what the compiler declares, rolled up into one file for each entry. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rollUp } from "./roll-up.mjs";

const entries = { library: "main/library.d.ts", client: "kit/orch-client.d.ts", testing: "main/testing.d.ts" };
const objectTypes = "./object-types.js";

/** `root`: the folder of the sources; `declared`: that of what the compiler made of them. Returns texts by names of files: "client.d.ts". */
export function packageTypes(root, declared) {
  const files = new Map(
    readdirSync(declared, { recursive: true })
      .filter((name) => name.endsWith(".d.ts"))
      .map((name) => [name.replaceAll("\\", "/"), readFileSync(join(declared, name), "utf8")]),
  );
  const source = (name) => readFileSync(join(root, "src", name), "utf8");
  files.set("kit/kinds.d.ts", clientKinds(source("kit/kinds.ts")));
  const hubs = kindsIn(source("main/kinds.ts"));
  files.set("main/kinds.d.ts", serverKinds(hubs));
  // Editors show the types of `orch/types`, which have documentation; a test says that they are the same.
  const known = new Map(
    [...hubs, ...kindsIn(source("main/kind-versions.ts"))].map(({ file, name, as }) => [
      `${file} ${name}`,
      { from: objectTypes, name: `types.${as}` },
    ]),
  );
  known.set("machinery/schema/object-meta.d.ts ObjectMeta", { from: objectTypes, name: "types.ObjectMeta" });
  const made = rollUp({ files, entries, known });
  return new Map([...made].map(([name, text]) => [`${name}.d.ts`, text]));
}

/** Without comments, for a reader who looks for changes. */
export const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\n/gm, "");

/** `export { HorizontalPodAutoscaler as HorizontalPodAutoscalerV2 } from "../api/…"`. */
const kindsIn = (source) =>
  [...source.matchAll(/^export \{ (\w+)(?: as (\w+))? \} from "\.\.\/([^"]+)\.ts";$/gm)].map(
    ([, name, as = name, file]) => ({ name, as, file: `${file}.d.ts` }),
  );

/** The kinds of `orch/client`. `source`: where they are listed with what else types say of them. */
function clientKinds(source) {
  const forms = {
    namespaced: (paths) => `Namespaced<${paths}>`,
    cluster: (paths) => `ClusterWide<${paths}>`,
    review: () => 'Answered<"Cluster">',
    namespacedReview: () => 'Answered<"Namespaced">',
  };
  const objects = source.match(/^import type \{ \w+ as \w+ \} from .*$/gm) ?? [];
  const listed = [...source.matchAll(/^(\/\*\* .*\n)?export const (\w+) = \w+\.(\w+)<\s*\w+(?:,\s*([^>]*?))?\s*>\(/gm)];
  const values = source.match(/^export const /gm) ?? [];
  if (listed.length !== values.length) throw new Error("a kind in src/kit/kinds.ts is not listed as the others are");
  const declared = listed.map(
    ([, doc = "", name, form, paths = "never"]) =>
      `${doc}export declare const ${name}: ServedKind<${name}Object, ${forms[form](paths)}>;\nexport type ${name} = ${name}Object;\n`,
  );
  return `${objects.join("\n")}
import type { Answered, ClusterWide, Namespaced, ServedKind } from "../client/contract.ts";
${declared.join("")}`;
}

/** The kinds of `orch`, of which plugins need the names and the objects. */
function serverKinds(kinds) {
  const lines = kinds.flatMap(({ name, as, file }) => [
    `import type { ${name} as ${as}Object } from "../${file}";`,
    `export declare const ${as}: NamedTarget<${as}Object>;`,
    `export type ${as} = ${as}Object;`,
  ]);
  return `import type { NamedTarget } from "../admission/on.ts";\n${lines.join("\n")}\n`;
}
