// How do I test my code against a server in vitest?
// In your own project the import is: import { createServer } from "orch";
import { expect, test } from "vitest";
import { createServer } from "../src/main/library.ts";

/** The code under test: anything that speaks to the API through a `fetch` that it is given. */
async function announce(fetchApi: typeof fetch, text: string): Promise<void> {
  const answer = await fetchApi("/api/v1/namespaces/default/configmaps", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { generateName: "announcement-" }, data: { text } }),
  });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
}

test("an announcement becomes a ConfigMap", async () => {
  // Without controllers there is nothing in it but what the test writes.
  const server = await createServer({ controllers: false });
  try {
    await announce(server.fetch, "hello");
    const answer = await server.fetch("/api/v1/namespaces/default/configmaps");
    const list = (await answer.json()) as { items: { data: { text: string } }[] };
    expect(list.items.map(({ data }) => data.text)).toEqual(["hello"]);
  } finally {
    await server.close();
  }
});

test("a second server shares nothing with the first", async () => {
  const [one, two] = await Promise.all([createServer({ controllers: false }), createServer({ controllers: false })]);
  try {
    await announce(one.fetch, "only here");
    const answer = await two.fetch("/api/v1/namespaces/default/configmaps");
    expect(((await answer.json()) as { items: unknown[] }).items).toEqual([]);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});
