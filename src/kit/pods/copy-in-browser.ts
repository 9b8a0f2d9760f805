/** What `copy.ts` is in a browser: a page has no files, and cannot open the streams of a container. */

import type { Copied } from "./contract.ts";

export async function copyToContainer(): Promise<Copied> {
  throw new TypeError("cp needs files, which pages of a browser do not have");
}

export const copyFromContainer = copyToContainer;
