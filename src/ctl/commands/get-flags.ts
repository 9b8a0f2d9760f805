/** The flags of `get`. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import type { Context } from "../context.ts";
import {
  allNamespacesFlag,
  chunkSizeFlag,
  fieldSelectorFlag,
  filenameFlags,
  printFlags,
  questionFlags,
  selectorFlag,
  subresourceFlag,
  tableFlags,
} from "../flags/declared.ts";

export const getFlags = {
  ...filenameFlags,
  ...printFlags,
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...questionFlags,
  ...allNamespacesFlag,
  ...subresourceFlag,
  ...tableFlags,
  watch: bool("After listing, watch for changes", false, { short: "w" }),
  "watch-only": bool("Watch for changes without listing first"),
  "output-watch-events": bool("Print the type of each event of a watch"),
  diff: bool("With --watch: print the differences of each change"),
  ...chunkSizeFlag(500),
  count: bool("Print the number of objects alone; not under the name kubectl"),
  at: string("Show what was there at a time, so long ago (-5m) or at a resourceVersion; not under the name kubectl"),
  raw: string("A path of the server to print as it is"),
  clean: bool("Omit fields that the server sets, so that the output can be applied elsewhere"),
  export: bool("The same as --clean", false, { isHidden: true }),
  "use-openapi-print-columns": bool("Ignored", false, { isHidden: true }),
};

export type GetContext = Context<FlagValues<typeof getFlags>>;
