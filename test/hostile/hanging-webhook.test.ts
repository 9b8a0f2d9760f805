/** Many writes that wait for a webhook which never answers must not keep others waiting, while they wait and when they time out. */

import { Agent, request } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminToken, useTarget } from "./target.ts";

const target = useTarget();
const writes = 300;
/** The arrival of all writes, their calls and their failures are spread over turns of 30 to 45 ms on a busy machine. Together they take 400. */
const turnMsMax = 100;
const configMaps = "/api/v1/namespaces/default/configmaps";

const sockets = new Set<Socket>();
let silent: Server;
beforeAll(async () => {
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test(`${writes} writes to a webhook that hangs do not block other requests`, async () => {
  const { port } = silent.address() as AddressInfo; // it listens on a port
  const configuration = {
    metadata: { name: "hangs" },
    webhooks: [
      {
        name: "hangs.example.com",
        clientConfig: { url: `https://127.0.0.1:${port}/` },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Ignore",
        timeoutSeconds: 2,
      },
    ],
  };
  const path = "/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations";
  expect((await target.post(path, configuration)).status).toBe(201);
  const agent = new Agent({ keepAlive: true, maxSockets: writes, rejectUnauthorized: false });
  const each = (method: string) =>
    Promise.all(Array.from({ length: writes }, (_, at) => send(agent, method, `c${at}`)));
  // Handshakes are not what this is about: the connections are there before.
  await each("GET");
  const { result, longestTurnMs } = await target.cost(() => each("POST"));
  agent.destroy();
  expect(sockets.size).toBeGreaterThan(0);
  expect(result.filter((status) => status !== 201 && status !== 429)).toEqual([]);
  expect(result).toContain(201);
  expect(longestTurnMs).toBeLessThan(turnMsMax);
});

function send(agent: Agent, method: string, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
    const options = { host: "127.0.0.1", port: target.port, path: configMaps, method, headers, agent };
    const call = request(options, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode ?? 0));
    });
    call.once("error", reject);
    call.end(method === "POST" ? JSON.stringify({ metadata: { name } }) : undefined);
  });
}
