/** `config set` and `config unset`: one value by its path, such as `contexts.dev.namespace`. */

import type { ConfigList } from "../../client/config/file.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { copy, ensure, isJson, type Json } from "../json.ts";
import { changeConfig, entryFile } from "./config-files.ts";

const lists: readonly string[] = ["clusters", "contexts", "users"];

interface Property {
  readonly list: ConfigList | undefined;
  readonly name: string;
  readonly path: readonly string[];
}

/** Names may contain dots: the longest existing name is used. */
function parseProperty(context: Context, text: string): Property {
  const [first = "", ...rest] = text.split(".");
  if (!lists.includes(first)) return { list: undefined, name: "", path: [first, ...rest] };
  const list = first as ConfigList;
  for (let count = rest.length; count > 0; count--) {
    const name = rest.slice(0, count).join(".");
    if (context.configuration.merged[list].has(name)) return { list, name, path: rest.slice(count) };
  }
  if (rest.length < 1) throw new CtlError(`unable to parse ${text} after ${first}: a name must follow`);
  return { list, name: rest.slice(0, -1).join(".") || (rest[0] ?? ""), path: rest.length > 1 ? rest.slice(-1) : [] };
}

export async function setProperty(context: Context<{ readonly "set-raw-bytes": boolean }>): Promise<void> {
  const [property, value] = context.args;
  if (property === undefined || value === undefined || context.args.length > 2)
    throw new UsageError(`Unexpected args: [${context.args.join(" ")}]`);
  const { list, name, path } = parseProperty(context, property);
  const shown = typed(path.at(-1) ?? "", value, context.flags["set-raw-bytes"]);
  if (list === undefined) {
    if (!["current-context", "preferences"].includes(path[0] ?? ""))
      throw new CtlError(`unable to parse ${path[0]}: it is not a known property`);
    changeConfig(context, entryFile(context, "current-context"), (file) => put(copy(file), path, shown));
  } else {
    if (path.length === 0) throw new CtlError(`you must specify a property of ${name}`);
    const before = copy(context.configuration.merged[list].get(name)?.value ?? {});
    changeConfig(context, entryFile(context, { list, name }), undefined, {
      list,
      name,
      value: put(before, path, shown),
    });
  }
  context.print(`Property "${property}" set.\n`);
}

export async function unsetProperty(context: Context): Promise<void> {
  const [property] = context.args;
  if (property === undefined || context.args.length > 1)
    throw new UsageError(`Unexpected args: [${context.args.join(" ")}]`);
  const { list, name, path } =
    property.includes(".") || !lists.includes(property)
      ? parseProperty(context, property)
      : { list: undefined, name: "", path: [property] };
  if (list === undefined)
    changeConfig(context, entryFile(context, "current-context"), (file) => take(copy(file), path));
  else {
    const found = context.configuration.merged[list].get(name);
    if (found === undefined && path.length > 0) throw new CtlError(`current map key \`${name}\` is invalid`);
    const value = found === undefined || path.length === 0 ? undefined : take(copy(found.value), path);
    changeConfig(context, entryFile(context, { list, name }), undefined, { list, name, value });
  }
  context.print(`Property "${property}" unset.\n`);
}

function typed(key: string, value: string, isRaw: boolean): unknown {
  if (key.endsWith("-data")) return isRaw ? Buffer.from(value).toString("base64") : base64(key, value);
  if (key === "insecure-skip-tls-verify") return value === "true";
  return value;
}

/** Lines of base64 are read as one. The value is not shown in the error: it may be a key. */
function base64(key: string, value: string): string {
  const joined = value.replaceAll(/\s/g, "");
  if (/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(joined)) return joined;
  throw new CtlError(`error decoding input value: ${key} must be base64; --set-raw-bytes=true encodes a value`);
}

function put(object: Json, path: readonly string[], value: unknown): Json {
  const last = path.at(-1);
  if (last !== undefined) ensure(object, ...path.slice(0, -1))[last] = value;
  return object;
}

function take(object: Json, path: readonly string[]): Json {
  let at: unknown = object;
  for (const key of path.slice(0, -1)) at = isJson(at) ? at[key] : undefined;
  const last = path.at(-1);
  if (isJson(at) && last !== undefined) delete at[last];
  return object;
}
