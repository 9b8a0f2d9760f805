/** Which cells of a table show an abnormal state: only these get a colour on a terminal. */

import { cellHealth } from "../../operations/health.ts";
import { colored } from "./terminal.ts";

/** The cell as a terminal shows it. `column` is the header in capitals. */
export function abnormal(column: string, cell: string): string {
  const health = cellHealth(column, cell);
  if (health === "failing" || health === "unknown") return colored(cell, "red");
  return health === "progressing" ? colored(cell, "yellow") : cell;
}
