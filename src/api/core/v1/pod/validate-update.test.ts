import { describe, expect, test } from "vitest";
import { container, pod, problemsOfUpdate, short } from "../pod.suite.ts";

describe("a pod that changes", () => {
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
      why: "may get other images",
      spec: { ...old, containers: [{ ...container, image: "j", imagePullPolicy: "Always" }] },
      expected: [],
    },
    {
      why: "keeps some image",
      spec: { ...old, containers: [{ name: "c", imagePullPolicy: "Always" }] },
      expected: ["Required spec.containers[0].image"],
    },
    {
      why: "keeps its containers",
      spec: { ...old, containers: [container, { ...container, name: "d" }] },
      expected: ["Forbidden spec.containers"],
    },
    {
      why: "keeps those that came first",
      spec: { ...old, initContainers: [{ ...container, name: "d" }] },
      expected: ["Forbidden spec.initContainers"],
    },
    { why: "may end sooner", spec: { ...old, activeDeadlineSeconds: 5 }, expected: [] },
    {
      why: "does not end later",
      spec: { ...old, activeDeadlineSeconds: 11 },
      expected: ["Invalid spec.activeDeadlineSeconds"],
    },
    { why: "ends", spec: { tolerations: old.tolerations }, expected: ["Invalid spec.activeDeadlineSeconds"] },
    {
      why: "may tolerate more",
      spec: { ...old, tolerations: [...old.tolerations, { key: "c", operator: "Exists" }] },
      expected: [],
    },
    {
      why: "may tolerate for longer",
      spec: { ...old, tolerations: [{ ...noExecute, tolerationSeconds: 9 }, old.tolerations[1]] },
      expected: [],
    },
    {
      why: "tolerates no less",
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
      why: "may tolerate for some time what it tolerated for ever",
      spec: { ...old, tolerations: [{ ...noExecute }, { key: "b", operator: "Exists" }] },
      expected: [],
    },
    { why: "keeps the rest", spec: { ...old, nodeName: "n" }, expected: ["Forbidden spec"] },
    {
      why: "keeps what its containers do",
      spec: { ...old, containers: [{ ...container, command: ["x"] }] },
      expected: ["Forbidden spec"],
    },
    { why: "stays sound", spec: { ...old, hostname: "a.b" }, expected: ["Forbidden spec", "Invalid spec.hostname"] },
  ];
  for (const { why, spec, expected } of cases)
    test(why, () => expect(short(problemsOfUpdate(pod(spec), pod(old)))).toEqual(expected));

  test("does not become a mirror, nor cease to be one", () => {
    const mirror = pod({ nodeName: "n" }, { annotations: { "orch.io/config.mirror": "x" } });
    const plain = pod({ nodeName: "n" });
    const expected = ["Forbidden metadata.annotations[orch.io/config.mirror]"];
    expect([problemsOfUpdate(mirror, plain), problemsOfUpdate(plain, mirror)].map(short)).toEqual([expected, expected]);
  });

  test("may say what it asks for in other words", () => {
    const asking = (memory: string) => pod({ containers: [{ ...container, resources: { limits: { memory } } }] });
    expect(problemsOfUpdate(asking("1024"), asking("1Ki"))).toEqual([]);
    expect(short(problemsOfUpdate(asking("1025"), asking("1Ki")))).toEqual(["Forbidden spec"]);
  });

  test("keeps the profiles under which it runs", () => {
    const key = "container.apparmor.security.beta.orch.io/c";
    const under = (profile: string) => pod({}, { annotations: { [key]: profile } });
    const expected = [`Forbidden metadata.annotations[${key}]`];
    expect(short(problemsOfUpdate(under("unconfined"), under("runtime/default")))).toEqual(expected);
    expect(short(problemsOfUpdate(pod(), under("runtime/default")))).toEqual(expected);
    expect(short(problemsOfUpdate(under("runtime/default"), pod()))).toEqual(expected);
    expect(problemsOfUpdate(under("unconfined"), under("unconfined"))).toEqual([]);
  });
});
