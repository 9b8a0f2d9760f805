/**
 * Who finds misspelt fields of a manifest: the server, when it is written, or this file, by the schemas that the server publishes,
 * before it is sent.
 */

import { FlagError } from "../../base/flags/flag.ts";
import type { FieldValidation } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { CtlError, Errors } from "../errors.ts";
import type { Manifest } from "../input/manifests.ts";
import { apiVersionOf, groupOf, isJson, type Json, kindOf, object, texts } from "../json.ts";
import { nameOfReference, type OpenApi } from "../server/openapi.ts";

/** Throws the errors of a manifest, unless the server will find them when it is written. */
export async function checkManifest(context: Context, manifest: Manifest): Promise<void> {
  if (manifest.problem !== undefined) throw manifest.problem;
  const choice = choiceOf(context);
  const isSent = !clientDryRuns.has(context.flags["dry-run"] ?? "none");
  if (isSent && (await fieldValidationOf(context)) !== undefined) return;
  await checkHere(context, manifest, choice);
}

/** Deprecated spellings included. */
const clientDryRuns: ReadonlySet<string> = new Set(["client", "unchanged", "true"]);

/** What the server is told to do about unknown fields; undefined: it cannot, so that they are looked for here. */
export async function fieldValidationOf(context: Context): Promise<FieldValidation | undefined> {
  if (!context.behaviour.usesNewRequests) return undefined;
  // Servers with aggregated discovery have it by default.
  return (await context.discovery()).isAggregated ? choiceOf(context) : undefined;
}

/** Checks a manifest by the schemas that the server publishes, without sending it. */
export async function checkHere(
  context: Context,
  { object: manifest, source }: Pick<Manifest, "object" | "source">,
  choice = choiceOf(context),
): Promise<void> {
  if (choice === "Ignore") return;
  const problems = await problemsOf(context.session.openApi, manifest);
  if (problems.length === 0) return;
  const told = problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`;
  if (choice === "Strict" && context.behaviour.locatesErrors)
    throw new Errors(problems.map((problem) => new CtlError(problem)));
  if (choice === "Warn") return context.warn(`${source}: ${told}`);
  throw new CtlError(
    `error validating "${source}": error validating data: ${told}; if you choose to ignore these errors, turn validation off with --validate=false`,
  );
}

/** The value of --validate. */
export function choiceOf(context: Context): FieldValidation {
  const choice = context.flags.validate ?? "true";
  if (/^(1|t|true)$/i.test(choice)) return "Strict";
  if (/^(0|f|false)$/i.test(choice)) return "Ignore";
  if (context.behaviour.validatesByBoolean)
    throw new FlagError(
      `invalid argument "${choice}" for "--validate" flag: strconv.ParseBool: parsing "${choice}": invalid syntax`,
    );
  const named = validations[choice.toLowerCase()];
  if (named === undefined)
    throw new FlagError(`--validate must be strict (or true), warn, or ignore (or false), not "${choice}"`);
  return named;
}

const validations: Readonly<Record<string, FieldValidation>> = { strict: "Strict", warn: "Warn", ignore: "Ignore" };

/** What the published schemas say is wrong: misspelt and missing fields, values of another type. */
export async function problemsOf(openApi: OpenApi, manifest: Json): Promise<string[]> {
  const missing = [
    apiVersionOf(manifest) === "" ? "apiVersion not set" : "",
    kindOf(manifest) === "" ? "kind not set" : "",
  ].filter(Boolean);
  if (missing.length > 0) return missing;
  const apiVersion = apiVersionOf(manifest);
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const schema = await openApi.namedSchemaOf({
    group: groupOf(apiVersion),
    version,
    kind: kindOf(manifest),
  });
  if (schema === undefined) return [];
  const definitions = object(await openApi.document(), "definitions");
  const problems: string[] = [];
  new Checker(definitions, problems).check(manifest, schema.definition, kindOf(manifest), schema.name);
  return problems;
}

/** The maximum number of reported errors. */
const problemsMax = 20;

class Checker {
  readonly #definitions: Json;
  readonly #problems: string[];

  constructor(definitions: Json, problems: string[]) {
    this.#definitions = definitions;
    this.#problems = problems;
  }

  /** `path` is what messages show, `type` the name of the definition. */
  check(value: unknown, given: Json, path: string, type: string): void {
    if (this.#problems.length >= problemsMax || value === null || value === undefined) return;
    const reference = nameOfReference(given);
    const schema = reference === undefined ? given : object(this.#definitions, reference);
    const name = reference ?? type;
    if (
      Object.keys(schema).some(
        (key) => /-preserve-unknown-fields$|-int-or-string$|-embedded-resource$/.test(key) && schema[key] === true,
      )
    )
      return;
    const expected = schema["type"];
    if (isJson(schema["properties"])) this.#object(value, schema, path, name);
    else if (expected === "array") this.#list(value, schema, path, name);
    else if (isJson(schema["additionalProperties"])) this.#map(value, schema["additionalProperties"], path, name);
    else if (typeof expected === "string" && schema["format"] !== "int-or-string" && expected !== "object")
      this.#scalar(value, expected, path, name);
  }

  #object(value: unknown, schema: Json, path: string, type: string): void {
    if (!isJson(value)) {
      this.#wrong(value, "map", path, type);
      return;
    }
    const properties = object(schema, "properties");
    // Sorted by name, as kubectl reports them.
    for (const key of Object.keys(value).sort()) {
      const member = value[key];
      const known = properties[key];
      if (!isJson(known)) {
        if (!isJson(schema["additionalProperties"]))
          this.#problems.push(`ValidationError(${path}): unknown field "${key}" in ${type}`);
      } else this.check(member, known, `${path}.${key}`, `${type}.${key}`);
    }
    for (const key of texts(schema, "required"))
      if (value[key] === undefined || value[key] === null)
        this.#problems.push(`ValidationError(${path}): missing required field "${key}" in ${type}`);
  }

  #list(value: unknown, schema: Json, path: string, type: string): void {
    if (!Array.isArray(value)) {
      this.#wrong(value, "array", path, type);
      return;
    }
    value.forEach((item, at) => {
      if (item === null) this.#problems.push(`unknown object type "nil" in ${path}[${at}]`);
      else this.check(item, object(schema, "items"), `${path}[${at}]`, type);
    });
  }

  #map(value: unknown, items: Json, path: string, type: string): void {
    if (!isJson(value)) {
      this.#wrong(value, "map", path, type);
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      if (item === null) this.#problems.push(`unknown object type "nil" in ${path}.${key}`);
      else this.check(item, items, `${path}.${key}`, type);
    }
  }

  #scalar(value: unknown, expected: string, path: string, type: string): void {
    const got = kindOfValue(value);
    // As in kubectl: any scalar is accepted for a string (`cpu: 1`), and any number for another.
    const isNumber = got === "integer" || got === "number";
    const isRight =
      expected === "string"
        ? got !== "map" && got !== "array"
        : got === expected || (isNumber && (expected === "number" || expected === "integer"));
    if (!isRight) this.#wrong(value, expected, path, type);
  }

  #wrong(value: unknown, expected: string, path: string, type: string): void {
    this.#problems.push(
      `ValidationError(${path}): invalid type for ${type}: got "${kindOfValue(value)}", expected "${expected}"`,
    );
  }
}

function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (isJson(value)) return "map";
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Number)
    return Number.isInteger(Number(value)) ? "integer" : "number";
  return typeof value === "boolean" ? "boolean" : "string";
}
