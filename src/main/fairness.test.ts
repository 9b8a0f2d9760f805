/** Priority and fairness of a whole server, over TLS, with requests that an admission plugin holds open. */

import type { ClientRequest, IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createServer, kinds, type OrchServer, on, plugin } from "./library.ts";

const flowControl = "/apis/flowcontrol.apiserver.orch.io/v1beta1";
const maps = "/api/v1/namespaces/default/configmaps";
const dump = "/debug/api_priority_and_fairness";
const json = { "content-type": "application/json" };
/** One share of 206 of 600. */
const seats = 3;
const queueLengthLimit = 4;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

let server: OrchServer;
let authority: string;
/** Names of config maps whose creates the plugin holds open, with the function that releases each. */
let held: Map<string, () => void>;
let isSlow: boolean;

beforeEach(async () => {
  held = new Map();
  isSlow = true;
  const slow = plugin("Slow", [
    on(kinds.ConfigMap, "CREATE", {
      validate: ({ name, user }) =>
        isSlow && user.name !== "admin" ? new Promise<void>((resolve) => held.set(name, resolve)) : undefined,
    }),
  ]);
  const tokens = { flood: { name: "flood" }, honest: { name: "honest" } };
  server = await createServer({ admission: [slow], tokens, controllers: false });
  authority = (await server.clientConfig()).authority;
  await write("POST", `${flowControl}/prioritylevelconfigurations`, level({ queues: 64 }));
  await write("POST", `${flowControl}/flowschemas`, {
    metadata: { name: "tenants" },
    spec: {
      priorityLevelConfiguration: { name: "tenants" },
      matchingPrecedence: 500,
      distinguisherMethod: { type: "ByUser" },
      rules: [
        {
          subjects: ["flood", "honest"].map((name) => ({ kind: "User", user: { name } })),
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
        },
      ],
    },
  });
});

afterEach(async () => {
  isSlow = false;
  for (const release of held.values()) release();
  await server.close();
});

const level = ({ queues }: { queues: number }) => ({
  metadata: { name: "tenants" },
  spec: {
    type: "Limited",
    limited: {
      assuredConcurrencyShares: 1,
      limitResponse:
        queues === 0 ? { type: "Reject" } : { type: "Queue", queuing: { queues, handSize: 1, queueLengthLimit } },
    },
  },
});

async function write(method: string, path: string, body: object): Promise<void> {
  const response = await server.fetch(path, { method, headers: json, body: JSON.stringify(body) });
  expect([200, 201]).toContain(response.status);
}

/** Sends a request on its own connection. */
function send(
  token: string,
  method: string,
  path: string,
  body?: object,
): { sent: ClientRequest; answer: Promise<Answer> } {
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : json) };
  const sent = request(`${server.url}${path}`, { method, headers, ca: authority, agent: false });
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
  });
  answer.catch(() => undefined);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return { sent, answer };
}

const create = (token: string, name: string) => send(token, "POST", maps, { metadata: { name } });
const uidOf = async (path: string) => {
  const { metadata } = (await (await server.fetch(`${flowControl}/${path}`)).json()) as { metadata: { uid: string } };
  return metadata.uid;
};
const show = async (path: string) => (await server.fetch(path)).text();
/** Waiting and executing requests of the level. */
const numbers = async () =>
  /^tenants, +\d+, +\w+, +\w+, +(\d+), +(\d+),$/m
    .exec(await show(`${dump}/dump_priority_levels`))
    ?.slice(1)
    .map(Number);
const release = (name: string) => {
  held.get(name)?.();
  held.delete(name);
};

/** All seats are taken and one queue is full. */
async function fill(): Promise<Promise<Answer>[]> {
  const names = Array.from({ length: seats + queueLengthLimit }, (_, at) => `flood-${at}`);
  const answers = names.map((name) => create("flood", name).answer);
  await expect.poll(numbers).toEqual([queueLengthLimit, seats]);
  return answers;
}

describe("a tenant that floods", () => {
  test("is refused beyond its queue, with the message of v1.21, and served as seats become free", async () => {
    const waiting = await fill();
    const { status, headers, text } = await create("flood", "too-much").answer;
    expect([status, headers["retry-after"], headers["content-type"], text]).toEqual([
      429,
      "1",
      "text/plain; charset=utf-8",
      "Too many requests, please try again later.\n",
    ]);
    expect(headers["x-orch-pf-flowschema-uid"]).toBe(await uidOf("flowschemas/tenants"));
    expect(headers["x-orch-pf-prioritylevel-uid"]).toBe(await uidOf("prioritylevelconfigurations/tenants"));
    isSlow = false;
    for (const name of [...held.keys()]) release(name);
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    expect(await numbers()).toEqual([0, 0]);
  });

  test("does not delay another tenant, which gets the next seat before earlier requests of the flood", async () => {
    await fill();
    const honest = create("honest", "honest").answer;
    await expect.poll(numbers).toEqual([queueLengthLimit + 1, seats]);
    expect(await show(`${dump}/dump_requests?includeRequestDetails=1`)).toMatch(
      new RegExp(`^tenants, +tenants, .*honest, +create, +${maps}, +default, `, "m"),
    );
    const before = [...held.keys()];
    release(before[0] ?? "");
    await expect.poll(() => held.has("honest")).toBe(true);
    release("honest");
    expect((await honest).status).toBe(201);
  });

  test("does not limit other levels, exempt users and watches", async () => {
    await fill();
    await write("POST", maps, { metadata: { name: "by-admin" } });
    expect((await send("honest", "GET", "/version").answer).status).toBe(200);
    const watch = send("flood", "GET", `${maps}?watch=true&timeoutSeconds=1`);
    const { status, headers } = await watch.answer;
    expect([status, headers["x-orch-pf-flowschema-uid"]]).toEqual([200, undefined]);
  });

  test("and does not read its answers delays only its own requests", async () => {
    const data = { text: "x".repeat(500_000) };
    for (let at = 0; at < 40; at++) await write("POST", maps, { metadata: { name: `large-${at}` }, data });
    const unread = Array.from({ length: seats + 1 }, () => {
      const headers = { authorization: "Bearer flood" };
      const sent = request(`${server.url}${maps}`, { headers, ca: authority, agent: false }, (answer) =>
        answer.pause(),
      );
      sent.on("error", () => undefined);
      return sent.end();
    });
    await expect.poll(numbers).toEqual([1, seats]);
    expect((await send("honest", "GET", `${maps}/none`).answer).status).toBe(404);
    expect(await numbers()).toEqual([1, seats]);
    for (const sent of unread) sent.destroy();
    await expect.poll(numbers).toEqual([0, 0]);
  });

  test("and disconnects leaves its queue", async () => {
    await fill();
    const honest = create("honest", "gone");
    await expect.poll(numbers).toEqual([queueLengthLimit + 1, seats]);
    honest.sent.destroy();
    await expect.poll(numbers).toEqual([queueLengthLimit, seats]);
    expect(await show("/metrics")).toContain(
      'apiserver_flowcontrol_rejected_requests_total{flow_schema="tenants",priority_level="tenants",reason="cancelled"} 1\n',
    );
  });

  test("is classified by the impersonated user", async () => {
    const headers = { "impersonate-user": "flood" };
    const answer = await server.fetch(`${maps}/x`, { headers });
    expect(answer.headers.get("x-orch-pf-flowschema-uid")).toBe(await uidOf("flowschemas/tenants"));
  });
});

test("a change of a priority level applies while requests wait", async () => {
  await fill();
  await write("PUT", `${flowControl}/prioritylevelconfigurations/tenants`, level({ queues: 0 }));
  expect((await create("honest", "honest").answer).status).toBe(429);
  const { status, headers } = await server.fetch(`${flowControl}/flowschemas/tenants`, { method: "DELETE" });
  expect([status, headers.get("x-orch-pf-flowschema-uid")]).toEqual([200, await uidOf("flowschemas/exempt")]);
  expect((await send("honest", "GET", `${maps}/none`).answer).headers["x-orch-pf-flowschema-uid"]).toBe(
    await uidOf("flowschemas/global-default"),
  );
});

test("mandatory objects that were deleted keep their effect", async () => {
  for (const path of ["flowschemas/exempt", "flowschemas/catch-all", "prioritylevelconfigurations/catch-all"]) {
    expect((await server.fetch(`${flowControl}/${path}`, { method: "DELETE" })).status).toBe(200);
  }
  await fill();
  await write("POST", maps, { metadata: { name: "by-admin" } });
});

describe("without priority and fairness", () => {
  test("requests have no flow, and there is nothing to dump", async () => {
    await using plain = await createServer({ featureGates: { APIPriorityAndFairness: false }, controllers: false });
    const answer = await plain.fetch(maps);
    expect([answer.status, answer.headers.get("x-orch-pf-flowschema-uid")]).toEqual([200, null]);
    expect((await plain.fetch(`${dump}/dump_queues`)).status).toBe(404);
    expect((await plain.fetch("/readyz/poststarthook/max-in-flight-filter")).status).toBe(200);
    expect((await plain.fetch("/readyz/poststarthook/priority-and-fairness-filter")).status).toBe(404);
    expect(await (await plain.fetch("/metrics")).text()).not.toContain("apiserver_flowcontrol_");
  });
});

test("the headers have the names of the vocabulary", async () => {
  await using spoken = await createServer({ vocabulary: "kubernetes", controllers: false });
  const { headers } = await spoken.fetch(maps);
  expect(headers.get("x-kubernetes-pf-flowschema-uid")).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get("x-kubernetes-pf-prioritylevel-uid")).toMatch(/^[0-9a-f-]{36}$/);
});
