/** Definitions as a module of `defineResource` declarations. */

import { type Json, number, text } from "../json.ts";
import { type Definition, type PrintedVersion, typeNames } from "./definitions.ts";
import { printFields } from "./print-fields.ts";
import { literal, memberName } from "./source-text.ts";

export function printModule(definitions: readonly Definition[]): string {
  const names = typeNames(definitions);
  const imports = new Set(["defineResource", "type Static"]);
  const parts = definitions.map((definition) => printResource(definition, names.get(definition) ?? "", imports));
  const imported = [...imports].sort((a, b) => (a.replace("type ", "") < b.replace("type ", "") ? -1 : 1));
  const unwritten = parts.some((part) => part.includes("notWritten")) ? `\n${notWritten}` : "";
  return `import { ${imported.join(", ")} } from "orch/client";\n${unwritten}\n${parts.join("\n")}`;
}

/** A definition says that versions are converted, but not how. */
const notWritten = `/** The definition names a webhook that converts versions; write here how, before this declaration is installed. */
const notWritten = (): never => {
  throw new Error("the conversion between these versions is not written");
};
`;

function printResource(definition: Definition, name: string, imports: Set<string>): string {
  const { group, kind, plural, singular, shortNames, categories, scope, versions, isConvertedByWebhook } = definition;
  const [hub, ...others] = versions;
  if (hub === undefined) return "";
  const stored = versions.find(({ isStored }) => isStored);
  const members = [
    `group: ${literal(group)}`,
    `version: ${literal(hub.name)}`,
    ...(stored === undefined || stored === hub ? [] : [`storage: ${literal(stored.name)}`]),
    `kind: ${literal(kind)}`,
    `resource: ${literal(plural)}`,
    ...(singular === kind.toLowerCase() ? [] : [`singular: ${literal(singular)}`]),
    ...(shortNames.length === 0 ? [] : [`shortNames: ${literal(shortNames)}`]),
    ...(categories.length === 0 ? [] : [`categories: ${literal(categories)}`]),
    ...(scope === "Namespaced" ? [] : [`scope: ${literal(scope)}`]),
    ...printVersion(hub, "  ", imports),
  ];
  if (others.length > 0) {
    const conversions = isConvertedByWebhook ? ["toHub: notWritten", "fromHub: notWritten"] : [];
    const printed = others.map((version) => {
      const inner = [...printVersion(version, "      ", imports), ...conversions];
      return `    ${memberName(version.name)}: {\n${inner.map((line) => `      ${line},\n`).join("")}    },\n`;
    });
    members.push(`versions: {\n${printed.join("")}  }`);
  }
  const declared = `export const ${name} = defineResource({\n${members.map((line) => `  ${line},\n`).join("")}});\n`;
  return `${declared}export type ${name} = Static<typeof ${name}>;\n`;
}

/** The members of a version, whose lines begin at `indent`. */
function printVersion(version: PrintedVersion, indent: string, imports: Set<string>): string[] {
  const { schema, scale, columns, selectable, isServed, isDeprecated, warning } = version;
  const { fields, keywords, rules, imports: called } = printFields(schema, indent);
  for (const name of called) imports.add(name);
  const doc = text(schema, "description");
  const more = [...keywords].map(([path, keyword]) => `${indent}  ${memberName(path)}: ${object(keyword)},\n`);
  const shown = columns.filter((column) => text(column, "jsonPath") !== ".metadata.creationTimestamp").map(columnOf);
  const rows = (items: readonly string[]) => `[\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}]`;
  return [
    ...(doc === "" ? [] : [`doc: ${literal(doc)}`]),
    ...(isServed ? [] : ["served: false"]),
    ...(isDeprecated ? [`deprecated: ${warning === "" ? "true" : literal(warning)}`] : []),
    `fields: ${fields}`,
    ...(shown.length === 0 ? [] : [`columns: ${rows(shown.map(object))}`]),
    ...(selectable.length === 0 ? [] : [`selectable: ${literal(selectable)}`]),
    ...(scale === undefined ? [] : [`scale: ${object(scaleOf(scale))}`]),
    ...(rules.length === 0 ? [] : [`rules: ${rows(rules.map(object))}`]),
    ...(more.length === 0 ? [] : [`keywords: {\n${more.join("")}${indent}}`]),
  ];
}

function columnOf(column: Json): Json {
  const doc = text(column, "description");
  const priority = number(column, "priority") ?? 0;
  return {
    name: text(column, "name"),
    type: text(column, "type"),
    path: text(column, "jsonPath") || text(column, "JSONPath"),
    ...(doc === "" ? {} : { doc }),
    ...(priority === 0 ? {} : { priority }),
  };
}

function scaleOf(scale: Json): Json {
  const selector = text(scale, "labelSelectorPath");
  const paths = { spec: text(scale, "specReplicasPath"), status: text(scale, "statusReplicasPath") };
  return { ...paths, ...(selector === "" ? {} : { selector }) };
}

/** On one line; undefined is a value here, which takes a keyword away. */
const object = (value: Json): string =>
  `{ ${Object.entries(value)
    .map(([name, member]) => `${memberName(name)}: ${member === undefined ? "undefined" : literal(member)}`)
    .join(", ")} }`;
