import { expect, test } from "vitest";
import { leaderProblem } from "./check-leader.ts";

const safe = {
  identity: "one",
  lease: { namespace: "default", name: "leader" },
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

const cases: readonly { readonly why: string; readonly change: Partial<typeof safe>; readonly says?: RegExp }[] = [
  { why: "the usual times", change: {} },
  {
    why: "two processes without a name are both the holder",
    change: { identity: "" },
    says: /identity must not be empty/,
  },
  {
    why: "no server stores a nameless lease",
    change: { lease: { namespace: "default", name: "" } },
    says: /name of the lease ""/,
  },
  {
    why: "no server stores this name",
    change: { lease: { namespace: "a", name: "A_b" } },
    says: /name of the lease "A_b"/,
  },
  { why: "nor this namespace", change: { lease: { namespace: "", name: "a" } }, says: /namespace of the lease ""/ },
  {
    why: "others take over before the holder gives up",
    change: { leaseDurationMs: 5_000 },
    says: /longer than the renew deadline/,
  },
  { why: "the same moment is too late", change: { leaseDurationMs: 10_000 }, says: /longer than the renew deadline/ },
  { why: "the deadline is over before a second try", change: { retryPeriodMs: 9_000 }, says: /longer than 1.2 times/ },
  { why: "without a pause", change: { retryPeriodMs: 0 }, says: /retry period must be longer than 0 ms, not 0/ },
  {
    why: "not a time",
    change: { renewDeadlineMs: Number.NaN },
    says: /renew deadline must be longer than 0 ms, not NaN/,
  },
  {
    why: "for ever",
    change: { leaseDurationMs: Number.POSITIVE_INFINITY },
    says: /lease duration must be .* not Infinity/,
  },
];

for (const { why, change, says } of cases)
  test(`settings of an election: ${why}`, () => {
    const problem = leaderProblem({ ...safe, ...change });
    if (says === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(says);
  });
