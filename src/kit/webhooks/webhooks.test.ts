import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createServer } from "../../main/library.ts";
import { issueAuthority, issueServing } from "../../main/pki/issue.ts";
import {
  ConfigMap,
  connect,
  createWebhook,
  isForbidden,
  isInvalid,
  MutatingWebhookConfiguration,
  reviewBytesMax,
  type ServedWebhook,
  StatusError,
  serveWebhook,
  ValidatingWebhookConfiguration,
} from "../orch-client.ts";
import { jsonDifference } from "./json-difference.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-webhook-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
const authority = issueAuthority("webhook-authority", systemClock);
function writePair(commonName: string): void {
  const pair = issueServing(authority, { commonName, hosts: ["127.0.0.1"] }, systemClock);
  writeFileSync(certFile, pair.certificate);
  writeFileSync(keyFile, pair.key);
}
writePair("first");

const review = (object: object, more: object = {}) => ({
  apiVersion: "admission.orch.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u1", operation: "CREATE", object, userInfo: { username: "ada" }, ...more },
});

test("a server asks a webhook, which changes and refuses what it is shown", async () => {
  await using server = await createServer({ controllers: false });
  const client = await connect({ server });
  const served = await serveWebhook<ConfigMap>({
    certFile,
    keyFile,
    host: "127.0.0.1",
    mutate({ object, user, warn }) {
      object.metadata.labels = { ...object.metadata.labels, "example.com/by": user.name };
      warn("labels were added");
    },
    validate({ operation, object }) {
      if (operation !== "CREATE" && operation !== "UPDATE") return;
      if (object.data?.["size"] === "0") throw new StatusError("Invalid", "data.size: must not be 0");
      if (object.data?.["secret"] !== undefined) throw new Error("secrets belong into a Secret");
    },
  });
  const hook = (path: string) => ({
    name: `${path}.example.com`,
    clientConfig: {
      url: `https://127.0.0.1:${served.port}/${path}`,
      caBundle: Buffer.from(authority.certificate).toString("base64"),
    },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  });
  await client.of(MutatingWebhookConfiguration).create({ metadata: { name: "m" }, webhooks: [hook("mutate")] });
  await client.of(ValidatingWebhookConfiguration).create({ metadata: { name: "v" }, webhooks: [hook("validate")] });
  const maps = client.of(ConfigMap);
  const made = await maps.create({ metadata: { name: "one" }, data: { size: "1" } });
  expect(made.metadata.labels).toEqual({ "example.com/by": "admin" });
  const create = (data: Record<string, string>) =>
    maps.create({ metadata: { name: "two" }, data }).catch((error: unknown) => error);
  const invalid = await create({ size: "0" });
  expect(isInvalid(invalid) && invalid.message).toContain("data.size: must not be 0");
  const forbidden = await create({ secret: "x" });
  expect(isForbidden(forbidden) && forbidden.message).toContain("secrets belong into a Secret");
  await served.close();
});

test("a webhook works without a port", async () => {
  const webhook = createWebhook({
    mutate({ object, warn }) {
      object["spec"] = { size: 2 };
      warn("careful");
    },
    convert: (object, apiVersion) => {
      if (object["bad"] === true) throw new Error("cannot be converted");
      return { ...object, converted: apiVersion };
    },
  });
  const { response } = await webhook.answer("/mutate", review({ metadata: { name: "n" } }));
  expect(response).toMatchObject({ uid: "u1", allowed: true, patchType: "JSONPatch", warnings: ["careful"] });
  const conversion = (objects: object[]) =>
    webhook.answer("/convert", {
      kind: "ConversionReview",
      apiVersion: "v1",
      request: { uid: "u2", desiredAPIVersion: "a/v2", objects },
    });
  expect((await conversion([{ metadata: {}, apiVersion: "a/v1" }]))["response"]).toEqual({
    uid: "u2",
    convertedObjects: [{ metadata: {}, apiVersion: "a/v2", converted: "a/v2" }],
    result: { status: "Success" },
  });
  expect((await conversion([{ metadata: {}, bad: true }]))["response"]).toMatchObject({
    result: { status: "Failure", message: "cannot be converted" },
  });
  await expect(webhook.answer("/validate", review({}))).rejects.toMatchObject({ code: 404 });
  await expect(webhook.answer("/mutate", { kind: "Pod" })).rejects.toMatchObject({ code: 400 });
});

test("a difference becomes operations, and none where nothing changed", () => {
  const before = { a: 1, list: [1, 2], "x/y~z": { deep: "old" }, gone: true };
  expect(jsonDifference(before, structuredClone(before))).toEqual([]);
  expect(jsonDifference(before, { a: 1, list: [2], "x/y~z": { deep: "new", more: null }, gone: undefined })).toEqual([
    { op: "replace", path: "/list", value: [2] },
    { op: "replace", path: "/x~1y~0z/deep", value: "new" },
    { op: "add", path: "/x~1y~0z/more", value: null },
    { op: "remove", path: "/gone" },
  ]);
});

const post = (served: ServedWebhook, body: string | Buffer, method = "POST") =>
  new Promise<number>((resolve, reject) => {
    const call = request({
      host: "127.0.0.1",
      port: served.port,
      path: "/validate",
      method,
      ca: authority.certificate,
      agent: false,
    });
    call.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on("error", reject);
    call.end(body);
  });

const presented = (served: ServedWebhook) =>
  new Promise<unknown>((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port: served.port, ca: authority.certificate }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.on("error", reject);
  });

test("bad requests are refused, and a new certificate is used without a restart", async () => {
  const served = await serveWebhook({ certFile, keyFile, host: "127.0.0.1", validate() {} });
  expect(await post(served, "{")).toBe(400);
  expect(await post(served, "{}")).toBe(400);
  expect(await post(served, "", "PUT")).toBe(405);
  expect(await post(served, Buffer.alloc(reviewBytesMax + 1, 32))).toBe(413);
  expect(await presented(served)).toBe("first");
  writePair("second");
  served.reloadCertificate();
  expect(await presented(served)).toBe("second");
  copyFileSync(certFile, keyFile); // does not fit: the former pair stays
  served.reloadCertificate();
  expect(await presented(served)).toBe("second");
  await served.close();
});
