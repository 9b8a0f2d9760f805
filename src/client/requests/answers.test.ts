/** Answers that are not what was requested: nothing may be concluded from them. */

import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { orch } from "../../vocabulary/orch.ts";
import { createClient } from "../client.ts";
import type { ResourceAddress } from "../contract.ts";
import { versionsAtOnceMax } from "../discovery/discover.ts";
import { isNotFound, UnexpectedAnswer } from "./refusals.ts";

const pods: ResourceAddress = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
const ref = { namespace: "shop", name: "web" };

function clientOf(answer: () => Response) {
  return createClient({ fetch: async () => answer(), vocabulary: orch, clock: systemClock, userAgent: "test/1" });
}
const json = (body: unknown) => () => new Response(JSON.stringify(body));

const others = [
  { why: "another kind", answer: json({ kind: "Ingress", apiVersion: "v1", metadata: {} }) },
  { why: "a success without an object", answer: json({ kind: "Status", apiVersion: "v1", status: "Success" }) },
  { why: "a bare value", answer: json("ok") },
  { why: "a page of a proxy", answer: () => new Response("<html>log in</html>") },
  { why: "an empty body", answer: () => new Response("") },
];
for (const { why, answer } of others)
  test(`${why} is neither an object nor a list, and shown in the error`, async () => {
    const resource = clientOf(answer).at(pods);
    for (const call of [() => resource.get(ref), () => resource.list(), () => resource.listAll()]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UnexpectedAnswer);
      expect((error as Error).message).toContain((await answer().text()) || "nothing");
    }
  });

test("discovery of something that is not a server fails, instead of finding nothing", async () => {
  await expect(clientOf(json({ kind: "Status", status: "Success" })).discover()).rejects.toThrow(UnexpectedAnswer);
});

test("a delete is accepted with a Status or the object, and with nothing else", async () => {
  const status = { kind: "Status", apiVersion: "v1", status: "Success" };
  expect(await clientOf(json(status)).at(pods).delete(ref)).toEqual(status);
  await expect(
    clientOf(json({ kind: "Node" }))
      .at(pods)
      .delete(ref),
  ).rejects.toThrow(UnexpectedAnswer);
});

test("a redirect is an error that names its target", async () => {
  const redirect = () => new Response("moved", { status: 302, headers: { location: "https://login.example/?next" } });
  const call = clientOf(redirect).at(pods).delete(ref);
  await expect(call).rejects.toMatchObject({
    code: 302,
    message: "the server answered with a redirect (302) to https://login.example/?next, which is not followed",
  });
});

test("a watch that sends other lines than events breaks", async () => {
  const read = async (line: string) => {
    for await (const _ of clientOf(() => new Response(`${line}\n`))
      .at(pods)
      .watch())
      return "an event";
    return "nothing";
  };
  await expect(read('{"kind":"Pod"}')).rejects.toThrow(UnexpectedAnswer);
  await expect(read('{"type":"DELETED","object":{"kind":"Node"}}')).rejects.toThrow(UnexpectedAnswer);
  expect(await read('{"type":"ADDED","object":{"kind":"Pod"}}')).toBe("an event");
});

test("a 404 without a Status is a missing object, as v1.21's clients see it", async () => {
  const error: unknown = await clientOf(() => new Response("404 page not found", { status: 404 }))
    .at(pods)
    .get(ref)
    .catch((thrown: unknown) => thrown);
  expect(isNotFound(error)).toBe(true);
});

test("an answer that the caller ignores is not parsed, and a refusal is still an error", async () => {
  const sent = { metadata: { name: "p", namespace: "ns" } };
  const ignored = { ignoresAnswer: true };
  const odd = clientOf(() => new Response("<not JSON>", { status: 200 })).at(pods);
  expect(await odd.create(sent, ignored)).toEqual(sent);
  expect(await odd.updateStatus(sent, ignored)).toEqual(sent);
  expect(await odd.patch(ref, {}, ignored)).toMatchObject({ metadata: ref });
  const refused = clientOf(() => new Response("{}", { status: 409 })).at(pods);
  await expect(refused.create(sent, ignored)).rejects.toMatchObject({ code: 409 });
});

test("a server that ends each chunk with the token it was sent is not asked for ever", async () => {
  const resource = clientOf(json({ kind: "PodList", apiVersion: "v1", metadata: { continue: "same" }, items: [] })).at(
    pods,
  );
  await expect(resource.listAll()).rejects.toThrow("the continue token that it was sent");
});

test("discovery of thousands of groups reads a few of them at once", async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `g${index}.example.com`);
  const versions = [{ version: "v1" }];
  let [now, most, read] = [0, 0, 0];
  const client = createClient({
    async fetch(path) {
      if (path.startsWith("/api/")) return json({ kind: "APIResourceList", resources: [] })();
      if (path === "/api") return json({ kind: "APIVersions", versions: ["v1"] })();
      if (path === "/apis") return json({ kind: "APIGroupList", groups: names.map((name) => ({ name, versions })) })();
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      read++;
      return json({ kind: "APIResourceList", resources: [] })();
    },
    vocabulary: orch,
    clock: systemClock,
    userAgent: "test/1",
  });
  await client.discover();
  expect([read, most <= versionsAtOnceMax]).toEqual([names.length, true]);
});
