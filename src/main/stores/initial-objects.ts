/** The initial objects of all servers in this process. A build has recorded them; otherwise the first server does. */

import { InitialObjects } from "../../upkeep/initial-objects.ts";

/** Set by the build, from `scripts/initial-objects.ts`. */
declare const INITIAL_OBJECTS: string | undefined;

export const initialObjects = new InitialObjects(typeof INITIAL_OBJECTS === "string" ? INITIAL_OBJECTS : undefined);
