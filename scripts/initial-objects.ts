/** Prints the initial objects of servers, as JSON; the build puts them into the program, whose first start then need not make them. */

import { systemClock } from "../src/base/clock.ts";
import { createServer } from "../src/main/library.ts";
import { initialObjects } from "../src/main/stores/initial-objects.ts";

// All times of an object must be the same to be recognized.
const clock = { ...systemClock, now: () => 0 };

for (const vocabulary of ["orch", "kubernetes"] as const) {
  const runtimeConfig = { "api/all": true };
  const server = await createServer({ vocabulary, authorization: "RBAC", runtimeConfig, controllers: false, clock });
  await server.close();
}
process.stdout.write(initialObjects.print());
