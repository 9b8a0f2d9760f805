/** Containers that are added to a running pod, behind their gate. */

import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const path = "/api/v1/namespaces/default/pods/p/ephemeralcontainers";

async function open(gate: boolean) {
  const server = await createServer({ featureGates: { EphemeralContainers: gate } });
  const send = async (method: string, url: string, body: unknown, type = "application/json") => {
    const answer = await server.fetch(url, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  await send("POST", "/api/v1/namespaces/default/pods", pod);
  return { server, send };
}

test("without the gate the path does not exist", async () => {
  const { server } = await open(false);
  expect((await server.fetch(path)).status).toBe(404);
  await server.close();
});

test("with the gate containers can be added, but not changed", async () => {
  const { server, send } = await open(true);
  const patch = "application/strategic-merge-patch+json";
  const debug = { name: "debug", image: "busybox:1", targetContainerName: "c" };
  expect(await (await server.fetch(path)).json()).toMatchObject({
    kind: "EphemeralContainers",
    ephemeralContainers: [],
  });
  const added = await send("PATCH", path, { ephemeralContainers: [debug] }, patch);
  expect(added).toMatchObject({
    status: 200,
    body: { ephemeralContainers: [{ ...debug, imagePullPolicy: "IfNotPresent", terminationMessagePolicy: "File" }] },
  });
  const pod = await (await server.fetch("/api/v1/namespaces/default/pods/p")).json();
  expect(pod).toMatchObject({ spec: { ephemeralContainers: [debug] } });

  const causes = async (containers: object[]) => {
    const { body } = await send("PATCH", path, { ephemeralContainers: containers }, patch);
    const { details } = body as { details?: { causes: { reason: string; field: string }[] } };
    return details?.causes.map(({ reason, field }) => `${reason} ${field}`).sort();
  };
  expect(await causes([{ name: "debug", image: "other" }])).toEqual(["FieldValueForbidden spec.ephemeralContainers"]);
  expect(
    await causes([{ name: "c", image: "i", ports: [{ containerPort: 1 }], targetContainerName: "nobody" }]),
  ).toHaveLength(3);
  // What is empty is given too, but for resources.
  expect(await causes([debug, { name: "e", image: "i", lifecycle: {}, resources: {} }])).toEqual([
    "FieldValueForbidden spec.ephemeralContainers[1].lifecycle",
  ]);
  await server.close();
});
