/** A server for each test, in the forms of the test runners: a function around it, a fixture, hooks, or the context of the test. */

import type { OrchServer } from "../library/options.ts";
import { forkWarm, type TestServerOptions } from "./warm.ts";

/**
 * Calls the test with a server of its own, and closes it afterwards. Resolves with what the test returns.
 * @example
 * test("copies", () => withServer({ controllers: ["*"] }, async (server) => void (await expectObject(server, Secret, "copy"))));
 */
export async function withServer<T>(
  options: TestServerOptions,
  test: (server: OrchServer) => T | Promise<T>,
): Promise<Awaited<T>> {
  await using server = await forkWarm(options);
  return await test(server);
}

/**
 * What `test.extend` of vitest takes.
 * @example
 * const fixture: ServerFixture = serverFixture();
 */
export interface ServerFixture {
  server(others: object, use: (server: OrchServer) => Promise<void>): Promise<void>;
}

/**
 * For vitest: `const test = base.extend(serverFixture())`, then `test("…", async ({ server }) => …)`.
 * @example
 * const test = base.extend(serverFixture({ controllers: ["*"] }));
 */
export function serverFixture(options: TestServerOptions = {}): ServerFixture {
  return {
    // The runner reads from the pattern which other fixtures it needs: none.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    server: async ({}: object, use: (server: OrchServer) => Promise<void>): Promise<void> => {
      await using server = await forkWarm(options);
      await use(server);
    },
  };
}

/** The context that node:test or vitest gives to a test. */
type TestContext = { after(close: () => Promise<void>): void } | { onTestFinished(close: () => Promise<void>): void };

/**
 * A server that is closed when the test of this context is over.
 * @example
 * test("copies", async (context) => {
 *   const server = await serverOf(context, { controllers: false });
 * });
 */
export async function serverOf(context: TestContext, options: TestServerOptions = {}): Promise<OrchServer> {
  const server = await forkWarm(options);
  const close = () => server.close();
  if ("onTestFinished" in context) context.onTestFinished(close);
  else context.after(close);
  return server;
}

/** `beforeEach` and `afterEach` of jest, vitest, node:test or mocha. */
interface Hooks {
  beforeEach(hook: () => Promise<void>): void;
  afterEach(hook: () => Promise<void>): void;
}

/**
 * The returned function gives the server of the test that runs.
 * @example
 * const server = serverForEach({ beforeEach, afterEach });
 * it("copies", () => expectObject(server(), Secret, "copy"));
 */
export function serverForEach({ beforeEach, afterEach }: Hooks, options: TestServerOptions = {}): () => OrchServer {
  let current: OrchServer | undefined;
  beforeEach(async () => {
    current = await forkWarm(options);
  });
  afterEach(async () => {
    await current?.close();
    current = undefined;
  });
  return () => {
    if (current === undefined) throw new Error("a test that runs has a server; outside of tests there is none");
    return current;
  };
}
