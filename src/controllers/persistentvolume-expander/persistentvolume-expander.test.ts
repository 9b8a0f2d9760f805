import { describe, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { withControllers } from "../scenario.suite.ts";
import { hasGrown, isBoundTo, wantsMore } from "./reconcile.ts";
import { persistentVolumeExpander } from "./wire.ts";

const claim = (asked: string, has?: string, phase: "Bound" | "Pending" = "Bound"): PersistentVolumeClaim => ({
  metadata: { namespace: "n", name: "c", uid: "u" },
  spec: { accessModes: ["ReadWriteOnce"], volumeName: "v", resources: { requests: { storage: asked } } },
  status: { phase, ...(has ? { capacity: { storage: has } } : {}) },
});

describe("a claim is expanded", () => {
  const rows = [
    { why: "if it requests more than it has", claim: claim("2Gi", "1Gi"), wants: true },
    { why: "not if it requests the same in another notation", claim: claim("2Gi", "2048Mi"), wants: false },
    { why: "not if it has more than it requests", claim: claim("1Gi", "2Gi"), wants: false },
    { why: "only if it is bound", claim: claim("2Gi", "1Gi", "Pending"), wants: false },
  ];
  for (const { why, claim, wants } of rows) test(why, () => expect(wantsMore(claim)).toBe(wants));
});

describe("an update of a claim is reconciled", () => {
  const rows = [
    { why: "if it requests more", now: claim("2Gi", "1Gi"), old: claim("1Gi", "1Gi"), grown: true },
    { why: "if its capacity has grown", now: claim("2Gi", "2Gi"), old: claim("2Gi", "1Gi"), grown: true },
    { why: "not if nothing changed", now: claim("2Gi", "1Gi"), old: claim("2Gi", "1Gi"), grown: false },
    { why: "not if it requests less", now: claim("1Gi", "1Gi"), old: claim("2Gi", "1Gi"), grown: false },
  ];
  for (const { why, now, old, grown } of rows) test(why, () => expect(hasGrown(now, old)).toBe(grown));
});

test("a volume belongs to the claim whose uid it names", () => {
  const volume = (uid: string): PersistentVolume => ({
    metadata: { name: "v" },
    spec: { capacity: {}, claimRef: { namespace: "n", name: "c", uid } },
  });
  expect([isBoundTo(claim("1Gi"), volume("u")), isBoundTo(claim("1Gi"), volume("w"))]).toEqual([true, false]);
});

test("a claim that requests more gets an event that names what it waits for", () =>
  withControllers([persistentVolumeExpander], async ({ client, create, untilAll }) => {
    const made = await create(PersistentVolumeClaim, {
      metadata: { namespace: "default", name: "c" },
      spec: { accessModes: ["ReadWriteOnce"], volumeName: "v", resources: { requests: { storage: "2Gi" } } },
    });
    await create(PersistentVolume, {
      metadata: { name: "v" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/x" },
        claimRef: { namespace: "default", name: "c", uid: made.metadata.uid ?? "" },
      },
    });
    const status = { phase: "Bound" as const, capacity: { storage: "1Gi" } };
    await client.of(PersistentVolumeClaim).updateStatus({ ...made, status });
    const isTold = (events: readonly Event[]) => events.some(({ reason }) => reason === "ExternalExpanding");
    const [event] = await untilAll(Event, "default", isTold);
    expect(event).toMatchObject({ type: "Warning", source: { component: "volume_expand" } });
  }));
