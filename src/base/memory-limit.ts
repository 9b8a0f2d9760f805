/** How much memory the process may use: that of the machine, or of the container or unit that it runs in. */

import { totalmem } from "node:os";

export function memoryBytes(): number {
  // Without a limit it is zero, or more than any machine has.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
