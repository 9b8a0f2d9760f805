/** An object may be missing because its namespace is. */

import type { Ref } from "../../client/contract.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import type { Sender } from "../../client/requests/send.ts";

/** The answer; if the namespace does not exist, the error says so instead of naming the object. */
export async function orNamespace<T>(send: Sender, { namespace = "" }: Ref, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error) || namespace === "" || namespace === "default") throw error;
    await send.json(`/api/v1/namespaces/${encodeURIComponent(namespace)}`).catch((why: unknown) => {
      throw isNotFound(why) ? why : error;
    });
    throw error;
  }
}
