/** Amounts of resources by name, none finer than a thousandth: `{ cpu: "250m", memory: "1Gi" }`. */

import { map, quantity } from "../machinery/schema/build.ts";

export const resourceList = () => map(quantity(), { finest: "milli" });
