/** `explain`: documents a type and its fields, from the schemas that the server publishes. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { nearest } from "../../base/suggest.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UnknownType } from "../errors.ts";
import { findResource, findServed, kindHint } from "../input/lookups.ts";
import { isJson, type Json, object, text, texts } from "../json.ts";
import { nameOfReference } from "../server/openapi.ts";
import { rulesLine, valuesOf } from "./explain-rules.ts";

const explainFlags = {
  recursive: bool("Print the fields of fields (without descriptions)"),
  "api-version": string("Explain the type in this version"),
};

type ExplainContext = Context<FlagValues<typeof explainFlags>>;

export const explain = command({
  name: "explain",
  summary: "List the fields for supported resources",
  usage: "RESOURCE[.FIELD...]",
  examples: `ctl explain pods
ctl explain pods.spec.containers
ctl explain deployment --recursive --api-version=apps/v1`,
  flags: explainFlags,
  run,
});

async function run(context: ExplainContext): Promise<void> {
  const { args, flags } = context;
  const [path] = args;
  if (path === undefined)
    throw new CtlError(
      `You must specify the type of resource to explain. Use "${context.program} api-resources" for a complete list of supported resources.`,
    );
  if (args.length > 1) throw new CtlError("We accept only this format: explain RESOURCE");
  const { resource, fields } = await split(context, path).catch((error: unknown) => {
    throw error instanceof UnknownType && context.behaviour.saysUnknownTypeBare
      ? new CtlError(error.message, { isBare: true })
      : error;
  });
  const version = flags["api-version"];
  const served = version === "" ? resource : await inVersion(context, resource, version);
  const schema = await context.session.openApi.schemaOf(served);
  if (schema === undefined)
    throw new CtlError(`couldn't find resource for "${apiVersionText(served)}, Kind=${served.kind}"`);
  const lines = [`KIND:     ${served.kind}`, `VERSION:  ${apiVersionText(served)}`, ""];
  lines.push(...(await describe(context, schema, fields, flags.recursive)));
  context.print(`${lines.join("\n")}\n`);
}

/** `deployments.apps.spec`: the longest prefix that names a type is the type. */
async function split(context: Context, path: string): Promise<{ resource: DiscoveredResource; fields: string[] }> {
  const parts = path.replace(/\.$/, "").split(".");
  const discovery = await context.discovery();
  const isName = (resource: DiscoveredResource | undefined, count: number) =>
    resource !== undefined && (count === 1 || resource.group !== "");
  for (let count = parts.length; count > 1; count--) {
    const resource = discovery.find(parts.slice(0, count).join("."));
    if (resource !== undefined && isName(resource, count)) return { resource, fields: parts.slice(count) };
  }
  return { resource: await findResource(context, parts[0] ?? ""), fields: parts.slice(1) };
}

async function inVersion(
  context: Context,
  resource: DiscoveredResource,
  apiVersion: string,
): Promise<DiscoveredResource> {
  const found = await findServed(context, (served) => served.byKind(apiVersion, resource.kind));
  if (found === undefined) {
    const hint = context.behaviour.givesHints ? kindHint(await context.discovery(), apiVersion, resource.kind) : "";
    throw new CtlError(
      `couldn't find resource for "${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${resource.kind}"${hint}`,
    );
  }
  return found;
}

async function describe(
  context: Context,
  root: Json,
  fields: readonly string[],
  isRecursive: boolean,
): Promise<string[]> {
  let schema = root;
  let field: Json | undefined;
  for (const name of fields) {
    const inside = await elementOf(context, schema);
    const next = object(inside, "properties")[name];
    // Nothing is known about the contents of an object without a schema.
    if (next === undefined && !isJson(inside["properties"]) && ["", "object"].includes(text(inside, "type")))
      return ["DESCRIPTION:", "     <empty>"];
    if (!isJson(next)) throw missingField(name, inside);
    field = next;
    schema = await elementOf(context, next);
  }
  const name = fields.at(-1);
  const isComplex = isJson(schema["properties"]);
  const lines: string[] = [];
  if (field !== undefined && name !== undefined)
    lines.push(
      `${isComplex ? "RESOURCE: " : "FIELD:    "}${name} <${await typeOf(context, field)}>`,
      ...enumBlock(valuesOf(field)),
      "",
    );
  lines.push("DESCRIPTION:");
  const descriptions = [field === undefined ? "" : text(field, "description"), text(schema, "description")].filter(
    (part, at, all) => part !== "" && all.indexOf(part) === at,
  );
  if (descriptions.length === 0) descriptions.push("<empty>");
  lines.push(descriptions.map((part) => wrap(part, 5).join("\n")).join("\n\n"));
  const rules = field === undefined ? undefined : rulesLine(field);
  if (rules !== undefined) lines.push("", ...wrap(rules, 5));
  if (!isComplex) return lines;
  lines.push("", "FIELDS:");
  if (isRecursive) lines.push(...(await recursive(context, schema, 1, new Set())));
  else {
    for (const [key, value] of properties(schema)) {
      const required = texts(schema, "required").includes(key) ? " -required-" : "";
      const description = await descriptionOf(context, value);
      const values = valuesOf(value);
      const rules = rulesLine(value);
      lines.push(
        `   ${key}\t<${await typeOf(context, value)}>${required}`,
        ...(values.length === 0 ? [] : wrap(`enum: ${values.join(", ")}`, 3)),
        ...(description === "" ? [] : wrap(description, 5)),
        ...(rules === undefined ? [] : wrap(rules, 5)),
        "",
      );
    }
  }
  return lines;
}

const enumBlock = (values: readonly string[]): string[] =>
  values.length === 0 ? [] : ["ENUM:", ...values.map((value) => `     ${value}`)];

function missingField(name: string, schema: Json): CtlError {
  const near = nearest(name, Object.keys(object(schema, "properties")));
  return new CtlError(`field "${name}" does not exist${near === undefined ? "" : `\nDid you mean "${near}"?`}`);
}

const properties = (schema: Json): [string, Json][] =>
  Object.entries(object(schema, "properties"))
    .filter((entry): entry is [string, Json] => isJson(entry[1]))
    .sort(([a], [b]) => (a < b ? -1 : 1));

async function recursive(context: Context, schema: Json, depth: number, seen: ReadonlySet<Json>): Promise<string[]> {
  const lines: string[] = [];
  for (const [key, value] of properties(schema)) {
    lines.push(`${"   ".repeat(depth)}${key}\t<${await typeOf(context, value)}>`);
    const inside = await elementOf(context, value);
    if (isJson(inside["properties"]) && !seen.has(inside))
      lines.push(...(await recursive(context, inside, depth + 1, new Set([...seen, inside]))));
  }
  return lines;
}

/** Looks through lists, maps and references. */
async function elementOf(context: Context, schema: Json): Promise<Json> {
  const resolved = await context.session.openApi.resolve(schema);
  if (isJson(resolved["items"])) return elementOf(context, resolved["items"]);
  if (isJson(resolved["additionalProperties"])) return elementOf(context, resolved["additionalProperties"]);
  return resolved;
}

async function descriptionOf(context: Context, schema: Json): Promise<string> {
  return text(schema, "description") || text(await context.session.openApi.resolve(schema), "description");
}

async function typeOf(context: Context, schema: Json): Promise<string> {
  const resolved = await context.session.openApi.resolve(schema);
  if (isJson(resolved["items"])) return `[]${await typeOf(context, resolved["items"])}`;
  if (isJson(resolved["additionalProperties"]))
    return `map[string]${await typeOf(context, resolved["additionalProperties"])}`;
  if (isJson(resolved["properties"])) return "Object";
  const type = text(resolved, "type");
  return (type === "object" ? "map[string]" : type) || (nameOfReference(schema) === undefined ? "<empty>" : "Object");
}

const lineWidth = 80;

function wrap(description: string, indent: number): string[] {
  const start = " ".repeat(indent);
  const lines: string[] = [];
  for (const paragraph of description.split("\n")) {
    let line = "";
    for (const word of paragraph.split(/\s+/).filter((part) => part !== "")) {
      if (line !== "" && line.length + 1 + word.length > lineWidth - indent) {
        lines.push(start + line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line === "" ? "" : start + line);
  }
  return lines;
}
