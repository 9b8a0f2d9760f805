/** Which operations of a driver the node agent may leave out. */

import { elided, list, string } from "../../../machinery/schema/build.ts";

const operations = ["*", "NodePrepareResources", "NodeUnprepareResources"];

export const skippedOperations = () =>
  elided(list(string().oneOf(operations), { topology: "set" }))
    .since("1.37")
    .behind("DRAOptionalNodeOperations")
    .doc("What the node agent need not ask the driver for; * is everything.");
