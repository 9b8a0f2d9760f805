/** Takes from the OpenAPI document of another server what concerns one group version: its paths, and the definitions they refer to. */

import { TimeSlice } from "../../base/time-slice.ts";
import type { ForeignSchema } from "../../http/contract/routes.ts";
import { type JsonMember, jsonMembers } from "./json-members.ts";

/** What is kept of the schema of one group version, as JSON. */
export const keptSchemaBytesMax = 2 * 1024 * 1024;
/** One path or definition: it is parsed in one step. */
export const schemaMemberBytesMax = 256 * 1024;

const reference = /"\$ref":"#\/definitions\/((?:[^"\\]|\\.)*)"/g;

/** Throws an Error that says why the document cannot be used. */
export async function filterSchema(bytes: Buffer, group: string, version: string): Promise<ForeignSchema> {
  const root = await jsonMembers(bytes);
  const inside = async (name: string) => {
    const found = root.find(({ key }) => key === name);
    return found === undefined ? [] : await jsonMembers(bytes, found.start);
  };
  const paths = new Map<string, string>();
  const definitions = new Map<string, string>();
  const wanted: string[] = [];
  const slice = new TimeSlice();
  let kept = 0;
  const take = (into: Map<string, string>, { key, start, end }: JsonMember) => {
    if (end - start > schemaMemberBytesMax) throw new Error(`"${key}" is larger than ${schemaMemberBytesMax} bytes`);
    // Parsed and written again, so that only well-formed JSON becomes part of our own document.
    const text = JSON.stringify(JSON.parse(bytes.toString("utf8", start, end)));
    kept += text.length;
    if (kept > keptSchemaBytesMax) throw new Error(`the schema is larger than ${keptSchemaBytesMax} bytes`);
    into.set(key, text);
    for (const [, name = ""] of text.matchAll(reference)) wanted.push(String(JSON.parse(`"${name}"`)));
  };
  for (const path of await inside("paths")) {
    if (path.key.startsWith(`/apis/${group}/${version}/`)) take(paths, path);
    if (slice.isLong) await slice.next();
  }
  const known = new Map((await inside("definitions")).map((one) => [one.key, one]));
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const found = known.get(name);
    if (found !== undefined && !definitions.has(name)) take(definitions, found);
    if (slice.isLong) await slice.next();
  }
  return { paths, definitions };
}
