/** A schema as fields of `defineResource`, and what these cannot say as keywords and rules by path. */

import { isJson, type Json, text, texts } from "../json.ts";
import { literal, memberName } from "./source-text.ts";

interface PrintedFields {
  /** "{ spec: field.object({ … }) }". */
  readonly fields: string;
  /** By path, "spec.size". */
  readonly keywords: ReadonlyMap<string, Json>;
  readonly rules: readonly Json[];
  /** What the text uses of the kit. */
  readonly imports: ReadonlySet<string>;
}

/** Members that every object has; the definition says at most more about metadata. */
const fixed: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

export function printFields(schema: Json, indent: string): PrintedFields {
  const printer = new Fields();
  const { properties } = schema;
  const metadata = isJson(properties) && isJson(properties["metadata"]) ? properties["metadata"] : {};
  const { type: _type, ...more } = metadata;
  if (Object.keys(more).length > 0) printer.keywords.set("metadata", more);
  const fields = printer.members(schema, "", indent, fixed);
  const required = texts(schema, "required").filter((name) => fixed.has(name));
  printer.leave(schema, "", ["type", "properties", "description", "required", "x-validations"]);
  // Whether the fixed ones are required is for the server to say; what is named here is kept.
  if (required.length > 0) printer.keep("", { required: texts(schema, "required") });
  return { fields, keywords: printer.keywords, rules: printer.rules, imports: printer.imports };
}

/** What `rules` of a declaration can say. */
const ruleMembers = new Set(["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"]);

class Fields {
  readonly keywords = new Map<string, Json>();
  readonly rules: Json[] = [];
  readonly imports = new Set<string>();

  /** "{ a: field.string(), b: … }" with one member a line. */
  members(schema: Json, path: string, indent: string, omitted: ReadonlySet<string> = new Set()): string {
    const properties = isJson(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    const required = texts(schema, "required");
    const lines = properties.flatMap(([name, value]) => {
      if (omitted.has(name) || !isJson(value)) return [];
      const inner = path === "" ? name : `${path}.${name}`;
      const isRequired = required.includes(name) && value["default"] === undefined;
      return [`${indent}  ${memberName(name)}: ${this.#member(value, inner, `${indent}  `, isRequired)},\n`];
    });
    return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
  }

  /** Adds to the keywords of a path. */
  keep(path: string, more: Json): void {
    if (Object.keys(more).length > 0) this.keywords.set(path, { ...this.keywords.get(path), ...more });
  }

  /** Keeps everything but what the fields say already. */
  leave(schema: Json, path: string, said: readonly string[]): void {
    this.keep(path, Object.fromEntries(Object.entries(schema).filter(([name]) => !said.includes(name))));
    const rules = schema["x-validations"];
    if (!Array.isArray(rules)) return;
    const isPlain = (rule: unknown): rule is Json =>
      isJson(rule) && Object.keys(rule).every((name) => ruleMembers.has(name));
    if (!rules.every(isPlain)) this.keep(path, { "x-validations": rules });
    else for (const { rule: expression, ...more } of rules) this.rules.push({ at: path, expression, ...more });
  }

  #member(schema: Json, path: string, indent: string, isRequired: boolean): string {
    const type = this.#value(schema, path, indent, ["description", "default"]);
    const description = text(schema, "description");
    const fallback = schema["default"];
    const doc = description === "" ? "" : `.doc(${literal(description)})`;
    const given = fallback === undefined ? "" : `.default(${literal(fallback)})`;
    return `${isRequired ? type : `${this.#call("optional")}(${type})`}${given}${doc}`;
  }

  /** An item of a list or a value of a map has no documentation or default of its own, so these are kept. */
  #value(schema: Json, path: string, indent: string, said: readonly string[]): string {
    const { type, made, called } = this.#type(schema, path, indent);
    const rules = this.#ruled(schema, called);
    // What the type says and the schema does not is taken away.
    const unsaid = Object.fromEntries(
      made.filter((name) => !Object.hasOwn(schema, name)).map((name) => [name, undefined]),
    );
    this.keep(path, unsaid);
    this.leave(schema, path, [...said, ...made, ...rules.map(({ name }) => name), "x-validations"]);
    return `${type}${rules.map(({ call }) => call).join("")}`;
  }

  /** `made`: the keywords of the type itself. */
  #type(schema: Json, path: string, indent: string): { type: string; made: string[]; called: string } {
    const { format } = schema;
    const simple = (name: string, ...made: string[]) => ({ type: `${this.#call(name)}()`, made, called: name });
    if (schema["x-int-or-string"] === true && schema["type"] === undefined)
      return simple("intOrString", "x-int-or-string");
    switch (schema["type"]) {
      case "string": {
        const values = schema["enum"];
        if (Array.isArray(values) && values.every((value) => typeof value === "string"))
          return { type: `${this.#call("oneOf")}(${literal(values)})`, made: ["type", "enum"], called: "oneOf" };
        if (format === "byte") return simple("bytes", "type", "format");
        if (format === "duration") return simple("duration", "type", "format");
        if (format === "date-time" && schema["nullable"] === true) return simple("time", "type", "format", "nullable");
        return simple("string", "type");
      }
      case "integer":
        return simple(format === "int32" ? "int32" : "int64", "type", ...sameFormat(format, "int32", "int64"));
      case "number":
        return simple("double", "type", ...sameFormat(format, "double"));
      case "boolean":
        return simple("bool", "type");
      case "array":
        return this.#list(schema, path, indent);
      case "object":
        return this.#object(schema, path, indent);
      default:
        return { type: `${this.#call("json")}("value")`, made: ["x-preserve-unknown-fields"], called: "json" };
    }
  }

  #list(schema: Json, path: string, indent: string): { type: string; made: string[]; called: string } {
    const items = this.#value(isJson(schema["items"]) ? schema["items"] : {}, `${path}[]`, indent, []);
    const topology = schema["x-list-type"];
    const keys = schema["x-list-map-keys"];
    const options = { ...(topology === undefined ? {} : { topology }), ...(keys === undefined ? {} : { keys }) };
    const more = Object.keys(options).length === 0 ? "" : `, ${literal(options)}`;
    const made = [
      "type",
      "items",
      ...(topology === undefined ? [] : ["x-list-type"]),
      ...(keys === undefined ? [] : ["x-list-map-keys"]),
    ];
    return { type: `${this.#call("list")}(${items}${more})`, made, called: "list" };
  }

  #object(schema: Json, path: string, indent: string): { type: string; made: string[]; called: string } {
    const { properties, additionalProperties } = schema;
    if (isJson(properties) && Object.keys(properties).length > 0) {
      const topology = schema["x-map-type"];
      const more = topology === undefined ? "" : `, ${literal({ topology })}`;
      const made = ["type", "properties", ...(topology === undefined ? [] : ["x-map-type"])];
      // A required member with a default is always there. One that is not among the properties cannot be a field.
      const isSaid = texts(schema, "required").every((name) => Object.hasOwn(properties, name));
      const said = Object.hasOwn(schema, "required") && isSaid ? [...made, "required"] : made;
      return {
        type: `${this.#call("object")}(${this.members(schema, path, indent)}${more})`,
        made: said,
        called: "object",
      };
    }
    if (isJson(additionalProperties)) {
      const values = this.#value(additionalProperties, `${path}.*`, indent, []);
      return { type: `${this.#call("map")}(${values})`, made: ["type", "additionalProperties"], called: "map" };
    }
    return { type: `${this.#call("json")}()`, made: ["type", "x-preserve-unknown-fields"], called: "json" };
  }

  #ruled(schema: Json, called: string): { name: string; call: string }[] {
    const isNumber = ["int32", "int64", "double"].includes(called);
    const longest = called === "list" ? "maxItems" : called === "map" ? "maxProperties" : "maxLength";
    const least = called === "list" ? "minItems" : "minLength";
    const rules: [string, boolean, string][] = [
      ["minimum", isNumber && schema["exclusiveMinimum"] === undefined, "atLeast"],
      ["maximum", isNumber && schema["exclusiveMaximum"] === undefined, "atMost"],
      [longest, ["string", "oneOf", "bytes", "list", "map"].includes(called), "max"],
      [least, ["string", "oneOf", "list"].includes(called) && schema[least] === 1, "filled"],
    ];
    return rules.flatMap(([name, applies, call]) => {
      const value = schema[name];
      if (!applies || typeof value !== "number") return [];
      return [{ name, call: call === "filled" ? ".filled()" : `.${call}(${literal(value)})` }];
    });
  }

  #call(name: string): string {
    this.imports.add("field");
    return `field.${name}`;
  }
}

/** A type says its format, so that another one, or none, must be kept. */
const sameFormat = (format: unknown, ...formats: readonly string[]): string[] =>
  format === undefined || formats.includes(String(format)) ? ["format"] : [];
