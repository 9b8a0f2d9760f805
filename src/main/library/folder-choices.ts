/** What the folder of a server inside another program says about its objects, as for `orch up`. */

import { levelDefault } from "../../machinery/schema/levels.ts";
import { vocabularyByName } from "../../vocabulary/by-name.ts";
import type { CreateServerOptions } from "./options.ts";

/** Options with the vocabulary and the level of the objects in `dataDir`, where they do not say them themselves. */
export async function withChoicesOfFolder(options: CreateServerOptions): Promise<CreateServerOptions> {
  const { dataDir } = options;
  if (dataDir === undefined) return options;
  const { levelOfFolder, vocabularyOfFolder } = await import("../stores/data-folder.ts");
  const vocabulary = options.vocabulary ?? vocabularyByName((await vocabularyOfFolder(dataDir)) ?? "")?.name;
  const emulatedVersion = options.emulatedVersion ?? (await levelOfFolder(dataDir));
  return {
    ...options,
    ...(vocabulary === undefined ? {} : { vocabulary }),
    ...(emulatedVersion === undefined ? {} : { emulatedVersion }),
  };
}

/** Called when the store is open, which refuses a lower level than its own. */
export async function recordChoices({ dataDir, emulatedVersion = levelDefault }: CreateServerOptions): Promise<void> {
  if (dataDir === undefined) return;
  const { recordLevel } = await import("../stores/data-folder.ts");
  await recordLevel(dataDir, emulatedVersion);
}
