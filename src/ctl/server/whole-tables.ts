/** The tables of a watch, each with its columns: a server tells them with its first event only. */

import type { WatchEvent } from "../../client/contract.ts";
import { type Json, list } from "../json.ts";

/** Events of anything but tables are passed on as they are. A bookmark may be the first event, and has the columns then. */
export async function* withColumns(events: AsyncIterable<WatchEvent<Json>>): AsyncGenerator<WatchEvent<Json>> {
  let columns: unknown;
  for await (const { type, object } of events) {
    const isWhole = list(object, "columnDefinitions").length > 0;
    if (isWhole) columns = object["columnDefinitions"];
    const isPart = object["kind"] === "Table" && !isWhole && columns !== undefined;
    yield { type, object: isPart ? { ...object, columnDefinitions: columns } : object };
  }
}
