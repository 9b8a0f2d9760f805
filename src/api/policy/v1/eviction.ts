/** Eviction in v1: the same shape as v1beta1. */

import { version } from "../../../machinery/schema/kind.ts";
import { Eviction as Hub } from "../v1beta1/eviction.ts";

export const Eviction = version(Hub, { version: "v1", since: "1.22", alsoReads: ["v1beta1"] });
