/**
 * Property tests search with another seed at every run, so that they go on finding things; under CI=true they use one seed, so that
 * the same commit gets the same answer twice. A failure prints its seed either way. PROPERTY_SEED sets it by hand:
 *
 *   PROPERTY_SEED=-2134014437 npm test -- src/machinery/json-schema
 *
 * Where a test does not say how many values it tries, a night tries more of them.
 */

import fc from "fast-check";

const chosen = process.env.PROPERTY_SEED ?? (process.env.CI === "true" ? "21" : undefined);
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns: process.env.LONG_TESTS === undefined ? 50 : 200,
  ...(chosen === undefined ? {} : { seed: Number(chosen) }),
});
