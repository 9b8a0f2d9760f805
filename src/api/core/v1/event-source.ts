/** Who reported an event. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, string, struct } from "../../../machinery/schema/build.ts";

export const EventSource = struct("core.v1.EventSource", {
  component: elided(string()).at(1).doc("The name of the component."),
  host: elided(string()).at(2).doc("The node on which the component runs."),
});
export type EventSource = Static<typeof EventSource>;
