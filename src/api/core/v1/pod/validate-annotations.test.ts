import { describe, expect, test } from "vitest";
import { bindVersions, create } from "../../../life.suite.ts";
import { container, make, pod, problems, problemsOfUpdate, short } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

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
      why: "name containers that there are, and profiles that there can be",
      annotations: { [`${apparmor}c`]: "strict", [`${apparmor}d`]: "unconfined" },
      expected: [`Invalid metadata.annotations[${apparmor}c]`, `Invalid metadata.annotations[${apparmor}d]`],
    },
    {
      why: "name files below their folder",
      annotations: { [ofPod]: "strict", [ofContainer]: "localhost/../p" },
      expected: [`Invalid metadata.annotations.${ofContainer}`, `Invalid metadata.annotations.${ofPod}`],
    },
    {
      why: "on seccomp name a profile, also for containers that there are not",
      annotations: { [ofPod]: "", "container.seccomp.security.alpha.orch.io/d": "strict" },
      expected: ["container.seccomp.security.alpha.orch.io/d", ofPod].map(
        (key) => `Invalid metadata.annotations.${key}`,
      ),
    },
    {
      why: "may tolerate in the old way",
      annotations: { [tolerations]: '[{"Key":"a","operator":"Exists","TolerationSeconds":null,"other":1}, null]' },
      expected: [`Invalid metadata.annotations.${tolerations}[1].operator`],
    },
    {
      why: "tolerate in JSON",
      annotations: { [tolerations]: '{"key":"a"}' },
      expected: ["Invalid metadata.annotations"],
    },
    { why: "may have any cost if the feature is off", annotations: { [cost]: "much" }, expected: [] },
    {
      why: "mirror a pod on a node",
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

  test("say a cost in 32 bits, in the shortest way, where it counts", () => {
    const counting = bindVersions([Pod], { PodDeletionCost: true }).version("v1");
    const isRefused = (text: string) =>
      create(counting, pod({}, { annotations: { [cost]: text } })).problems.length > 0;
    expect(["0", "-0", "7", "-7", "2147483647", "-2147483648"].filter(isRefused)).toEqual([]);
    const wrong = ["", "+1", "007", "1.5", "much", "2147483648", "-2147483649"];
    expect(wrong.filter(isRefused)).toEqual(wrong);
  });

  test("on seccomp become fields, and fields become annotations", () => {
    const fromText = make(pod({}, { annotations: { [ofPod]: "docker/default", [ofContainer]: "localhost/p" } }));
    expect(fromText["spec"]).toMatchObject({
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p" } } }],
    });
    const securityContext = { seccompProfile: { type: "Unconfined" } };
    const fromFields = make(pod({ securityContext, containers: [{ ...container, securityContext }] }));
    expect(fromFields.metadata.annotations).toEqual({ [ofPod]: "unconfined", [ofContainer]: "unconfined" });
  });

  test("on seccomp say what the fields say", () => {
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
