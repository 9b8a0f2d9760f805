/** Makes the schemas of aggregated servers part of our own document: equal definitions are shared, different ones get new names. */

import { TimeSlice } from "../../base/time-slice.ts";
import type { OpenApiV2 } from "../../machinery/openapi/document.ts";
import type { ForeignSchema } from "../contract/routes.ts";
import { digestOf, type FragmentText, hashOf } from "./fragment-text.ts";

export async function foreignFragments(
  schemas: readonly ForeignSchema[],
  builtin: ReadonlyMap<string, string>,
  custom: readonly FragmentText[],
): Promise<readonly FragmentText[]> {
  const { encodeOpenApiV2Fragment } = await import("../../machinery/openapi/v2-protobuf.ts");
  /** Digests by name; "": a custom kind, which never shares anything. */
  const taken = new Map(builtin);
  for (const { names } of custom) for (const name of names) taken.set(name, "");
  const takenPaths = new Set<string>();
  const slice = new TimeSlice();
  const fragments: FragmentText[] = [];
  for (const schema of schemas) {
    const { renamed, added } = chooseNames(schema, taken);
    const rename = (text: string) => replaceReferences(text, renamed);
    const paths: string[] = [];
    const definitions: string[] = [];
    const messages: Buffer[] = [];
    const add = async (into: string[], name: string, text: string, wrap: (value: unknown) => unknown) => {
      into.push(`${JSON.stringify(name)}:${text}`);
      messages.push(encodeIfSound(() => encodeOpenApiV2Fragment(wrap(JSON.parse(text)) as OpenApiV2)));
      if (slice.isLong) await slice.next();
    };
    for (const [path, text] of schema.paths) {
      if (takenPaths.has(path)) continue;
      takenPaths.add(path);
      await add(paths, path, rename(text), (value) => ({ paths: { [path]: value }, definitions: {} }));
    }
    for (const [name, given] of added) {
      const text = rename(schema.definitions.get(given) ?? "{}");
      await add(definitions, name, text, (value) => ({ paths: {}, definitions: { [name]: value } }));
    }
    const bytes = { paths: Buffer.from(paths.join(",")), definitions: Buffer.from(definitions.join(",")) };
    const hash = hashOf(bytes.paths, bytes.definitions);
    fragments.push({ ...bytes, message: Buffer.concat(messages), hash, names: [...added.keys()] });
  }
  return fragments;
}

/** `added`: the definitions to write, by their new names. */
function chooseNames({ definitions }: ForeignSchema, taken: Map<string, string>) {
  const renamed = new Map<string, string>();
  const added = new Map<string, string>();
  for (const [name, text] of definitions) {
    const digest = digestOf(text);
    let free = name;
    for (let at = 2; taken.has(free) && taken.get(free) !== digest; at++) free = `${name}_v${at}`;
    if (free !== name) renamed.set(name, free);
    if (taken.has(free)) continue;
    taken.set(free, digest);
    added.set(free, name);
  }
  return { renamed, added };
}

/** In the form of JSON.stringify a reference has one spelling, which no string value can contain: its quotes would be escaped. */
function replaceReferences(text: string, renamed: ReadonlyMap<string, string>): string {
  if (renamed.size === 0) return text;
  return text.replace(/"\$ref":"#\/definitions\/((?:[^"\\]|\\.)*)"/g, (whole, name: string) => {
    const free = renamed.get(String(JSON.parse(`"${name}"`)));
    return free === undefined ? whole : `"$ref":${JSON.stringify(`#/definitions/${free}`)}`;
  });
}

/** JSON of another server may have any shape; parts that protobuf cannot express are omitted from that form. */
function encodeIfSound(encode: () => Buffer): Buffer {
  try {
    return encode();
  } catch {
    return Buffer.alloc(0);
  }
}
