/** Does something to an object, and remembers how it was before, so that it can be taken back. */

import { readYaml } from "../server/objects.ts";
import type { LastWrite } from "../state/last-write.ts";
import { withoutManagedFields } from "../state/yaml-text.ts";
import type { Page } from "./page.ts";

export async function remembered(
  { connection, writes }: Page,
  write: Omit<LastWrite, "before">,
  work: () => Promise<unknown>,
): Promise<void> {
  // Somebody who may not read it changes it all the same, and cannot take it back here.
  const before = await readYaml(connection, write.resource, write).catch(() => undefined);
  await work();
  if (before !== undefined) writes.made({ ...write, before: withoutManagedFields(before) });
}
