import { expect, test } from "vitest";
import { admissionOrder } from "../../src/admission/order.ts";
import { existsIn } from "../../src/base/release.ts";
import { levelDefault } from "../../src/machinery/schema/levels.ts";
import {
  type AdmissionPlugin,
  createServer,
  kinds,
  type OrchServer,
  on,
  plugin,
  refuse,
  under,
} from "../../src/main/library.ts";

const json = { "content-type": "application/json" };
const configMaps = "/api/v1/namespaces/default/configmaps";
const post = (server: OrchServer, path: string, body: object) =>
  server.fetch(path, { method: "POST", headers: json, body: JSON.stringify(body) });

test("plugins of the embedding program change and refuse writes, in order", async () => {
  const stamp = (name: string): AdmissionPlugin =>
    plugin(name, [
      on(kinds.ConfigMap, ["CREATE", "UPDATE"], {
        mutate({ object }) {
          object.data = { ...object.data, stamps: `${object.data?.["stamps"] ?? ""}${name}` };
        },
      }),
    ]);
  const guard = plugin("Guard", [
    on(kinds.ConfigMap, "DELETE", {
      validate(request) {
        throw refuse(request, `config map ${request.old.metadata.name} stays`);
      },
    }),
    on(under(kinds.Namespace, "finalize"), "UPDATE", {
      validate(request) {
        throw refuse(request, "not like this");
      },
    }),
  ]);
  await using server = await createServer({ admission: [stamp("a"), stamp("b"), guard] });
  const made = await post(server, configMaps, { metadata: { name: "c" } });
  expect(await made.json()).toMatchObject({ data: { stamps: "ab" } });
  const gone = await server.fetch(`${configMaps}/c`, { method: "DELETE" });
  expect(gone.status).toBe(403);
  expect(await gone.json()).toMatchObject({
    message: 'configmaps "c" is forbidden: config map c stays (admission plugin Guard)',
  });
});

test("a plugin without a rule sees every kind", async () => {
  const seen: string[] = [];
  const watch: AdmissionPlugin = {
    name: "Watch",
    handles: () => true,
    validate: ({ operation, kind, name }) => void seen.push(`${operation} ${kind.resource} ${name}`),
  };
  await using server = await createServer({ admission: [watch] });
  await post(server, configMaps, { metadata: { name: "c" } });
  expect(seen).toContain("CREATE configmaps c");
});

test("built-in plugins are configured without a file", async () => {
  const EventRateLimit = {
    apiVersion: "eventratelimit.admission.orch.io/v1alpha1",
    kind: "Configuration",
    limits: [{ type: "Server", qps: 1, burst: 1 }],
  };
  const enableAdmissionPlugins = ["EventRateLimit"];
  await expect(createServer({ enableAdmissionPlugins })).rejects.toThrow(/EventRateLimit requires a configuration/);
  await expect(createServer({ admissionConfiguration: { Typo: {} } })).rejects.toThrow(/no admission plugin "Typo"/);
  await using server = await createServer({ enableAdmissionPlugins, admissionConfiguration: { EventRateLimit } });
  const event = (name: string) =>
    post(server, "/api/v1/namespaces/default/events", {
      metadata: { name },
      involvedObject: { kind: "Pod", namespace: "default", name: "p" },
    });
  const codes = await Promise.all(Array.from({ length: 50 }, async (_, index) => (await event(`e${index}`)).status));
  expect(codes).toContain(201);
  expect(codes).toContain(429);
});

test("the durations of plugins and steps are in the metrics", async () => {
  await using server = await createServer();
  await post(server, configMaps, { metadata: { name: "c" } });
  const text = await (await server.fetch("/metrics")).text();
  expect(text).toContain(
    'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="CREATE",rejected="false",type="admit"}',
  );
  expect(text).toContain(
    'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="validate"}',
  );
});

test("a server that refuses every write still starts", async () => {
  await using server = await createServer({ enableAdmissionPlugins: ["AlwaysDeny"] });
  expect((await server.fetch("/readyz")).status).toBe(200);
  const refused = await post(server, configMaps, { metadata: { name: "c" } });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({
    message: 'configmaps "c" is forbidden: every write is refused (admission plugin AlwaysDeny)',
  });
});

test("all plugins that need no configuration run together", async () => {
  const enableAdmissionPlugins = admissionOrder
    .filter((place) => existsIn(levelDefault, place))
    .map(({ name }) => name)
    .filter((name) => !["AlwaysDeny", "EventRateLimit", "ImagePolicyWebhook"].includes(name));
  await using server = await createServer({ enableAdmissionPlugins, disableAdmissionPlugins: [] });
  const made = await post(server, "/api/v1/namespaces/elsewhere/configmaps", { metadata: { name: "c" } });
  expect(made.status).toBe(201);
});
