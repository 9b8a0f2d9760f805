import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compareReleases, type Release } from "../base/release.ts";
import { type GateWithEffect, gatesWithEffect } from "../machinery/schema/gates.ts";
import { checkFeatureGates, createFeatureGates, featureGatesOf } from "./feature-gates.ts";
import { gateHistories } from "./gates/histories.ts";

interface GoldenGate {
  readonly name: string;
  readonly stage: string;
  readonly default: boolean;
  readonly locked?: boolean;
}

describe("feature gates", () => {
  test("have the stages and defaults of v1.21", () => {
    const path = new URL("../../test/golden/feature-gates.json", import.meta.url);
    const golden = JSON.parse(readFileSync(path, "utf8")) as readonly GoldenGate[];
    const gates: { enabled(name: string): boolean } = createFeatureGates(new Map());
    const ours = featureGatesOf("1.21").map(({ name, stage, locked }) => ({
      name,
      stage,
      default: gates.enabled(name),
      ...(locked ? { locked } : {}),
    }));
    expect(ours).toEqual(golden);
  });

  test("follow their history in releases between the levels, and stay what they were when they have gone", () => {
    const on = (release: Release, name: GateWithEffect) => createFeatureGates(new Map(), release).enabled(name);
    const known = (release: Release, name: string) => featureGatesOf(release).some((gate) => gate.name === name);
    const releases = ["1.21", "1.22", "1.24", "1.26", "1.37"] as const;
    expect(releases.map((release) => on(release, "SuspendJob"))).toEqual([false, true, true, true, true]);
    expect(releases.map((release) => known(release, "SuspendJob"))).toEqual([true, true, true, false, false]);
    expect(releases.map((release) => on(release, "ServiceTopology"))).toEqual([false, false, false, false, false]);
    expect(releases.map((release) => on(release, "DynamicKubeletConfig"))).toEqual([true, false, false, false, false]);
    expect(releases.map((release) => known(release, "WatchList"))).toEqual([false, false, false, false, true]);
  });

  test("have rows whose releases are in order, and every gate with an effect has one", () => {
    for (const [name, history] of Object.entries(gateHistories)) {
      const releases = Object.keys(history) as Release[];
      expect(releases, name).toEqual(releases.toSorted(compareReleases));
      expect(Object.values(history).at(0), name).not.toBe("gone");
    }
    expect(gatesWithEffect.filter((name) => gateHistories[name] === undefined)).toEqual([]);
  });

  test("that are unknown or locked stop the start, and those that will be removed log a warning", () => {
    const overrides = new Map([
      ["Nonsense", true],
      ["EndpointSlice", false],
      ["RuntimeClass", true],
      ["LegacyNodeRoleBehavior", true],
      ["DryRun", false],
      ["StreamingProxyRedirects", false],
      ["IndexedJob", true],
      ["AllBeta", false],
    ]);
    expect(checkFeatureGates(overrides)).toEqual({
      problems: [
        "unrecognized feature gate: Nonsense",
        "cannot set feature gate EndpointSlice to false, feature is locked to true",
        "cannot set feature gate LegacyNodeRoleBehavior to true, feature is locked to false",
      ],
      warnings: [
        "Setting GA feature gate RuntimeClass=true. It will be removed in a future release.",
        "Setting GA feature gate DryRun=false. It will be removed in a future release.",
        "The feature gate DryRun=false is accepted but changes nothing here.",
        "Setting deprecated feature gate StreamingProxyRedirects=false. It will be removed in a future release.",
        "The feature gate StreamingProxyRedirects=false is accepted but changes nothing here.",
      ],
    });
  });

  test("of one stage follow AllAlpha and AllBeta, unless they are named", () => {
    const gates = createFeatureGates(
      new Map([
        ["AllAlpha", true],
        ["AllBeta", false],
        ["ServerSideApply", true],
        ["SuspendJob", false],
      ]),
    );
    const names = ["IndexedJob", "SuspendJob", "TTLAfterFinished", "ServerSideApply", "PodOverhead"] as const;
    expect(names.map(gates.enabled)).toEqual([true, false, false, true, false]);
  });
});

test("gates that change nothing here say so when they are switched", () => {
  for (const name of ["EfficientWatchResumption", "GracefulNodeShutdown"]) {
    const { problems, warnings } = checkFeatureGates(new Map([[name, false]]));
    expect(problems).toEqual([]);
    expect(warnings).toContain(`The feature gate ${name}=false is accepted but changes nothing here.`);
    expect(checkFeatureGates(new Map([[name, true]])).warnings.join()).not.toContain("changes nothing");
  }
});
