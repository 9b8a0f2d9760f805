/** What requests do, as faults and the journal name it. */

import { allVerbs } from "../machinery/schema/kind.ts";

/** Those of requests for objects, and the methods of other paths in lower case. */
export const requestVerbs = [...allVerbs, "head", "options", "post", "put"] as const;

/**
 * What a request does.
 * @example
 * const writes: RequestVerb[] = ["create", "update", "patch"];
 */
export type RequestVerb = (typeof requestVerbs)[number];
