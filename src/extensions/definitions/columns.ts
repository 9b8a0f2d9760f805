/** The columns of a custom kind: the name of the object, then the JSONPath columns of its definition. */

import type { CustomResourceColumnDefinition } from "../../api/apiextensions/v1/definition-spec.ts";
import { findByPath } from "../../machinery/json-path/evaluate.ts";
import { type JsonPath, PathError, parseJsonPath } from "../../machinery/json-path/parse.ts";
import { printFound } from "../../machinery/json-path/print.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import type { ApiObject, Column } from "../../machinery/schema/kind.ts";
import { humanDuration } from "../../machinery/table/human-duration.ts";
import { parseInstant } from "../../machinery/values/time.ts";

type ColumnType = Column["type"];

const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object.",
  cell: (object) => object.metadata.name ?? "",
};

/** The columns of a definition that declares none. */
const age: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description: "When the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

/** Columns after one whose path cannot be parsed are not shown, as in v1.21. */
export function columnsOf(defined: readonly CustomResourceColumnDefinition[]): readonly Column[] {
  const columns = [nameColumn];
  for (const one of defined.length === 0 ? [age] : defined) {
    const path = readPath(one.jsonPath);
    if (path === undefined) break;
    columns.push(columnOf(one, path));
  }
  return columns;
}

function readPath(text: string): JsonPath | undefined {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

function columnOf(defined: CustomResourceColumnDefinition, path: JsonPath): Column {
  const { name, format = "", description = "", priority = 0 } = defined;
  const type = defined.type as ColumnType; // definitions with other types are refused
  return {
    name,
    type,
    format,
    description: description || `The value at ${defined.jsonPath}.`,
    priority,
    cell(object, environment) {
      const found = firstFound(path, object);
      return found === undefined ? undefined : cellOf(type, found.value, environment);
    },
  };
}

/** Undefined: there is no value, or the path does not exist in this object. */
function firstFound(path: JsonPath, object: ApiObject): { readonly value: unknown } | undefined {
  try {
    const found = findByPath(path, object);
    return found.length === 0 ? undefined : { value: found[0] };
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

/** A value whose type differs from the column's type is not shown. Only string columns show every value. */
function cellOf(type: ColumnType, value: unknown, environment: Environment): unknown {
  switch (type) {
    case "string":
      return printFound(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : undefined;
    case "number":
      return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "date":
      return typeof value === "string" ? ageOf(value, environment) : undefined;
  }
}

function ageOf(text: string, { clock }: Environment): string {
  if (text === "" || text === "null") return "<unknown>";
  const instant = parseInstant(text);
  return instant === undefined ? "<invalid>" : humanDuration(clock.now() - instant.seconds * 1_000);
}
