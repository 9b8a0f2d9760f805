import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl", {
    vocabulary: "kubernetes",
    emulatedVersion: "1.36",
    controllers: ["*"],
    nodes: 1,
  });
});
afterAll(() => session[Symbol.asyncDispose]());

const asKubectl = { program: "kubectl" };

test("manifests of a dry run have no times that nothing set", async () => {
  const line = "create job once --image=any --dry-run=client -o yaml";
  expect(await session.ok(line)).toBe(`apiVersion: batch/v1
kind: Job
metadata:
  name: once
spec:
  template:
    metadata: {}
    spec:
      containers:
      - image: any
        name: once
        resources: {}
      restartPolicy: Never
status: {}
`);
  expect(await session.ok(line, asKubectl)).toContain("creationTimestamp: null");
});

test("a list has no member that no server sets", async () => {
  expect(await session.ok("get configmaps -o jsonpath={.metadata}")).toBe('{"resourceVersion":""}');
  expect(await session.ok("get configmaps -o jsonpath={.metadata}", asKubectl)).toContain("selfLink");
});

test("wide types have their verbs between commas, and their categories", async () => {
  expect(await session.ok("api-resources --api-group=batch -o wide")).toMatch(
    /CATEGORIES *\n[\s\S]*jobs +batch\/v1 +true +Job +create,delete,deletecollection,get,list,patch,update,watch +all *\n/,
  );
});

test("labels and annotations say that nothing was written", async () => {
  await session.ok("create configmap settings");
  for (const [verb, done] of [
    ["label", "labeled"],
    ["annotate", "annotated"],
  ])
    for (const [flag, suffix] of [
      ["client", "(dry run)"],
      ["server", "(server dry run)"],
    ])
      expect(await session.ok(`${verb} configmap settings a=b --dry-run=${flag}`)).toBe(
        `configmap/settings ${done} ${suffix}\n`,
      );
});

test("a service is described without a warning about Endpoints, which are deprecated", async () => {
  await session.ok("run web --image=any --port=8080 --expose");
  await session.ok("wait --for=condition=Ready pod/web --timeout=30s");
  const address = await session.ok("get pod web -o jsonpath={.status.podIP}");
  const endpoints = async () => {
    const { out, err } = await session.run("describe service web");
    return {
      endpoints: /Endpoints: +(\S+)/.exec(out)?.[1],
      policy: /Internal Traffic Policy: +(\S+)/.exec(out)?.[1],
      err,
    };
  };
  await expect.poll(endpoints).toEqual({ endpoints: `${address}:8080`, policy: "Cluster", err: "" });
});
