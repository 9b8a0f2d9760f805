/** A history that leaves kinds out, and keeps them again. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const parent = mkdtempSync(join(tmpdir(), "orch-history-kinds-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

interface Answer {
  readonly status: number;
  readonly message?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly {
    readonly operation: string;
    readonly object: { readonly resource: string; readonly name: string };
    readonly fields?: readonly { readonly old?: string; readonly new?: string }[];
  }[];
}

const base = "/api/v1/namespaces/default";
const changes = "/apis/history.orch.io/v1alpha1/namespaces/default/changes";

async function ask(server: OrchServer, path: string): Promise<Answer> {
  const answer = await server.fetch(path);
  return { ...((await answer.json()) as Answer), status: answer.status };
}

async function write(server: OrchServer, resource: string, value: string): Promise<string> {
  const body = JSON.stringify({ metadata: { name: "a" }, data: { value } });
  const patched = await server.fetch(`${base}/${resource}/a`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body,
  });
  const created = { method: "POST", headers: { "content-type": "application/json" }, body };
  const answer = patched.status === 404 ? await server.fetch(`${base}/${resource}`, created) : patched;
  expect(answer.ok).toBe(true);
  return ((await answer.json()) as Answer).metadata.resourceVersion;
}

const changesOf = async (server: OrchServer, selector = "object.name=a") =>
  (await ask(server, `${changes}?fieldSelector=${encodeURIComponent(selector)}`)).items.map(
    ({ operation, object }) => `${operation} ${object.resource}`,
  );

const isoNow = () => new Date().toISOString();

test("kinds that are left out are refused in words, and what was meanwhile is not told when they are kept again", async () => {
  const options = { dataDir: join(parent, "data"), history: "1h", controllers: false } as const;
  const first = await createServer(options);
  await write(first, "configmaps", "1");
  await write(first, "secrets", "MQ==");
  const whileAllWereKept = isoNow();
  expect(await changesOf(first)).toEqual(["create secrets", "create configmaps"]);
  await first.close();

  const second = await createServer({ ...options, historyKinds: ["-configmaps", "-widgets.example.com"] });
  await write(second, "configmaps", "2");
  await write(second, "secrets", "Mg==");
  expect(await changesOf(second)).toEqual(["update secrets", "create secrets"]);
  const refusal = { status: 400, message: expect.stringContaining("the history does not keep configmaps") };
  expect(await ask(second, `${base}/configmaps/a?atTime=${whileAllWereKept}`)).toMatchObject(refusal);
  expect(await ask(second, `${base}/configmaps?atTime=${whileAllWereKept}`)).toMatchObject(refusal);
  for (const selector of ["object.resource=configmaps", "object.kind=ConfigMap"])
    expect(await ask(second, `${changes}?fieldSelector=${encodeURIComponent(selector)}`)).toMatchObject(refusal);
  await expect(second.history("ConfigMap", { namespace: "default", name: "a" })).rejects.toThrow("does not keep");
  expect((await ask(second, `${base}/secrets/a?atTime=${whileAllWereKept}`)).data).toEqual({ value: "MQ==" });
  const whileLeftOut = isoNow();
  await second.close();

  const third = await createServer(options);
  const keptAgain = isoNow();
  const version = await write(third, "configmaps", "3");
  await write(third, "configmaps", "4");
  expect(await changesOf(third)).toEqual([
    "update configmaps",
    "update configmaps",
    "update secrets",
    "create secrets",
  ]);
  const [, told] = (await ask(third, `${changes}?fieldSelector=object.resource%3Dconfigmaps`)).items;
  expect(told?.fields).toContainEqual(expect.objectContaining({ old: '"2"', new: '"3"' }));
  for (const time of [whileAllWereKept, whileLeftOut])
    expect(await ask(third, `${base}/configmaps/a?atTime=${time}`)).toMatchObject({
      status: 410,
      message: expect.stringContaining("the oldest state that is kept is that of"),
    });
  expect((await ask(third, `${base}/configmaps/a?atTime=${keptAgain}`)).data).toEqual({ value: "2" });
  expect((await ask(third, `${base}/secrets/a?atTime=${whileAllWereKept}`)).data).toEqual({ value: "MQ==" });
  await third.close();

  await using again = await createServer(options);
  expect((await ask(again, `${base}/configmaps/a?atTime=${whileLeftOut}`)).status).toBe(410);
  const exact = `resourceVersion=${version}&resourceVersionMatch=Exact`;
  expect((await ask(again, `${base}/configmaps/a?${exact}`)).data).toEqual({ value: "3" });
});

test("what names no kind is refused at the start", async () => {
  for (const name of ["pods", "-podz", "-Pods", "-pods=2h"])
    await expect(createServer({ history: "1h", historyKinds: [name] })).rejects.toThrow(/^historyKinds: /);
});
