import { describe, expect, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import type { User } from "../../machinery/meta/user.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { Call } from "../request/call.ts";
import { openTestServer } from "../server.fixture.ts";
import { createMemoryFetch } from "../transport/memory-exchange.ts";
import { OpenWatches, watchesPerUserMax, watchTermsPerUserMax } from "./open-watches.ts";

const user = (name: string): User => ({ name, uid: "", groups: [], extra: new Map() });

/** A call as the chain makes one, of a user whom the transport knows. */
async function callOf(name: string): Promise<Call> {
  let found: Call | undefined;
  const fetch = createMemoryFetch(
    async (exchange) => {
      found = new Call(exchange, 0);
      found.user = user(name);
      exchange.send(200, {});
    },
    { user: user(name) },
  );
  await fetch("/api/v1/pods?watch=1");
  return found!;
}

const nothing = {
  catalog: createCatalog([], plainEnvironment()),
  authenticator: { authenticate: () => undefined },
  authorizer: { name: "all", authorize: () => ({ outcome: "allow", reason: "" }) as const },
  log: silentLog,
};

describe("open watches", () => {
  test("one user may have a bounded number of them, and of requirements in their selectors", async () => {
    const watches = new OpenWatches(nothing);
    const ann = await callOf("ann");
    const release = watches.add(ann, watchTermsPerUserMax, () => {});
    expect(() => watches.add(ann, 1, () => {})).toThrow(/at most 200000 requirements/);
    watches.add(await callOf("bob"), watchTermsPerUserMax, () => {});
    release();
    release();
    for (let count = 0; count < watchesPerUserMax; count++) watches.add(ann, 0, () => {});
    expect(() => watches.add(ann, 0, () => {})).toThrow(/at most 20000 are allowed/);
  });

  test("a watch whose user may no longer watch ends when the rules change, and others continue", async () => {
    let change = () => {};
    let allowed = true;
    const authorizer = {
      name: "test",
      authorize: ({ user: { name } }: { user: User }) =>
        ({ outcome: name === "root" || allowed ? "allow" : "none", reason: "" }) as const,
    };
    const { handler, close } = await openTestServer({
      authorizer,
      onAccessChange: (callback) => {
        change = callback;
      },
    });
    try {
      const watch = async (name: string) => {
        const fetch = createMemoryFetch(handler, { user: user(name) });
        const { status, body } = await fetch("/apis/toys.example.com/v1/gadgets?watch=1");
        expect(status).toBe(200);
        return body!.getReader();
      };
      const [ann, root] = [await watch("ann"), await watch("root")];
      allowed = false;
      change();
      expect((await ann.read()).done).toBe(true);
      const fetch = createMemoryFetch(handler, { user: user("ann") });
      expect((await fetch("/apis/toys.example.com/v1/gadgets?watch=1")).status).toBe(403);
      const still = await Promise.race([root.read(), new Promise((resolve) => setImmediate(() => resolve("open")))]);
      expect(still).toBe("open");
      await root.cancel();
    } finally {
      await close();
    }
  });
});
