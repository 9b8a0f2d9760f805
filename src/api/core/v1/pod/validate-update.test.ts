import { describe, expect, test } from "vitest";
import { container, pod, problemsOfUpdate, short } from "../pod.suite.ts";

describe("an update of a pod", () => {
  const noExecute = { key: "a", operator: "Exists", effect: "NoExecute" };
  const old = {
    activeDeadlineSeconds: 10,
    tolerations: [
      { ...noExecute, tolerationSeconds: 1 },
      { key: "b", operator: "Exists" },
    ],
  };
  const cases = [
    {
      why: "may change images",
      spec: { ...old, containers: [{ ...container, image: "j", imagePullPolicy: "Always" }] },
      expected: [],
    },
    {
      why: "must not remove an image",
      spec: { ...old, containers: [{ name: "c", imagePullPolicy: "Always" }] },
      expected: ["Required spec.containers[0].image"],
    },
    {
      why: "must not change its number of containers",
      spec: { ...old, containers: [container, { ...container, name: "d" }] },
      expected: ["Forbidden spec.containers"],
    },
    {
      why: "must not change its number of init containers",
      spec: { ...old, initContainers: [{ ...container, name: "d" }] },
      expected: ["Forbidden spec.initContainers"],
    },
    { why: "may lower the deadline", spec: { ...old, activeDeadlineSeconds: 5 }, expected: [] },
    {
      why: "must not raise its deadline",
      spec: { ...old, activeDeadlineSeconds: 11 },
      expected: ["Invalid spec.activeDeadlineSeconds"],
    },
    {
      why: "must not remove its deadline",
      spec: { tolerations: old.tolerations },
      expected: ["Invalid spec.activeDeadlineSeconds"],
    },
    {
      why: "may add tolerations",
      spec: { ...old, tolerations: [...old.tolerations, { key: "c", operator: "Exists" }] },
      expected: [],
    },
    {
      why: "may tolerate for longer",
      spec: { ...old, tolerations: [{ ...noExecute, tolerationSeconds: 9 }, old.tolerations[1]] },
      expected: [],
    },
    {
      why: "must not remove tolerations",
      spec: { ...old, tolerations: [old.tolerations[0]] },
      expected: ["Forbidden spec.tolerations"],
    },
    {
      why: "lists every field that must not change",
      spec: { tolerations: [old.tolerations[0]], nodeName: "n" },
      expected: ["Forbidden spec", "Forbidden spec.tolerations", "Invalid spec.activeDeadlineSeconds"],
    },
    {
      why: "reports a wrong deadline first",
      spec: { ...old, activeDeadlineSeconds: 11, nodeName: "n" },
      expected: ["Invalid spec.activeDeadlineSeconds"],
    },
    {
      why: "may limit the time of a toleration",
      spec: { ...old, tolerations: [{ ...noExecute }, { key: "b", operator: "Exists" }] },
      expected: [],
    },
    { why: "must not change other fields", spec: { ...old, nodeName: "n" }, expected: ["Forbidden spec"] },
    {
      why: "must not change other fields of containers",
      spec: { ...old, containers: [{ ...container, command: ["x"] }] },
      expected: ["Forbidden spec"],
    },
    {
      why: "is validated like a new pod as well",
      spec: { ...old, hostname: "a.b" },
      expected: ["Forbidden spec", "Invalid spec.hostname"],
    },
  ];
  for (const { why, spec, expected } of cases)
    test(why, () => expect(short(problemsOfUpdate(pod(spec), pod(old)))).toEqual(expected));

  test("must not add or remove the mirror annotation", () => {
    const mirror = pod({ nodeName: "n" }, { annotations: { "orch.io/config.mirror": "x" } });
    const plain = pod({ nodeName: "n" });
    const expected = ["Forbidden metadata.annotations[orch.io/config.mirror]"];
    expect([problemsOfUpdate(mirror, plain), problemsOfUpdate(plain, mirror)].map(short)).toEqual([expected, expected]);
  });

  test("may write quantities in another notation", () => {
    const asking = (memory: string) => pod({ containers: [{ ...container, resources: { limits: { memory } } }] });
    expect(problemsOfUpdate(asking("1024"), asking("1Ki"))).toEqual([]);
    expect(short(problemsOfUpdate(asking("1025"), asking("1Ki")))).toEqual(["Forbidden spec"]);
  });

  test("must not change its profiles", () => {
    const key = "container.apparmor.security.beta.orch.io/c";
    const under = (profile: string) => pod({}, { annotations: { [key]: profile } });
    const expected = [`Forbidden metadata.annotations[${key}]`];
    expect(short(problemsOfUpdate(under("unconfined"), under("runtime/default")))).toEqual(expected);
    expect(short(problemsOfUpdate(pod(), under("runtime/default")))).toEqual(expected);
    expect(short(problemsOfUpdate(under("runtime/default"), pod()))).toEqual(expected);
    expect(problemsOfUpdate(under("unconfined"), under("unconfined"))).toEqual([]);
  });
});
