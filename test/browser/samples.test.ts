import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import type { DiscoveredResource } from "../../src/client/contract.ts";
import { discover } from "../../src/client/discovery/discover.ts";
import { collectionPath, withQuery } from "../../src/client/requests/address.ts";
import { createSender, type Sender } from "../../src/client/requests/send.ts";
import { part } from "../../src/console/server/json.ts";
import { Schemas } from "../../src/console/server/schemas.ts";
import { sampleOf } from "../../src/console/state/sample.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

/** Answers in a create that nobody writes by hand: the console offers no sample of them that could be kept. */
const isReview = ({ kind, verbs }: DiscoveredResource): boolean =>
  /Review$|^Access/.test(kind) || !verbs.includes("list");

describe.each(["1.21", "1.35"] as const)("the sample of a kind at level %s", (level) => {
  let server: OrchServer;
  let send: Sender;
  beforeAll(async () => {
    server = await createServer({ emulatedVersion: level });
    send = createSender({ fetch: server.fetch, clock: systemClock, userAgent: "console" });
    await server.fetch("/api/v1/namespaces/default/serviceaccounts", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "default" } }),
    });
  });
  afterAll(() => server?.close());

  test("is taken by the server as it is, of every kind that can be created", async () => {
    const discovery = await discover(send, { isAggregated: true });
    const schemas = new Schemas(part(await send.json("/openapi/v2"), "definitions"));
    const refused: string[] = [];
    const kinds = discovery.resources.filter((one) => one.verbs.includes("create") && !isReview(one));
    expect(kinds.length).toBeGreaterThan(40);
    for (const resource of kinds) {
      const path = withQuery(collectionPath(resource, resource.namespaced ? "default" : undefined), { dryRun: "All" });
      const body = sampleOf(resource, { namespace: "default", vocabulary: discovery.vocabulary, schemas });
      await send.open(path, { method: "POST", body, contentType: "application/yaml" }).catch((error: Error) => {
        refused.push(`${resource.resource}.${resource.version}.${resource.group}: ${error.message}\n${body}`);
      });
    }
    expect(refused).toEqual([]);
  });
});
