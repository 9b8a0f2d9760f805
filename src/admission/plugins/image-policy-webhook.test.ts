import { createServer, type Server, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate, serverAuth } from "../../base/certificate.suite.ts";
import { writeDer, writeExtension } from "../../base/der-write.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld, type RequestOptions } from "../admission.suite.ts";
import { imageReviewsMax } from "../image-policy/ask-backend.ts";
import { createImagePolicyWebhook } from "./image-policy-webhook.ts";

const root = makeCertificate({ subject: [["2.5.4.3", "root"]], authority: true });
const serving = makeCertificate({
  subject: [["2.5.4.3", "localhost"]],
  issuer: root,
  usages: [serverAuth],
  moreExtensions: [writeExtension("2.5.29.17", writeDer(0x30, writeDer(0x82, Buffer.from("localhost"))))],
});
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { containers: { image: string }[]; annotations?: Record<string, string>; namespace: string };
}
/** What the service answers: a status, a whole answer, or how to fail. */
type Reply = (review: Review, count: number) => { code?: number; body: unknown; headers?: Record<string, string> };

async function serve(reply: Reply) {
  const reviews: Review[] = [];
  const tls: ServerOptions = { key: serving.privateKey.export({ type: "pkcs8", format: "pem" }), cert: serving.pem };
  const server = createServer(tls, (request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      const review = JSON.parse(text) as Review;
      reviews.push(review);
      const { code = 200, body, headers = {} } = reply(review, reviews.length);
      response.writeHead(code, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/review`, reviews };
}

function open(url: string, imagePolicy: object = {}, existing: ApiObject[] = []) {
  const client = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c" } }],
    clusters: [{ name: "c", cluster: { server: url, "certificate-authority": "ca.crt" } }],
  };
  const ImagePolicyWebhook = { imagePolicy: { kubeConfigFile: "client.conf", retryBackoff: 1, ...imagePolicy } };
  const world = createWorld(
    existing.map((object) => ({ resource: "pods", object })),
    "orch",
    {
      configuration: { ImagePolicyWebhook },
      files: { "/etc/client.conf": JSON.stringify(client), "/etc/ca.crt": root.pem },
    },
  );
  const plugin = createImagePolicyWebhook(world.context);
  const check = (object: ApiObject, more: RequestOptions = {}) =>
    world.admit(plugin, "pods", { namespace: "ns", object, ...more }).then(
      () => "allowed",
      (error: Error & { reason?: string }) => `${error.reason}: ${error.message}`,
    );
  return { ...world, check };
}

const pod = (image: string, more: object = {}, annotations?: Record<string, string>): ApiObject => ({
  metadata: { name: "p", namespace: "ns", ...(annotations ? { annotations } : {}) },
  spec: { containers: [{ name: "c", image }], ...more },
});
const allow = { body: { status: { allowed: true } } };

test("the service gets every image, the annotations meant for it, and the namespace (C18 in docs/security-rows.md)", async () => {
  const { url, reviews } = await serve(() => allow);
  const { check } = open(url);
  const more = {
    initContainers: [{ name: "i", image: "init:1" }],
    ephemeralContainers: [{ name: "e", image: "debug:1" }],
  };
  const annotations = { "break-glass.image-policy.orch.io/ticket": "7", "example.com/a": "b" };
  expect(await check(pod("app:1", more, annotations))).toBe("allowed");
  expect(reviews).toEqual([
    {
      apiVersion: "imagepolicy.orch.io/v1alpha1",
      kind: "ImageReview",
      spec: {
        containers: [{ image: "app:1" }, { image: "init:1" }, { image: "debug:1" }],
        annotations: { "break-glass.image-policy.orch.io/ticket": "7" },
        namespace: "ns",
      },
    },
  ]);
});

test("images that are added to a running pod are checked too (C18)", async () => {
  const { url, reviews } = await serve(({ spec }) => ({
    body: { status: { allowed: !spec.containers.some(({ image }) => image === "bad") } },
  }));
  const { check } = open(url, {}, [pod("app:1")]);
  const added = (image: string): ApiObject => ({
    metadata: { name: "p" },
    ephemeralContainers: [{ name: "e", image }],
  });
  const through = { operation: "UPDATE", subresource: "ephemeralcontainers", name: "p" } as const;
  expect(await check(added("debug"), through)).toBe("allowed");
  expect(await check(added("bad"), through)).toMatch(/^Forbidden/);
  expect(reviews[0]?.spec.containers).toEqual([{ image: "app:1" }, { image: "debug" }]);
});

test("a denial has the reason, and the service may annotate the audit record", async () => {
  const { url } = await serve(() => ({
    body: { status: { allowed: false, reason: "not signed", auditAnnotations: { rule: "7", bad: 3 } } },
  }));
  const { check, annotations } = open(url);
  expect(await check(pod("a"))).toMatch(
    /^Forbidden: pods "p" is forbidden: .*images were denied: not signed \(admission plugin ImagePolicyWebhook\)$/,
  );
  expect([...annotations]).toEqual([["imagepolicywebhook.image-policy.orch.io/rule", "7"]]);
});

test("approvals and denials are cached, each for its own time", async () => {
  const { url, reviews } = await serve(({ spec }) => ({
    body: { status: { allowed: spec.containers[0]?.image === "good" } },
  }));
  const { check } = open(url, { denyTTL: -1 });
  for (let times = 0; times < 3; times++) await check(pod("good"));
  expect(reviews).toHaveLength(1);
  for (let times = 0; times < 3; times++) await check(pod("bad"));
  expect(reviews).toHaveLength(4);
  expect(imageReviewsMax).toBe(1024);
});

describe("when the service fails", () => {
  const failures: [why: string, reply: Reply, calls: number][] = [
    ["a temporary error is tried five times", () => ({ code: 500, body: {} }), 5],
    ["a permanent error is not retried", () => ({ code: 404, body: {} }), 1],
    ["a redirect is not followed", () => ({ code: 302, body: "", headers: { location: "/elsewhere" } }), 1],
    ["no JSON", () => ({ body: "nonsense" }), 1],
    ["another kind", () => ({ body: { kind: "Pod", apiVersion: "v1", status: { allowed: true } } }), 1],
    ["no verdict", () => ({ body: { kind: "ImageReview" } }), 1],
    ["an endless answer", () => ({ body: `"${"x".repeat(2 * 1024 * 1024)}"` }), 1],
  ];
  for (const [why, reply, calls] of failures) {
    test(`${why}: defaultAllow decides`, async () => {
      const { url, reviews } = await serve(reply);
      expect(await open(url).check(pod("a"))).toMatch(/^Forbidden: .*the image policy service failed/);
      expect(reviews).toHaveLength(calls);
      const lenient = open(url, { defaultAllow: true });
      expect(await lenient.check(pod("a"))).toBe("allowed");
      expect([...lenient.annotations]).toEqual([["imagepolicywebhook.image-policy.orch.io/failed-open", "true"]]);
    });
  }

  test("a temporary error is retried", async () => {
    const { url } = await serve((_review, count) => (count < 3 ? { code: 500, body: {} } : allow));
    expect(await open(url).check(pod("a"))).toBe("allowed");
  });

  test("a service that cannot be reached, or has the wrong certificate, counts as failed", async () => {
    expect(await open("https://localhost:1/").check(pod("a"))).toMatch(/^Forbidden/);
    const { url } = await serve(() => allow);
    const other = url.replace("localhost", "127.0.0.1");
    expect(await open(other).check(pod("a"))).toMatch(/^Forbidden/);
  });
});

describe("the configuration", () => {
  const rows: [why: string, imagePolicy: object, message: RegExp][] = [
    ["a service must be named", { kubeConfigFile: "" }, /imagePolicy.kubeConfigFile: must name/],
    ["the TTL of approvals has bounds", { allowTTL: 1801 }, /imagePolicy.allowTTL: must be from 1 to 1800/],
    ["the TTL of denials has bounds", { denyTTL: -2 }, /imagePolicy.denyTTL: must be from 1 to 1800/],
    [
      "the delay before a retry has bounds",
      { retryBackoff: 300_001 },
      /imagePolicy.retryBackoff: must be from 1 to 300000/,
    ],
    ["fields must be known", { defaultDeny: true }, /unknown field "imagePolicy.defaultDeny"/],
  ];
  for (const [why, imagePolicy, message] of rows) {
    test(why, () => expect(() => open("https://localhost", imagePolicy)).toThrow(message));
  }
  test("the service must be called with https", () => {
    expect(() => open("http://localhost")).toThrow(/must be reached with https/);
  });
  test("without configuration the plugin does not start", () => {
    expect(() => createImagePolicyWebhook(createWorld([]).context)).toThrow(
      /ImagePolicyWebhook requires a configuration/,
    );
  });
});
