/** `import { withServer } from "orch/testing"`: a server of its own for each test, for every test runner. */

export type { CreateServerOptions, OrchServer } from "./library/options.ts";
export {
  expectAnswer,
  expectChanges,
  expectGone,
  expectObject,
  expectRequests,
  matchers,
  type OrchMatchers,
} from "./testing/expect.ts";
export { globalSetup, globalTeardown } from "./testing/global-setup.ts";
export { type ServerFixture, serverFixture, serverForEach, serverOf, withServer } from "./testing/servers.ts";
export type { TestServerOptions } from "./testing/warm.ts";
