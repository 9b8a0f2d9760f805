/** Lets a server start beside a stored object that is damaged or cannot be decrypted: that there is one was logged when it was read. */

import { isUnreadable } from "../registry/contract/transformer.ts";

/** What such an object keeps from being written stays as it is: it may be the object itself, or its namespace. */
export async function unlessUnreadable(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
  });
}
