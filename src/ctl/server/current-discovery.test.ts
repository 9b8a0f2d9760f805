/** The discovery that ctl keeps in files: whose it is, and what happens when the server contradicts it. */

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let orch: Session;
let kubernetes: Session;
let later: Session;
let listener: Server;
let current: Session;
let requests: string[];

/** Answers as the session that is current does: another server at the same address. */
const answer: RequestListener = async (request, response) => {
  requests.push(`${request.method} ${request.url}`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives buffers
  const body = Buffer.concat(chunks).toString();
  const { "content-type": contentType = "", accept = "" } = request.headers;
  const headers = { accept, ...(contentType === "" ? {} : { "content-type": contentType }) };
  const init = { method: request.method ?? "GET", headers, ...(body === "" ? {} : { body }) };
  const result = await current.server.fetch(request.url ?? "/", init);
  response.writeHead(result.status, { "content-type": result.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await result.arrayBuffer()));
};

beforeAll(async () => {
  orch = await openSession("ctl", { vocabulary: "orch", emulatedVersion: "1.21" });
  kubernetes = await openSession("ctl", { vocabulary: "kubernetes" });
  later = await openSession("ctl", { vocabulary: "orch", emulatedVersion: "1.35" });
});
afterAll(async () => {
  for (const session of [orch, kubernetes, later]) await session[Symbol.asyncDispose]();
});

beforeEach(async () => {
  requests = [];
  listener = createServer(answer);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  listener.closeAllConnections();
  await new Promise((resolve) => listener.close(resolve));
});

const configured = (line: string, options: { readonly input?: string; readonly cache: string }) =>
  orch.run(
    `${line} --server=http://127.0.0.1:${(listener.address() as AddressInfo).port} --cache-dir=${orch.folder}/${options.cache}`,
    { ...options, isConfigured: true },
  );

test("a path that the server does not know has discovery read again, and the command repeated", async () => {
  current = orch;
  expect(await configured("get networkpolicies", { cache: "path" })).toMatchObject({ code: 0 });
  current = kubernetes;
  requests = [];
  expect(await configured("get networkpolicies", { cache: "path" })).toEqual({
    code: 0,
    out: "",
    err: "No resources found in default namespace.\n",
  });
  expect(requests.find((line) => line.includes("networkpolicies"))).toContain("/apis/networking.orch.io/");
  expect(requests.at(-1)).toContain("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies");
  requests = [];
  await configured("get networkpolicies", { cache: "path" });
  expect(requests).toHaveLength(1);
});

test("the table of a server that speaks other names than the one before it is whole", async () => {
  current = orch;
  await configured("get pods", { cache: "table" });
  current = kubernetes;
  await kubernetes.ok("create configmap prices --from-literal=a=1");
  const { out } = await configured("get configmaps", { cache: "table" });
  expect(out).toMatch(/^NAME +DATA +AGE\nprices +1 /m);
});

test("what came with standard input is not lost when a command is repeated", async () => {
  current = later;
  const input = JSON.stringify({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web" },
    spec: { selector: {} },
  });
  const beta = input.replace("policy/v1", "autoscaling/v2").replace("PodDisruptionBudget", "HorizontalPodAutoscaler");
  expect(await configured("get hpa", { cache: "stdin" })).toMatchObject({ code: 0 });
  current = orch;
  expect((await configured("create -f -", { cache: "stdin", input: beta })).err).toMatch(
    /no matches for kind "HorizontalPodAutoscaler" in version "autoscaling\/v2"/,
  );
  expect(await configured("create -f -", { cache: "stdin", input })).toMatchObject({ code: 0 });
});

test("an object that does not exist is no reason to read discovery again", async () => {
  current = orch;
  await configured("get pods", { cache: "object" });
  requests = [];
  expect((await configured("get configmap nope --quiet", { cache: "object" })).code).toBe(1);
  expect(requests.filter((line) => !line.includes("configmaps"))).toEqual([]);
});

test("a server with another authority at the same address is another server", async () => {
  const authority = (name: string) =>
    `--certificate-authority=${orch.file(name, `-----BEGIN CERTIFICATE-----\n${name}\n`)}`;
  current = orch;
  await configured(`get pods ${authority("one.pem")}`, { cache: "authority" });
  current = kubernetes;
  requests = [];
  const { out } = await configured(`api-versions ${authority("two.pem")}`, { cache: "authority" });
  expect(out).toContain("networking.k8s.io/v1\n");
  requests = [];
  await configured(`get pods ${authority("two.pem")}`, { cache: "authority" });
  await configured(`get pods ${authority("one.pem")}`, { cache: "authority" });
  expect(requests.every((line) => line.includes("/pods"))).toBe(true);
});
