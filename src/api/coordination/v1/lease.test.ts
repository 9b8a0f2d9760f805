import { describe, expect, test } from "vitest";
import { tableRow } from "../../../machinery/table/table.ts";
import { bindVersions, create, update } from "../../life.suite.ts";
import { Lease as Beta } from "../v1beta1/lease.ts";
import { Lease } from "./lease.ts";

const leases = bindVersions([Lease, Beta]);
const metadata = { name: "x" };

describe.each(["v1", "v1beta1"])("a lease of %s", (version) => {
  const kind = leases.version(version);
  const cases = [
    { why: "may have no holder", spec: {}, problems: [] },
    {
      why: "must have a positive duration",
      spec: { leaseDurationSeconds: 0 },
      problems: ["Invalid spec.leaseDurationSeconds"],
    },
    {
      why: "must not have a negative count of transitions",
      spec: { leaseDurationSeconds: 1, leaseTransitions: -1 },
      problems: ["Invalid spec.leaseTransitions"],
    },
  ];
  for (const { why, spec, problems } of cases) {
    test(why, () => {
      expect(create(kind, { metadata, spec }).problems).toEqual(problems);
      expect(update(kind, { metadata, spec }, create(kind, { metadata })).problems).toEqual(problems);
    });
  }

  test("has a renew time with microseconds", () => {
    const spec = { renewTime: "2021-06-01T00:00:00.123456Z" };
    expect(create(kind, { metadata, spec }).object["spec"]).toEqual(spec);
  });

  test("shows its holder", () => {
    const row = (spec: object) => tableRow(kind, create(kind, { metadata, spec }).object, kind.family.environment);
    expect(row({ holderIdentity: "me" }).slice(0, 2)).toEqual(["x", "me"]);
    expect(row({}).slice(0, 2)).toEqual(["x", ""]);
  });
});

test("the strategy of an election is ours or has a domain, and a preferred holder needs one", () => {
  const kind = bindVersions([Lease], { CoordinatedLeaderElection: true }, "1.35").version("v1");
  const problems = (spec: object) => create(kind, { metadata, spec }).problems;
  expect(problems({ strategy: "OldestEmulationVersion", preferredHolder: "b" })).toEqual([]);
  expect(problems({ strategy: "example.com/Newest" })).toEqual([]);
  expect(problems({ strategy: "Newest" })).toEqual(["NotSupported spec.strategy.strategy"]);
  expect(problems({ strategy: "" })).toEqual(["NotSupported spec.strategy.strategy"]);
  expect(problems({ strategy: "a/b/c" })).toEqual(["Invalid spec.strategy.strategy"]);
  expect(problems({ preferredHolder: "b" })).toEqual(["Forbidden spec.preferredHolder"]);
  expect(problems({ preferredHolder: "" })).toEqual([]);
});
