import { expect, test } from "vitest";
import { KvError } from "../kv/contract.ts";
import { StatusError } from "../machinery/status/status.ts";
import { mayHaveHappened, translateKvErrors } from "./store-errors.ts";

type Code = KvError["code"];

const refusalOf = (code: Code): StatusError => {
  try {
    return translateKvErrors(new KvError(code, "the store says so"));
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
};

/** Clients and public suites search for the phrases. */
const cases: readonly [Code, number, string][] = [
  ["too-large", 413, "etcdserver: request is too large"],
  ["outcome-unknown", 504, "it may or may not have happened"],
  ["unavailable", 503, "the server is currently unable to handle the request"],
  ["closed", 503, "the server is shutting down"],
  ["unknown-revision", 504, "Too large resource version"],
  ["damaged", 500, "the store is damaged"],
];
for (const [code, status, phrase] of cases)
  test(`a store that answers "${code}" is a ${status} that says "${phrase}"`, () => {
    const refusal = refusalOf(code);
    expect([refusal.code, refusal.message]).toEqual([status, expect.stringContaining(phrase)]);
    expect(mayHaveHappened(refusal)).toBe(code === "outcome-unknown");
  });

test("a client may try again after a second when the store is away", () => {
  expect(refusalOf("unavailable").details).toEqual({ retryAfterSeconds: 1 });
});

test("conflicts, compacted revisions and other errors are for the caller", () => {
  for (const error of [new KvError("conflict", ""), new KvError("compacted", ""), new Error("another")])
    expect(() => translateKvErrors(error)).toThrow(error);
});
