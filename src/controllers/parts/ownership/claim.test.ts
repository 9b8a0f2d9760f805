import { expect, test } from "vitest";
import { finish } from "../../../base/time-slice.ts";
import { labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import { type PodParts, podOf } from "../pods/pod.suite.ts";
import { claim } from "./claim.ts";

const selector = labelSelectorFromObject({ matchLabels: { app: "x" } });
const labels = { app: "x" };

interface Row {
  readonly why: string;
  readonly pod: PodParts;
  readonly deletingOwner?: boolean;
  readonly outcome: "owned" | "adopt" | "release" | "nothing";
}
const rows: Row[] = [
  { why: "an owned pod that matches stays", pod: { labels, owner: "me" }, outcome: "owned" },
  { why: "an owned pod that stopped matching is released", pod: { owner: "me" }, outcome: "release" },
  { why: "a matching orphan is adopted", pod: { labels }, outcome: "adopt" },
  { why: "an orphan that does not match is left alone", pod: {}, outcome: "nothing" },
  { why: "a pod of another is left alone", pod: { labels, owner: "other" }, outcome: "nothing" },
  { why: "a pod that is being deleted is not adopted", pod: { labels, deleting: true }, outcome: "nothing" },
  { why: "an owned pod that is being deleted stays", pod: { labels, owner: "me", deleting: true }, outcome: "owned" },
  { why: "an owner that is being deleted adopts nothing", pod: { labels }, deletingOwner: true, outcome: "nothing" },
  {
    why: "an owner that is being deleted releases nothing",
    pod: { owner: "me" },
    deletingOwner: true,
    outcome: "nothing",
  },
];

for (const { why, pod, deletingOwner, outcome } of rows) {
  test(why, () => {
    const owner = { metadata: { uid: "me", ...(deletingOwner ? { deletionTimestamp: "2021-05-01T00:00:00Z" } : {}) } };
    const claims = finish(claim([podOf(pod)], { owner, selector }));
    const found = Object.entries(claims).find(([, objects]) => objects.length > 0)?.[0] ?? "nothing";
    expect(found).toBe(outcome);
  });
}

test("an object that the further condition excludes is neither kept nor adopted", () => {
  const pods = [podOf({ name: "a", labels, owner: "me" }), podOf({ name: "b", labels })];
  const claims = finish(claim(pods, { owner: { metadata: { uid: "me" } }, selector, accepts: () => false }));
  expect([claims.owned.length, claims.adopt.length, claims.release.length]).toEqual([0, 0, 1]);
});
