/** The objects that every server needs: every minute, deleted ones are created again. */

import { mandatoryLevels, mandatorySchemas } from "../api/flowcontrol/v1beta1/built-in.ts";
import { createMake, type MakeParts, makeFlowControl, makeNamespaces } from "./bootstrap.ts";

export const remakeIntervalMs = 60_000;

export async function remakeMandatoryObjects(parts: MakeParts): Promise<void> {
  const make = createMake(parts);
  const named = (specs: ReadonlyMap<string, object>) => [...specs].map(([name, spec]) => ({ name, spec }));
  await makeNamespaces(make, parts.catalog.environment.vocabulary);
  await makeFlowControl(make, named(mandatoryLevels), named(mandatorySchemas));
}
