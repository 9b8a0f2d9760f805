/** A list of objects with some of their fields alone: members of objects, or columns of a Table. */

import { encodeJson } from "../../machinery/json/json.ts";
import { badRequest } from "../../machinery/status/status.ts";
import { type NamedPath, project, valueAt } from "./field-paths.ts";
import type { ListSource } from "./list-source.ts";
import type { Representations } from "./representations.ts";

export function selectedList(
  list: ListSource,
  representations: Representations,
  select: readonly NamedPath[],
): ListSource {
  const { kind } = list.head;
  if (kind === "PartialObjectMetadataList") throw badRequest("select is not for lists of metadata");
  const paths = select.map(({ path }) => path);
  if (list.itemsName === "items")
    return { ...list, item: (entry, object = representations.object(entry)) => project(object, paths) };
  return {
    ...list,
    head: { ...list.head, columnDefinitions: select.map(columnOf) },
    whenEmpty: "[]",
    item(entry, object = representations.object(entry)) {
      const row = list.item(entry, object) as object; // a row of a Table
      return { ...row, cells: paths.map((path) => cellOf(valueAt(object, path))) };
    },
  };
}

const columnOf = ({ text }: NamedPath) => ({
  name: text,
  type: "string",
  format: "",
  description: `The field ${text}.`,
  priority: 0,
});

/** As custom columns of command lines show what is absent. */
function cellOf(value: unknown): unknown {
  if (value === undefined || value === null) return "<none>";
  return typeof value === "object" ? encodeJson(value) : value;
}
