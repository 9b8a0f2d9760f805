/** A history that keeps a kind for a shorter time than others. */

import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const base = "/api/v1/namespaces/default";
const changes = "/apis/history.orch.io/v1alpha1/namespaces/default/changes";
const json = { "content-type": "application/json" };

interface Answer {
  readonly message?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly operation: string; readonly object: { readonly resource: string } }[];
}

test("what is older than the time of its kind is not told, and other kinds go back further", async () => {
  await using server = await createServer({
    history: "24h",
    historyKinds: ["configmaps=2h"],
    controllers: false,
    clock: { virtual: "2026-01-01T00:00:00Z" },
  });
  const ask = async (path: string) => {
    const answer = await server.fetch(path);
    return { ...((await answer.json()) as Answer), status: answer.status };
  };
  const put = async (resource: string, method: "POST" | "PUT", value: string) => {
    const path = method === "POST" ? `${base}/${resource}` : `${base}/${resource}/a`;
    const body = JSON.stringify({ metadata: { name: "a" }, data: { value } });
    const answer = await server.fetch(path, { method, headers: json, body });
    expect(answer.ok).toBe(true);
    return ((await answer.json()) as Answer).metadata.resourceVersion;
  };
  const told = async () =>
    (await ask(`${changes}?fieldSelector=object.name%3Da`)).items.map(
      ({ operation, object }) => `${operation} ${object.resource}`,
    );
  const first = await put("configmaps", "POST", "1");
  await put("secrets", "POST", "MQ==");
  await server.clock.advance("1h");
  await put("configmaps", "PUT", "2");
  await put("secrets", "PUT", "Mg==");
  expect(await told()).toEqual(["update secrets", "update configmaps", "create secrets", "create configmaps"]);
  await server.clock.advance("90m");
  expect(await told()).toEqual(["update secrets", "update configmaps", "create secrets"]);
  const refusal = { status: 410, message: expect.stringContaining("the oldest state that is kept is") };
  const exact = `resourceVersion=${first}&resourceVersionMatch=Exact`;
  for (const past of ["atTime=2026-01-01T00:10:00Z", exact])
    for (const path of [`${base}/configmaps/a`, `${base}/configmaps`])
      expect(await ask(`${path}?${past}`)).toMatchObject(refusal);
  expect((await ask(`${base}/configmaps/a?atTime=2026-01-01T00:45:00Z`)).data).toEqual({ value: "1" });
  expect((await ask(`${base}/secrets/a?atTime=2026-01-01T00:10:00Z`)).data).toEqual({ value: "MQ==" });
  await server.clock.advance("2h");
  expect(await told()).toEqual(["update secrets", "create secrets"]);
  expect((await ask(`${base}/configmaps/a?atTime=2026-01-01T04:00:00Z`)).data).toEqual({ value: "2" });
});

test("kinds with a time that is none, or named twice, are refused at the start", async () => {
  for (const kinds of [["pods=x"], ["pods=0s"], ["pods=-1h"], ["-pods=2h"], ["podz=2h"], ["pods=2h", "-pods"]])
    await expect(createServer({ history: "1h", historyKinds: kinds })).rejects.toThrow(/^historyKinds: /);
});
