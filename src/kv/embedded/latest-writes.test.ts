import { expect, test } from "vitest";
import { LatestWrites } from "./latest-writes.ts";

const put = (key: string, revision: bigint, created = revision) => ({
  key,
  revision,
  created,
  previous: 0n,
  value: new Uint8Array(1),
});
const unread = (key: string): never => {
  throw new Error(`${key} was read from disk`);
};

test("the state of a key that was written lately is known without a read, also that it is absent", () => {
  const latest = new LatestWrites();
  latest.remember([put("a", 3n), put("b", 4n)]);
  latest.remember([put("a", 5n, 3n), { ...put("b", 6n), value: undefined }]);
  expect(latest.get("a", unread)).toEqual({ revision: 5n, created: 3n });
  expect(latest.get("b", unread)).toBeUndefined();
  expect(latest.get("c", () => ({ revision: 2n, created: 1n }))).toEqual({ revision: 2n, created: 1n });
});

test("however many keys are written, a bounded number is remembered, the newest state of each", () => {
  const latest = new LatestWrites();
  latest.remember([put("a", 1n)]);
  latest.remember(Array.from({ length: 5_000 }, (_, at) => put(`k${at}`, BigInt(at + 2))));
  expect(latest.get("a", unread)).toEqual({ revision: 1n, created: 1n });
  latest.remember([put("a", 6_000n, 1n)]);
  expect(latest.get("a", unread)).toEqual({ revision: 6_000n, created: 1n });
  latest.remember(Array.from({ length: 10_000 }, (_, at) => put(`l${at}`, BigInt(at + 7_000))));
  expect(latest.get("a", () => undefined)).toBeUndefined();
  const known = Array.from({ length: 5_000 }, (_, at) => latest.get(`k${at}`, () => undefined));
  expect(known.every((state) => state === undefined)).toBe(true);
});
