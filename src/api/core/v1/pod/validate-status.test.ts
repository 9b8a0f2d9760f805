import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../../../machinery/schema/kind.ts";
import { inspect } from "../core.suite.ts";
import { make, pod, problemsOfStatus, short } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

describe("the status of a pod", () => {
  const ended = (exitCode: number) => ({ terminated: { exitCode } });
  const status = (state: object, kind = "containerStatuses") => ({ [kind]: [{ name: "c", state }] });
  const { kind } = inspect(Pod);
  const cases = [
    { why: "may restart a container", policy: "Always", before: ended(0), expected: [] },
    { why: "may restart a container after a failure", policy: "OnFailure", before: ended(1), expected: [] },
    {
      why: "must not restart a container after success",
      policy: "OnFailure",
      before: ended(0),
      expected: ["Forbidden status.containerStatuses[0].state"],
    },
    {
      why: "must not restart an init container after success",
      policy: "OnFailure",
      before: ended(0),
      of: "initContainerStatuses",
      expected: ["Forbidden status.initContainerStatuses[0].state"],
    },
    {
      why: "must not restart a container at all",
      policy: "Never",
      before: ended(1),
      expected: ["Forbidden status.containerStatuses[0].state"],
    },
  ];
  for (const { why, policy, before, of, expected } of cases) {
    test(`${why}: ${policy}`, () => {
      const validate = kind.subresources.get("status")?.validate;
      const given = make(pod({ restartPolicy: policy }));
      const errors = validate?.(
        { ...given, status: status({ running: {} }, of) },
        { ...given, status: status(before, of) },
        kind.family.environment,
      );
      expect((errors ?? []).map(({ reason, field }) => short([`${reason} ${field}`])[0])).toEqual(expected);
    });
  }

  test("must have a valid nominatedNodeName", () => {
    const next = { ...pod(), status: { nominatedNodeName: "a b" } };
    expect(short(problemsOfStatus(next, pod()))).toEqual(["Invalid status.nominatedNodeName"]);
  });

  const problemsOf = (status: object, old: object = {}) =>
    short(problemsOfStatus({ ...pod(), status }, { ...pod(), status: old }));

  test("must have qualified condition types", () => {
    const conditions = ["Ready", "example.com/Fed", "a b"].map((type) => ({ type, status: "True" }));
    expect(problemsOf({ conditions })).toEqual(["Invalid metadata.conditions[2].Type"]);
  });

  const addresses = [
    { why: "may be one of each family", ips: ["10.0.0.1", "::1"], expected: [] },
    { why: "must be valid", ips: ["here"], expected: ["Invalid status.podIPs[0]"] },
    { why: "must not be two of one family", ips: ["10.0.0.1", "10.0.0.2"], expected: ["Invalid status.podIPs"] },
    {
      why: "must not repeat",
      ips: ["::1", "::1"],
      expected: ["Duplicate status.podIPs[1]", "Invalid status.podIPs"],
    },
    {
      why: "must not be three",
      ips: ["10.0.0.1", "::1", "there"],
      expected: ["Invalid status.podIPs", "Invalid status.podIPs[2]", "InternalError status.podIPs"],
    },
  ];
  for (const { why, ips, expected } of addresses) {
    test(`has addresses, which ${why}`, () =>
      expect(problemsOf({ podIPs: ips.map((ip) => ({ ip })) })).toEqual(expected));
  }

  test("does not change owner references", () => {
    const owner = (name: string) => ({ ownerReferences: [{ apiVersion: "v1", kind: "K", name, uid: name }] });
    const parent = make(pod({}, owner("a")));
    const merge = kind.subresources.get("status")?.merge;
    const merged = (next: object) => merge?.(make(next as ReturnType<typeof pod>), parent, kind.family.environment);
    expect(merged(pod({}, owner("b")))).toMatchObject({ metadata: owner("a") });
    expect(merged(pod())).toMatchObject({ metadata: owner("a") });
  });

  const merges = [
    {
      why: "podIP is copied to podIPs",
      old: {},
      written: { podIP: "10.0.0.1" },
      podIP: "10.0.0.1",
      podIPs: ["10.0.0.1"],
    },
    {
      why: "the first of podIPs is copied to podIP",
      old: {},
      written: { podIPs: [{ ip: "10.0.0.1" }, { ip: "::2" }] },
      podIP: "10.0.0.1",
      podIPs: ["10.0.0.1", "::2"],
    },
    {
      why: "a new podIP from an old client replaces podIPs",
      old: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      written: { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.1" }] },
      podIP: "10.0.0.2",
      podIPs: ["10.0.0.2"],
    },
    {
      why: "podIP wins over different podIPs",
      old: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      written: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.2" }] },
      podIP: "10.0.0.1",
      podIPs: ["10.0.0.1"],
    },
  ];
  for (const { why, old, written, podIP, podIPs } of merges) {
    test(why, () => {
      const parent: ApiObject = { ...make(pod()), status: old };
      const next = { ...make(pod({ nodeName: "elsewhere" })), status: written };
      const merged = kind.subresources.get("status")?.merge?.(next, parent, kind.family.environment);
      expect(merged).toMatchObject({ spec: parent["spec"], status: { podIP, podIPs: podIPs.map((ip) => ({ ip })) } });
    });
  }
});
