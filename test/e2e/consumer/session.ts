/** Runs the operator against a server in the same process, and prints what it did. */

import { createServer } from "orch";
import { connect, Deployment, Event, isInvalid } from "orch/client";
import { expectObject } from "orch/testing";
import { Cache, cleaned, run } from "./operator.js";

const [vocabulary, emulatedVersion] =
  process.argv[2] === "now" ? (["kubernetes", "1.35"] as const) : (["orch", "1.21"] as const);
const server = await createServer({ vocabulary, emulatedVersion });
const client = await connect({ server });
const running = await run(client);
const caches = client.of(Cache);

const refused = await caches.create({ metadata: { name: "huge" }, spec: { size: 9 } }).catch((error: unknown) => error);
console.log("refused", isInvalid(refused));

await caches.create({ metadata: { name: "one" }, spec: { size: 2 } });
await server.until(Deployment, "one", ({ spec }) => spec?.replicas === 2);
await client.of(Deployment).status.patch("one", { status: { replicas: 2, readyReplicas: 2 } });
const cache = await server.until(Cache, "one", ({ status }) => status?.ready === 2);
console.log(cache.spec.policy, cache.status?.conditions?.[0]?.message);
await expectObject(server, Cache, "one", { status: { ready: 2 } });

await caches.delete("one");
await server.untilGone(Cache, "one");
await running.close();
const events = await client.of(Event).list({ fieldSelector: "reason=Ready" }).all();
console.log("cleaned", cleaned.join(), events.items[0]?.message);
await server.close();
