/** A list of objects with some of their fields alone: members of objects, or columns of a Table. */

import { encodeJson } from "../../machinery/json/json.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
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
  const { object, objectInSteps } = representations;
  if (list.itemsName === "items") {
    return {
      ...list,
      item: (entry) => project(object(entry), paths),
      *itemInSteps(entry) {
        return project(yield* objectInSteps(entry), paths);
      },
    };
  }
  // Items are rows of a Table.
  const withCells = (row: unknown, shown: ApiObject) => ({
    ...(row as object),
    cells: paths.map((path) => cellOf(valueAt(shown, path))),
  });
  return {
    ...list,
    head: { ...list.head, columnDefinitions: select.map(columnOf) },
    whenEmpty: "[]",
    item: (entry) => withCells(list.item(entry), object(entry)),
    *itemInSteps(entry) {
      const shown = yield* objectInSteps(entry);
      yield;
      return withCells(yield* list.itemInSteps(entry), shown);
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
