import { describe, expect, test } from "vitest";
import { isLinearizable, type Operation } from "./linearizable.suite.ts";

const cases: { why: string; good: boolean; history: Operation[] }[] = [
  { why: "nothing happened", good: true, history: [] },
  {
    why: "overlapping reads may fall on either side of a write",
    good: true,
    history: [
      { kind: "write", expected: 0n, wrote: 7n, start: 0, end: 10 },
      { kind: "read", saw: 0n, start: 1, end: 5 },
      { kind: "read", saw: 7n, start: 2, end: 6 },
    ],
  },
  {
    why: "a read that begins after another saw the write must see it too",
    good: false,
    history: [
      { kind: "write", expected: 0n, wrote: 7n, start: 0, end: 10 },
      { kind: "read", saw: 7n, start: 1, end: 3 },
      { kind: "read", saw: 0n, start: 4, end: 6 },
    ],
  },
  {
    why: "two writers that expected the same revision cannot both win",
    good: false,
    history: [
      { kind: "write", expected: 0n, wrote: 7n, start: 0, end: 10 },
      { kind: "write", expected: 0n, wrote: 8n, start: 0, end: 10 },
    ],
  },
  {
    why: "a writer is refused only if the key was not at the expected revision",
    good: false,
    history: [{ kind: "refused", expected: 0n, start: 0, end: 1 }],
  },
  {
    why: "a refusal may be caused by a write that is still in progress",
    good: true,
    history: [
      { kind: "write", expected: 0n, wrote: 7n, start: 0, end: 10 },
      { kind: "refused", expected: 0n, start: 1, end: 2 },
    ],
  },
  {
    why: "a lost update: the second write builds on a revision that was replaced before it began",
    good: false,
    history: [
      { kind: "write", expected: 0n, wrote: 1n, start: 0, end: 1 },
      { kind: "write", expected: 1n, wrote: 2n, start: 2, end: 3 },
      { kind: "write", expected: 1n, wrote: 3n, start: 4, end: 5 },
    ],
  },
  {
    why: "revisions must not go back",
    good: false,
    history: [
      { kind: "write", expected: 0n, wrote: 5n, start: 0, end: 1 },
      { kind: "write", expected: 5n, wrote: 4n, start: 2, end: 3 },
    ],
  },
  {
    why: "a write of unknown outcome may have happened",
    good: true,
    history: [
      { kind: "unknown", expected: 0n, remove: false, start: 0, end: 1 },
      { kind: "read", saw: 9n, start: 2, end: 3 },
    ],
  },
  {
    why: "a write of unknown outcome may have happened although only refusals of other writes show it",
    good: true,
    history: [
      { kind: "unknown", expected: 0n, remove: false, start: 0, end: 1 },
      { kind: "refused", expected: 0n, start: 2, end: 3 },
    ],
  },
  {
    why: "a write of unknown outcome may not have happened",
    good: true,
    history: [
      { kind: "unknown", expected: 0n, remove: false, start: 0, end: 1 },
      { kind: "read", saw: 0n, start: 2, end: 3 },
    ],
  },
  {
    why: "a write of unknown outcome happens at most once",
    good: false,
    history: [
      { kind: "unknown", expected: 0n, remove: false, start: 0, end: 1 },
      { kind: "read", saw: 9n, start: 2, end: 3 },
      { kind: "read", saw: 0n, start: 4, end: 5 },
    ],
  },
];

describe("the linearizability checker", () => {
  for (const { why, good, history } of cases) {
    test(`${good ? "accepts" : "refuses"}: ${why}`, () => expect(isLinearizable(history)).toBe(good));
  }

  test("finds out soon although the outcome of many writes is unknown", () => {
    const history: Operation[] = [];
    const at = (time: number) => ({ start: 2 * time, end: 2 * time + 1 });
    const unknown = 40;
    for (let time = 0; time < unknown; time++)
      history.push({ kind: "unknown", expected: BigInt(time % 3), remove: false, ...at(time) });
    for (let version = 1n; version <= 8n; version++)
      history.push({ kind: "write", expected: version - 1n, wrote: version, ...at(unknown + Number(version)) });
    expect(isLinearizable(history)).toBe(true);
    expect(isLinearizable([...history, { kind: "read", saw: 0n, ...at(unknown + 9) }])).toBe(false);
  });
});
