/** Replacements within a text that is itself JSON or YAML, such as a file in a ConfigMap. */

import { encodeYaml, printYamlKey } from "../../machinery/codec/yaml-print.ts";
import { CtlError } from "../errors.ts";
import { goJson } from "../go-json.ts";
import { isJson } from "../json.ts";
import { type Created, findPlaces, lookUp, setPlace } from "./field-path.ts";
import { isMembers, isScalar, type Members, plainValue, textOf, type YamlValue } from "./value.ts";
import { readDocuments } from "./yaml-documents.ts";

/** Whether the path leads into a text, whose value was then replaced. */
export function setInText(members: Members, steps: readonly string[], value: YamlValue, creates: Created): boolean {
  for (let length = 1; length < steps.length; length++) {
    const outer = attempt(() => lookUp(members, steps.slice(0, length)));
    if (outer === undefined || outer === null || !isScalar(outer)) continue;
    const text = textOf(outer);
    const [document] = attempt(() => readDocuments(text, "text")) ?? [];
    if (!isMembers(document) && !Array.isArray(document)) return false;
    const places = attempt(() => findPlaces({ value: document, set: () => {} }, steps.slice(length), creates)) ?? [];
    if (places.length === 0) return false;
    for (const place of places) setPlace(place, value);
    for (const place of findPlaces({ value: members, set: () => {} }, steps.slice(0, length), "nothing"))
      place.set(printed(document, text));
    return true;
  }
  return false;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CtlError) return undefined;
    throw error;
  }
}

/** In the form that the text had. */
function printed(document: YamlValue, before: string): string {
  const plain = plainValue(document);
  if (!/^\s*[{[]/.test(before)) return orderedYaml(plain, "").trim();
  const json = goJson(plain);
  if (!(before.includes("\n") && before.includes("  "))) return json;
  return indented(JSON.parse(json));
}

const indented = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");

/** YAML with members in the order that they had. */
function orderedYaml(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item) => `${indent}- ${orderedYaml(item, `${indent}  `).trimStart()}`).join("");
  if (!isJson(value) || Object.keys(value).length === 0) return `${indent}${encodeYaml(value)}`;
  return Object.entries(value)
    .map(([key, member]) => {
      const hasParts = (Array.isArray(member) || isJson(member)) && Object.keys(member).length > 0;
      const name = printYamlKey(key);
      if (!hasParts || name === undefined) return encodeYaml({ [key]: member }, indent.length);
      return `${indent}${name}\n${orderedYaml(member, Array.isArray(member) ? indent : `${indent}  `)}`;
    })
    .join("");
}
