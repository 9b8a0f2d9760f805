/** The formats of -o: prints an object as text. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { nearest } from "../../base/suggest.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { goJson, prettyJson } from "../go-json.ts";
import { copy, isJson, type Json, kindOf, list, nameText, object } from "../json.ts";
import { runTemplate, TemplateError } from "./go-template/execute.ts";
import { goSyntax, printValue } from "./go-template/format.ts";
import { parseTemplate } from "./go-template/parse.ts";
import { parsePathTemplate, runJsonPath } from "./json-path.ts";

/** Prints objects one after the other. */
export type ObjectPrinter = (object: Json) => string;

const templateFormats = ["go-template", "go-template-file", "template", "templatefile"];
const pathFormats = ["jsonpath", "jsonpath-as-json", "jsonpath-file"];
const known = [
  "go-template",
  "go-template-file",
  "json",
  "jsonpath",
  "jsonpath-as-json",
  "jsonpath-file",
  "name",
  "template",
  "templatefile",
  "yaml",
];

/** "jsonpath={.a}" -> the name and the argument; --template alone means a template. */
export function outputOf(context: Context): { readonly format: string; readonly argument: string } {
  const { flags } = context;
  const given = flags.output ?? "";
  const template = flags.template ?? "";
  if (given === "") return { format: template === "" ? "" : "go-template", argument: template };
  const at = given.indexOf("=");
  // Only some formats have an argument; with one, others are unknown as a whole.
  const takesOne = [...templateFormats, ...pathFormats, "custom-columns", "custom-columns-file"];
  if (at < 0 || !takesOne.includes(given.slice(0, at))) return { format: given, argument: template };
  return { format: given.slice(0, at), argument: given.slice(at + 1) };
}

/** Undefined: -o is absent, or names a table format (none, wide, and those in `own`). */
export function objectPrinter(context: Context, own: readonly string[] = []): ObjectPrinter | undefined {
  const { format, argument } = outputOf(context);
  if (format === "" || own.includes(format)) return undefined;
  const print = printerOf(context, format, argument, own);
  // A template or a path names the fields it needs; only whole objects are shortened.
  const isWhole = format === "json" || format === "yaml" || format === "ndjson";
  const keepsFields = context.flags["show-managed-fields"] === true;
  return (value) => print(isWhole && !keepsFields ? withoutManagedFields(value) : value);
}

function printerOf(context: Context, format: string, argument: string, own: readonly string[]): ObjectPrinter {
  if (format === "json") return prettyJson;
  if (format === "ndjson") return (value) => `${goJson(value)}\n`;
  if (format === "yaml") return yamlPrinter();
  if (format === "name")
    return (value) => (isList(value) ? list(value, "items") : [value]).map((item) => `${nameText(item)}\n`).join("");
  const allowMissing = context.flags["allow-missing-template-keys"] ?? true;
  if (templateFormats.includes(format)) {
    if (argument === "") throw new CtlError(`template format specified but no template given`);
    const template = format.endsWith("file") ? readArgument(context, argument) : argument;
    try {
      parseTemplate(template); // so that an error is reported before any request
    } catch (error) {
      if (!(error instanceof CtlError)) throw error;
      throw new CtlError(error.message.replace(/^error parsing template: /, `error parsing template ${template}, `), {
        cause: error,
      });
    }
    return (value) => {
      try {
        return runTemplate(template, value, { allowMissing });
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        // Scripts written for kubectl look for the reason on standard output.
        if (context.behaviour.explainsTemplates) context.print(templateHelp(template, value, error.message));
        throw new CtlError(`error executing template "${template}": ${error.message}`, { cause: error });
      }
    };
  }
  if (pathFormats.includes(format)) {
    if (argument === "") throw new CtlError(`template format specified but no template given`);
    const template = format.endsWith("file") ? readArgument(context, argument) : argument;
    return jsonPathPrinter(template, { allowMissing, asJson: format === "jsonpath-as-json" });
  }
  // Under the name kubectl the list is the one of kubectl, which does not have ndjson.
  const allowed = [...known, ...own, ...(context.behaviour.givesHints ? ["ndjson"] : [])].sort();
  const near = context.behaviour.givesHints ? nearest(format, allowed) : undefined;
  throw new CtlError(
    `unable to match a printer suitable for the output format "${format}", allowed formats are: ${allowed.join(",")}${near === undefined ? "" : `\nDid you mean "-o ${near}"?`}`,
  );
}

function templateHelp(template: string, value: Json, reason: string): string {
  return `Error executing template: ${reason}. Printing more information for debugging the template:
\ttemplate was:
\t\t${template}
\traw data was:
\t\t${goJson(value)}
\tobject given to template engine was:
\t\t${printValue(value)}

`;
}

function jsonPathPrinter(template: string, options: { allowMissing: boolean; asJson: boolean }): ObjectPrinter {
  let nodes: ReturnType<typeof parsePathTemplate>;
  try {
    nodes = parsePathTemplate(template);
  } catch (error) {
    throw new CtlError(`error parsing jsonpath ${template}, ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
  return (value) => {
    try {
      return runJsonPath(nodes, value, options);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      throw new CtlError(
        `error executing jsonpath "${template}": Error executing template: ${reason}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t${template}\n\tobject given to jsonpath engine was:\n\t\t${goSyntax(value)}\n\n`,
        { cause: error },
      );
    }
  };
}

function yamlPrinter(): ObjectPrinter {
  let isFirst = true;
  return (value) => {
    const separator = isFirst ? "" : "---\n";
    isFirst = false;
    return separator + encodeYaml(value);
  };
}

function readArgument(context: Context, path: string): string {
  try {
    return readFileSync(resolve(context.environment.cwd, path), "utf8");
  } catch (error) {
    throw new CtlError(`error reading --template ${path}, open ${path}: no such file or directory`, { cause: error });
  }
}

export const isList = (value: Json): boolean => kindOf(value).endsWith("List") && Array.isArray(value["items"]);

function withoutManagedFields(value: Json): Json {
  const strip = (one: Json): Json => {
    if (object(one, "metadata")["managedFields"] === undefined) return one;
    const { managedFields: _, ...metadata } = object(one, "metadata");
    return { ...one, metadata };
  };
  if (!isList(value)) return strip(value);
  return { ...value, items: list(value, "items").map(strip) };
}

/** Several objects as one List, in the form that v1.21's tools print. */
export function asList(context: Context, items: readonly Json[]): Json {
  return {
    apiVersion: "v1",
    items: items.map((item) => copy(item)),
    kind: "List",
    metadata: { resourceVersion: "", ...(context.behaviour.omitsUnset ? {} : { selfLink: "" }) },
  };
}

/** Without the `creationTimestamp: null` that Go programs of v1.21 write into all metadata of what is not stored yet. */
function withoutUnset(value: Json): Json {
  const members = Object.entries(value).filter(([key, member]) => key !== "creationTimestamp" || member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, isJson(member) ? withoutUnset(member) : member]));
}

const resultPrinters = new WeakMap<Context, ObjectPrinter | undefined>();

/** How a change is reported when -o is not given: `pod/a created (dry run)`. */
export function printResult(context: Context, value: Json, operation: string, dryRun: DryRun = "none"): void {
  // One printer for the whole command, so that YAML documents are separated.
  const printer = resultPrinters.has(context) ? resultPrinters.get(context) : objectPrinter(context);
  resultPrinters.set(context, printer);
  const suffix = dryRun === "client" ? " (dry run)" : dryRun === "server" ? " (server dry run)" : "";
  if (printer === undefined) context.print(`${nameText(value)} ${operation}${suffix}\n`);
  else context.printRaw(printer(dryRun === "client" && context.behaviour.omitsUnset ? withoutUnset(value) : value));
}

export type DryRun = "none" | "client" | "server";

export function dryRunOf(context: Context): DryRun {
  const value = context.flags["dry-run"] ?? "none";
  switch (value) {
    case "none":
    case "client":
    case "server":
      return value;
    case "unchanged":
      context.log("helpers.go:553", "--dry-run is deprecated and can be replaced with --dry-run=client.", "W");
      return "client";
    case "true":
    case "false":
      context.log(
        "helpers.go:557",
        `--dry-run=${value} is deprecated (boolean value) and can be replaced with --dry-run=${value === "true" ? "client" : "none"}.`,
        "W",
      );
      return value === "true" ? "client" : "none";
    default:
      throw new CtlError(`Invalid dry-run value (${value}). Must be "none", "server", or "client".`);
  }
}
