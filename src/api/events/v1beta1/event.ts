/** Event in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { Event as Hub } from "../v1/event.ts";

export const Event = version(Hub, {
  version: "v1beta1",
  retyped: { printed: ["metadata"] },
  deprecated: { since: "1.22", removed: "1.25" },
});
