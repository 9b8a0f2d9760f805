/** The objects that were parsed last. A write reads its object several times, and should parse it once. */

import type { Printed } from "../../machinery/json/printed-spec.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";

/** How many objects stay parsed, and up to what size of their JSON. */
const recentMax = 32;
const recentBytesMax = 16 * 1024;

export interface RecentObject {
  /** Undefined: others have taken its place. */
  object: ApiObject | undefined;
  /** Its spec as it is stored, if that is known. */
  spec: Printed | undefined;
}

export class RecentObjects {
  /** As a ring: the next one takes the place of the oldest. */
  readonly #ring: RecentObject[] = [];
  #next = 0;

  /** Undefined: it is too large. */
  keep(object: ApiObject, spec: Printed | undefined, bytes: number): RecentObject | undefined {
    if (bytes > recentBytesMax) return undefined;
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) {
      oldest.object = undefined;
      oldest.spec = undefined;
    }
    const recent = { object, spec };
    this.#ring[this.#next] = recent;
    this.#next = (this.#next + 1) % recentMax;
    return recent;
  }
}
