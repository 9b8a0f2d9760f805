/** The fields in which two versions of an object differ, for people who read what a request has changed. */

import { encodeJson } from "../../machinery/json/json.ts";
import { getOwn, isObject, type JsonObject, sameJson } from "../../machinery/json/json-value.ts";
import type { FieldChange, FieldChanges } from "./contract.ts";

/** How many fields are kept. */
export const changedFieldsMax = 40;
/** How many characters of a value are kept. */
export const valueCharsMax = 200;

/** Managed fields change with every write and say the same in a longer form. */
const leftOut = "metadata.managedFields";

/** Undefined: an object that does not exist. */
export function changedFields(before: JsonObject | undefined, after: JsonObject | undefined): FieldChanges {
  const fields: FieldChange[] = [];
  collect("", before ?? {}, after ?? {}, fields);
  return { fields: fields.slice(0, changedFieldsMax), areMore: fields.length > changedFieldsMax };
}

function collect(field: string, before: unknown, after: unknown, into: FieldChange[]): void {
  // One more than is kept shows that there are more.
  if (into.length > changedFieldsMax || field === leftOut || sameJson(before, after)) return;
  const [older, newer] = field === "metadata" ? [before ?? {}, after ?? {}] : [before, after];
  if (isObject(older) && isObject(newer)) {
    for (const name of new Set([...Object.keys(older), ...Object.keys(newer)]))
      collect(memberOf(field, name), getOwn(older, name), getOwn(newer, name), into);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++)
      collect(`${field}[${index}]`, before[index], after[index], into);
  } else
    into.push({
      field,
      ...(before === undefined ? {} : { before: shown(before) }),
      ...(after === undefined ? {} : { after: shown(after) }),
    });
}

const memberOf = (field: string, name: string): string => {
  if (!/^[\w-]+$/.test(name)) return `${field}[${JSON.stringify(name)}]`;
  return field === "" ? name : `${field}.${name}`;
};

/** Copied, so that a short piece does not keep a long text in memory. */
function shown(value: unknown): string {
  const text = encodeJson(value);
  return text.length <= valueCharsMax ? text : `${Buffer.from(text.slice(0, valueCharsMax)).toString()}…`;
}
