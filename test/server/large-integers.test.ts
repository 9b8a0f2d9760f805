/** Integers of 64 bits that a number of JavaScript does not hold, in what controllers read and write. */

import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const apps = "/apis/apps/v1/namespaces/default";
const batch = "/apis/batch/v1/namespaces/default";
const spec = (image: string) => ({
  selector: { matchLabels: { app: "a" } },
  template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image }] } },
});

for (const emulatedVersion of ["1.21", "1.35"] as const) {
  test(`controllers go on after revisions and deadlines of 64 bits at level ${emulatedVersion}`, async () => {
    const controllers = ["deployment", "daemonset", "job"] as const;
    await using server = await createServer({ emulatedVersion, controllers });
    const send = async (method: string, path: string, body: object | string) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return (await server.fetch(path, { method, headers: { "content-type": type }, body: text })).status;
    };
    const read = async (path: string) => (await server.fetch(path)).text();
    const names = async (path: string) => {
      const { items } = JSON.parse(await read(path)) as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata }) => metadata.name);
    };
    for (const resource of ["deployments", "daemonsets"])
      await send("POST", `${apps}/${resource}`, { metadata: { name: "x" }, spec: spec("one") });
    for (const list of ["replicasets", "controllerrevisions"])
      await expect.poll(async () => (await names(`${apps}/${list}`)).length).toBe(1);
    const [set] = await names(`${apps}/replicasets`);
    const annotations = { "deployment.orch.io/revision": "3546343826724305832" };
    expect(await send("PATCH", `${apps}/replicasets/${set}`, { metadata: { annotations } })).toBe(200);
    const [revision] = await names(`${apps}/controllerrevisions`);
    const large = '{"revision":9007199254740993}';
    expect(await send("PATCH", `${apps}/controllerrevisions/${revision}`, large)).toBe(200);
    for (const resource of ["deployments", "daemonsets"])
      await send("PATCH", `${apps}/${resource}/x`, { spec: spec("two") });
    await expect.poll(() => read(`${apps}/replicasets`)).toContain('revision":"3546343826724305833"');
    await expect.poll(() => read(`${apps}/controllerrevisions`)).toContain('"revision":9007199254740994');
    const job = {
      metadata: { name: "j" },
      spec: { template: { spec: { ...spec("i").template.spec, restartPolicy: "Never" } } },
    };
    const patient = JSON.stringify(job).replace('"spec":{', '"spec":{"activeDeadlineSeconds":9223372036854775807,');
    expect(await send("POST", `${batch}/jobs`, patient)).toBe(201);
    await expect.poll(() => read(`${batch}/jobs/j`)).toContain('"active":1');
  });
}
