/** Options that are misspelled or make no sense are refused, with what was probably meant. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";
import {
  type Client,
  ConfigMap,
  connect,
  controller,
  createWebhook,
  Deployment,
  runControllers,
  type ServeWebhookOptions,
  serveWebhook,
  type WebhookHandlers,
} from "./orch-client.ts";

let server: OrchServer;
let client: Client;
beforeAll(async () => {
  server = await createServer({ controllers: false });
  client = await connect({ server });
});
afterAll(() => server.close());

/** As a program in JavaScript may. */
const wrong = <T>(value: unknown) => value as T;
const reconcile = async () => {};

test("a controller is checked when it is declared, and together with the others", () => {
  const declare = (more: object) => () => controller({ for: ConfigMap, reconcile, ...more });
  expect(declare({ workers: 0 })).toThrow("controller: workers must be a whole number of at least 1, not 0");
  expect(declare({ reconcile: undefined })).toThrow("controller: reconcile is needed");
  expect(declare({ for: "ConfigMap" })).toThrow("controller: for must be a kind, such as ConfigMap");
  expect(declare({ reconsile: reconcile })).toThrow('controller has no option "reconsile"; did you mean "reconcile"?');
  expect(declare({ retry: { attempts: -1 } })).toThrow("controller: retry.attempts must be a whole number");
  expect(declare({ selection: { labelselector: "a" } })).toThrow('controller: selection has no option "labelselector"');
  const two = [controller({ for: ConfigMap, reconcile }), controller({ for: ConfigMap, reconcile })];
  expect(() => runControllers({ client, controllers: two })).toThrow(
    'two controllers are called "configmap-controller"; give one of them another name',
  );
  expect(() => runControllers(wrong({ client, controlers: [] }))).toThrow(
    'no option "controlers"; did you mean "controllers"',
  );
});

test("looking again after no time is a failure of the reconcile, not a loop", async () => {
  const problems: string[] = [];
  const hurried = controller({
    for: ConfigMap,
    selection: { labelSelector: "app=hurried" },
    retry: { attempts: 1 },
    async reconcile({ requeueAfter }) {
      for (const ms of [undefined, Number.NaN, -1, Number.POSITIVE_INFINITY])
        try {
          requeueAfter(wrong(ms));
        } catch (error) {
          problems.push(String(error));
        }
    },
  });
  await using running = runControllers({ client, controllers: [hurried] });
  await running.ready;
  await client.of(ConfigMap).create({ metadata: { name: "hurried", labels: { app: "hurried" } } });
  await server.settled();
  expect(problems).toEqual(
    ["undefined", "NaN", "-1", "Infinity"].map(
      (shown) => `TypeError: requeueAfter: the time in milliseconds must be a number of at least 0, not ${shown}`,
    ),
  );
});

test("calls refuse options that would have no effect", async () => {
  const maps = client.of(ConfigMap);
  await maps.create({ metadata: { name: "kept" } });
  await expect(maps.delete("kept", wrong({ dryrun: true }))).rejects.toThrow(
    'delete has no option "dryrun"; did you mean "dryRun"?',
  );
  await expect(maps.list(wrong({ labelselector: "a=b" })).all()).rejects.toThrow('list has no option "labelselector"');
  await expect(maps.list({ limit: Number.NaN }).all()).rejects.toThrow("list: limit must be a whole number");
  await expect(maps.patch("kept", {}, wrong<object>({ type: "Merge" }))).rejects.toThrow('did you mean "merge"?');
  await expect(maps.apply({ metadata: { name: "kept" } }, wrong({}))).rejects.toThrow("apply: manager is needed");
  await expect(client.of(Deployment).scale.set("kept", Number.NaN)).rejects.toThrow(
    "scale.set: replicas must be a whole number",
  );
  await expect(connect(wrong({ server, token: 7 }))).rejects.toThrow("connect: token must be a text, not 7");
  await expect(connect(wrong({ sever: server }))).rejects.toThrow(
    'connect has no option "sever"; did you mean "server"?',
  );
  expect(() => client.informers(wrong({ stalledAfterMs: "2m" }))).toThrow("informers: stalledAfterMs must be a number");
  expect(() => createWebhook(wrong<WebhookHandlers>({ valdate() {} }))).toThrow(
    'createWebhook has no option "valdate"; did you mean "validate"?',
  );
  await expect(serveWebhook(wrong<ServeWebhookOptions>({ certFile: "a" }))).rejects.toThrow(
    "serveWebhook: keyFile is needed, or tls",
  );
  expect(await maps.find("kept")).toBeDefined();
});

test("servers refuse values that they do not know", async () => {
  const says = (options: object) => createServer(options).then(String, (error: Error) => error.message);
  expect(await says({ authorization: "rbac" })).toContain(
    'must be "RBAC" or "AlwaysAllow", not "rbac"; did you mean "RBAC"?',
  );
  expect(await says({ clock: "fake" })).toContain(
    'clock must be "virtual", { virtual: "2026-01-01T00:00:00Z" } or a Clock',
  );
  expect(await says({ controllers: "deployment" })).toContain("controllers must be false or a list of names");
  expect(await says({ tokens: { a: {} } })).toContain("tokens.a.name is needed");
  expect(() => server.fetchAs(wrong({}))).toThrow("fetchAs: name is needed");
  await expect(server.load(wrong({ kind: "Pod" }))).rejects.toThrow(
    "the path of a file or folder, or a list of objects",
  );
  await expect(server.settled(wrong({ timeout: 1 }))).rejects.toThrow(
    'settled has no option "timeout"; did you mean "timeoutMs"?',
  );
  await expect(server.fork(wrong({ controler: [] }))).rejects.toThrow('fork has no option "controler"');
});
