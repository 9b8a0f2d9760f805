import { describe, expect, test } from "vitest";
import { container, make, pod, problems, problemsOfUpdate, short } from "../pod.suite.ts";

describe("the annotations of a pod", () => {
  const apparmor = "container.apparmor.security.beta.orch.io/";
  const ofPod = "seccomp.security.alpha.orch.io/pod";
  const ofContainer = "container.seccomp.security.alpha.orch.io/c";
  const tolerations = "scheduler.alpha.orch.io/tolerations";
  const cost = "controller.orch.io/pod-deletion-cost";
  const cases = [
    {
      why: "may name profiles",
      annotations: { [`${apparmor}c`]: "localhost/p", [ofPod]: "runtime/default" },
      expected: [],
    },
    {
      why: "must name existing containers and valid AppArmor profiles",
      annotations: { [`${apparmor}c`]: "strict", [`${apparmor}d`]: "unconfined" },
      expected: [`Invalid metadata.annotations[${apparmor}c]`, `Invalid metadata.annotations[${apparmor}d]`],
    },
    {
      why: "must name valid seccomp profiles and relative paths",
      annotations: { [ofPod]: "strict", [ofContainer]: "localhost/../p" },
      expected: [`Invalid metadata.annotations.${ofContainer}`, `Invalid metadata.annotations.${ofPod}`],
    },
    {
      why: "must name a seccomp profile, also for containers that do not exist",
      annotations: { [ofPod]: "", "container.seccomp.security.alpha.orch.io/d": "strict" },
      expected: ["container.seccomp.security.alpha.orch.io/d", ofPod].map(
        (key) => `Invalid metadata.annotations.${key}`,
      ),
    },
    {
      why: "may be tolerations as JSON in any case of letters",
      annotations: { [tolerations]: '[{"Key":"a","operator":"Exists","TolerationSeconds":null,"other":1}, null]' },
      expected: [`Invalid metadata.annotations.${tolerations}[1].operator`],
    },
    {
      why: "must be a JSON list for tolerations",
      annotations: { [tolerations]: '{"key":"a"}' },
      expected: ["Invalid metadata.annotations"],
    },
    {
      why: "must have a node name for a mirror pod",
      annotations: { "orch.io/config.mirror": "x" },
      expected: ["Invalid metadata.annotations[orch.io/config.mirror]"],
    },
  ];
  for (const { why, annotations, expected } of cases) {
    test(why, () => {
      const found = short(problems(pod({}, { annotations }))).filter((line) => line.includes("annotations"));
      expect(found).toEqual(expected);
    });
  }

  test("must set the deletion cost to a 32-bit integer without a plus sign or leading zeros", () => {
    const isRefused = (text: string) => problems(pod({}, { annotations: { [cost]: text } })).length > 0;
    expect(["0", "-0", "7", "-7", "2147483647", "-2147483648"].filter(isRefused)).toEqual([]);
    const wrong = ["", "+1", "007", "1.5", "much", "2147483648", "-2147483649"];
    expect(wrong.filter(isRefused)).toEqual(wrong);
  });

  test("may keep a deletion cost that is stored, and set no other that is wrong", () => {
    const costing = (text: string) => pod({}, { annotations: { [cost]: text } });
    expect(problemsOfUpdate(costing("much"), costing("much"))).toEqual([]);
    expect(problemsOfUpdate(costing("more"), costing("much"))).not.toEqual([]);
  });

  test("for seccomp become fields, and fields become annotations", () => {
    const fromText = make(pod({}, { annotations: { [ofPod]: "docker/default", [ofContainer]: "localhost/p" } }));
    expect(fromText["spec"]).toMatchObject({
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p" } } }],
    });
    const securityContext = { seccompProfile: { type: "Unconfined" } };
    const fromFields = make(pod({ securityContext, containers: [{ ...container, securityContext }] }));
    expect(fromFields.metadata.annotations).toEqual({ [ofPod]: "unconfined", [ofContainer]: "unconfined" });
  });

  test("for seccomp must agree with the fields", () => {
    const securityContext = { seccompProfile: { type: "Localhost", localhostProfile: "p" } };
    const found = (text: string) => short(problems(pod({ securityContext }, { annotations: { [ofPod]: text } })));
    expect(found("localhost/p")).toEqual([]);
    expect(found("localhost/q")).toEqual(["Forbidden spec.securityContext.seccompProfile.localhostProfile"]);
    expect(found("unconfined")).toEqual(["Forbidden spec.securityContext.seccompProfile.type"]);
    // They are not compared once the pod exists.
    const old = pod({ securityContext });
    const next = pod({ securityContext }, { annotations: { [ofPod]: "unconfined" } });
    expect(problemsOfUpdate(next, old)).toEqual([]);
  });
});
