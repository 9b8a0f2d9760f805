import { expect, test } from "vitest";
import type { APIService } from "../../api/apiregistration/v1/api-service.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createRemoteSchemas } from "./remote-schemas.ts";

const service: APIService = { metadata: { name: "v1.a.test" } };
const path = "/apis/a.test/v1/things";
const schema = (description: string) =>
  Buffer.from(JSON.stringify({ paths: { [path]: { get: { description } } }, definitions: {} }));

function open({ readsResources = false } = {}) {
  const clock = createManualClock(0);
  const asked: string[] = [];
  let current: { etag: string; bytes: Buffer } = { etag: '"1"', bytes: schema("one") };
  let registered = true;
  const schemas = createRemoteSchemas({
    clock,
    log: silentLog,
    onResources: readsResources ? () => {} : undefined,
    services: () => (registered ? [{ name: "v1.a.test", group: "a.test", version: "v1", service }] : []),
    servers: {
      async document(_, from, etag) {
        asked.push(`${from} ${etag}`);
        if (from === "/apis/a.test/v1") return { etag: "", bytes: Buffer.from("no list") };
        if (from !== "/openapi/v2") return undefined;
        return etag === current.etag ? "unchanged" : current;
      },
    },
  });
  const advance = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 10; turn++) await new Promise((done) => setImmediate(done));
  };
  return {
    schemas,
    asked,
    advance,
    change: (etag: string, bytes: Buffer) => {
      current = { etag, bytes };
    },
    remove: () => {
      registered = false;
    },
  };
}

test("a schema is requested with its ETag, and read again only when it has changed", async () => {
  const { schemas, asked, advance, change } = open();
  schemas.start();
  await advance(100);
  expect(schemas.v2()[0]?.paths.get(path)).toBe('{"get":{"description":"one"}}');
  const { generation } = schemas;
  await advance(60_000);
  expect(asked.filter((one) => one.startsWith("/openapi/v2"))).toEqual(["/openapi/v2 ", '/openapi/v2 "1"']);
  expect(schemas.generation).toBe(generation);
  change('"2"', schema("two"));
  await advance(60_000);
  expect(schemas.v2()[0]?.paths.get(path)).toBe('{"get":{"description":"two"}}');
  expect(schemas.generation).toBeGreaterThan(generation);
  schemas.close();
});

test("the last valid schema stays when the next one cannot be read, and is removed with its API service", async () => {
  const { schemas, advance, change, remove } = open();
  schemas.start();
  await advance(100);
  change('"2"', Buffer.from('{"paths":'));
  await advance(60_000);
  expect(schemas.v2()).toHaveLength(1);
  remove();
  schemas.refreshSoon();
  await advance(100);
  expect(schemas.v2()).toEqual([]);
  schemas.close();
});

test("a list of resources that cannot be read does not hide the schema", async () => {
  const { schemas, asked, advance } = open({ readsResources: true });
  schemas.start();
  await advance(100);
  expect(asked).toContain("/apis/a.test/v1 ");
  expect(schemas.resources("a.test", "v1")).toBeUndefined();
  expect(schemas.v2()).toHaveLength(1);
  schemas.close();
});
