// How do I test my code against a server in vitest?

import { serverFixture } from "orch/testing";
import { test as base, expect } from "vitest";

/** The code under test: anything that speaks to the API through a `fetch` that it is given. */
async function announce(fetchApi: typeof fetch, text: string): Promise<void> {
  const answer = await fetchApi("/api/v1/namespaces/default/configmaps", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { generateName: "announcement-" }, data: { text } }),
  });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
}

// Without controllers there is nothing in it but what the test writes.
const test = base.extend(serverFixture({ controllers: false }));

const path = "/api/v1/namespaces/default/configmaps";

test("an announcement becomes a ConfigMap", async ({ server }) => {
  await announce(server.fetch, "hello");
  const list = (await (await server.fetch(path)).json()) as { items: { data: { text: string } }[] };
  expect(list.items.map(({ data }) => data.text)).toEqual(["hello"]);
});

test("a second test shares nothing with the first", async ({ server }) => {
  expect(await (await server.fetch(path)).json()).toMatchObject({ items: [] });
});
