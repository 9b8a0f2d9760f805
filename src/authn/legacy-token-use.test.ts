import { expect, test } from "vitest";
import { createServer } from "../main/library.ts";

interface Body {
  readonly metadata: { readonly labels?: object; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly object[];
  readonly status?: { readonly authenticated?: boolean };
}

/** A server with an account and a Secret that its controllers fill with a token; `use` sends a request with it. */
async function withToken(emulatedVersion: "1.21" | "1.35") {
  const server = await createServer({ emulatedVersion });
  const send = async (method: string, path: string, body?: object, type = "application/json") => {
    const answer = await server.fetch(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } }),
    });
    return (await answer.json()) as Body; // what the server sends for these kinds
  };
  const secrets = "/api/v1/namespaces/default/secrets";
  await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
  const annotations = { "orch.io/service-account.name": "robot" };
  await send("POST", secrets, { metadata: { name: "key", annotations }, type: "orch.io/service-account-token" });
  await server.settled();
  const read = async () => await send("GET", `${secrets}/key`);
  const token = Buffer.from((await read()).data?.["token"] ?? "", "base64").toString();
  return {
    server,
    read,
    label: (labels: Record<string, string | null>) =>
      send("PATCH", `${secrets}/key`, { metadata: { labels } }, "application/merge-patch+json"),
    use: async () => {
      const review = { spec: { token } };
      const { status } = await send("POST", "/apis/authentication.orch.io/v1/tokenreviews", review);
      return status?.authenticated === true;
    },
  };
}

test("the Secret of a token says when it was last used, and a token that became invalid is refused", async () => {
  const { server, read, use, label } = await withToken("1.35");
  await using _ = server;
  expect((await read()).metadata.labels).toBeUndefined();
  expect(await use()).toBe(true);
  const today = new Date().toISOString().slice(0, 10);
  expect((await read()).metadata.labels).toEqual({ "orch.io/legacy-token-last-used": today });
  const { resourceVersion } = (await read()).metadata;
  expect(await use()).toBe(true);
  expect((await read()).metadata.resourceVersion).toBe(resourceVersion);
  await label({ "orch.io/legacy-token-invalid-since": today });
  expect(await use()).toBe(false);
  await label({ "orch.io/legacy-token-invalid-since": null });
  expect(await use()).toBe(true);
});

test("at level 1.21 nothing is recorded", async () => {
  const { server, read, use, label } = await withToken("1.21");
  await using _ = server;
  expect(await use()).toBe(true);
  expect((await read()).metadata.labels).toBeUndefined();
  await label({ "orch.io/legacy-token-invalid-since": "2026-01-01" });
  expect(await use()).toBe(true);
});

test("a ConfigMap says since when uses are recorded, and an account gets no token of its own accord", async () => {
  await using server = await createServer({ emulatedVersion: "1.35" });
  await server.settled();
  const read = async (path: string) => (await (await server.fetch(path)).json()) as Body; // as above
  const name = "orch-apiserver-legacy-service-account-token-tracking";
  const { data } = await read(`/api/v1/namespaces/orch-system/configmaps/${name}`);
  expect(data).toEqual({ since: new Date().toISOString().slice(0, 10) });
  expect((await read("/api/v1/secrets")).items).toEqual([]);
});
