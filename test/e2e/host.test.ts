/** `orch host`: programs on this machine in place of the pods of a Deployment, as their shapes are: a script, and a webhook in Node. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { connect } from "../../src/kit/connect.ts";
import type { Client } from "../../src/kit/contract.ts";
import { ConfigMap, Deployment, Service, ValidatingWebhookConfiguration } from "../../src/kit/kinds.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { issueAuthority, issueServing } from "../../src/main/pki/issue.ts";
import { freePort, run } from "./programs.ts";

const slow = 120_000;
const namespace = "shop";
const folder = mkdtempSync(join(tmpdir(), "orch-host-test-"));
const authority = issueAuthority("hooks", systemClock);
const labels = { app: "hook" };
const objects = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "robot" } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "settings" }, data: { colour: "blue" } },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { namespace, name: "robot" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", namespace, name: "robot" }],
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name: "hook" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "robot",
          containers: [
            {
              name: "hook",
              image: "any",
              ports: [{ name: "https", containerPort: 8443 }],
              env: [
                { name: "COLOUR", valueFrom: { configMapKeyRef: { name: "settings", key: "colour" } } },
                { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
                { name: "GREETING", value: "hello $(POD_NAMESPACE)" },
                // Who may change the Deployment must not run code on the machine of who hosts it.
                {
                  name: "NODE_OPTIONS",
                  value: "--import=data:text/javascript,console.log('code%20of%20the%20cluster')",
                },
                { name: "LD_PRELOAD", value: "/tmp/no-such-library.so" },
                { name: "PATH", value: "/tmp/no-such-folder" },
              ],
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name: "hook" },
    spec: { selector: labels, ports: [{ port: 443, targetPort: "https" }] },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "hook" },
    webhooks: [
      {
        name: "hook.example.com",
        clientConfig: {
          service: { namespace, name: "hook", path: "/check" },
          caBundle: Buffer.from(authority.certificate).toString("base64"),
        },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        objectSelector: { matchLabels: { checked: "yes" } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  },
];

let server: OrchServer;
let client: Client;
beforeAll(async () => {
  server = await createServer({
    like: "kubernetes-1.37",
    authorization: "RBAC",
    controllers: ["deployment", "replicaset"],
  });
  writeFileSync(join(folder, "objects.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  await server.load(join(folder, "objects.json"));
  writeFileSync(join(folder, "admin.conf"), (await server.clientConfig()).text, { mode: 0o600 });
  client = await connect({ server });
}, slow);
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const hook = { namespace, name: "hook" };
const env = { PATH: process.env["PATH"] ?? "", KUBECONFIG: join(folder, "admin.conf"), HOME: folder, TMPDIR: folder };
const args = (...more: readonly string[]) => [resolve("bin/orch"), "host", "deploy/hook", "-n", namespace, ...more];

/** All that `orch host` changes. */
async function state() {
  const [deployment, service, configuration] = await Promise.all([
    client.of(Deployment).get(hook),
    client.of(Service).get(hook),
    client.of(ValidatingWebhookConfiguration).get("hook"),
  ]);
  return {
    replicas: deployment.spec?.replicas,
    service: service.spec,
    port: configuration.webhooks?.[0]?.clientConfig.service?.port,
    annotations: [deployment, service, configuration].map(({ metadata }) =>
      Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith("host.")),
    ),
  };
}

test("a script is the service account, has the variables, and everything is as before at its end", {
  timeout: slow,
}, async () => {
  const before = await state();
  const script = `
    echo "$COLOUR, $GREETING"
    account=/var/run/secrets/kubernetes.io/serviceaccount
    [ -r $account/token ] || account=$(dirname "$(grep -o '[^"]*/token' "$KUBECONFIG")")
    cat $account/namespace; echo
    curl -s --cacert $account/ca.crt -H "authorization: Bearer $(cat $account/token)" -H 'content-type: application/json' -d '{}' \\
      https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/apis/authentication.k8s.io/v1/selfsubjectreviews
    ${resolve("bin/ctl")} get configmap settings -o name
    exit 7`;
  const { code, stdout, stderr } = await run(process.execPath, args("--", "sh", "-c", script), {
    env,
    timeoutMs: slow,
  });
  expect(code, stderr).toBe(7);
  expect(stdout).toContain("blue, hello shop\nshop\n");
  expect(stdout).not.toContain("code of the cluster");
  expect(stderr).toContain("PATH, NODE_OPTIONS, LD_PRELOAD of the container could run code on this machine");
  expect(stdout).toMatch(/"username": ?"system:serviceaccount:shop:robot"/);
  expect(stdout).toContain("configmap/settings\n");
  expect(await state()).toEqual(before);
});

/** A webhook as people write it: it refuses objects that are labelled as bad. */
const webhook = `
  import { createServer } from "node:https";
  import { readFileSync } from "node:fs";
  const [port, cert, key] = process.argv.slice(2);
  const parent = process.ppid; // A test kills it, and nothing may be left then.
  setInterval(() => process.ppid === parent || process.exit(), 200);
  createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    let text = "";
    request.on("data", (part) => { text += part; });
    request.on("end", () => {
      const { uid, object } = JSON.parse(text).request;
      const allowed = object.metadata.labels.bad === undefined;
      const status = { message: process.env.COLOUR + " says no" };
      response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed, status } }));
    });
  }).listen(Number(port), "127.0.0.1", () => console.log("listening"));
`;

function openWebhook(port: number): { readonly child: ChildProcess; readonly listening: Promise<unknown> } {
  const serving = issueServing(authority, { commonName: "hook", hosts: ["hook.shop.svc"] }, systemClock);
  writeFileSync(join(folder, "webhook.mjs"), webhook);
  writeFileSync(join(folder, "tls.crt"), serving.certificate);
  writeFileSync(join(folder, "tls.key"), serving.key);
  const command = [process.execPath, "webhook.mjs", String(port), "tls.crt", "tls.key"];
  const child = spawn(process.execPath, args(`--port=8443:${port}`, "--", ...command), {
    env,
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return { child, listening: once(child.stdout, "data") };
}

const create = (name: string, more: Record<string, string> = {}) =>
  client.of(ConfigMap).create({ metadata: { namespace, name, labels: { checked: "yes", ...more } } });

test("a webhook in Node is called through its Service, and a run that was killed is undone by the next", {
  timeout: slow,
}, async () => {
  const before = await state();
  await expect(create("unasked")).rejects.toThrow(/failed calling webhook/);
  const killed = openWebhook(await freePort());
  await killed.listening;
  expect(await state()).toMatchObject({ replicas: 0, service: { type: "ExternalName" } });
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  expect((await state()).replicas).toBe(0);
  const second = openWebhook(await freePort());
  await second.listening;
  const third = await run(process.execPath, args("--", "true"), { env, timeoutMs: slow });
  expect(third).toMatchObject({
    code: 1,
    stderr: `orch: deployment shop/hook is hosted by process ${second.child.pid} already; end that first\n`,
  });
  await create("good");
  await expect(create("evil", { bad: "yes" })).rejects.toThrow("blue says no");
  second.child.kill("SIGTERM");
  await once(second.child, "exit");
  expect({ ...(await state()), port: undefined }).toEqual({ ...before, port: undefined });
  expect((await state()).port).toBe(before.port ?? 443);
});

test("what is missing or unknown is said before anything changes", { timeout: slow }, async () => {
  const fails = async (...more: readonly string[]) =>
    (await run(process.execPath, [resolve("bin/orch"), "host", ...more], { env, timeoutMs: slow })).stderr;
  expect(await fails("hook", "--", "true")).toContain("one Deployment is needed, as deploy/NAME");
  expect(await fails("deploy/hook", "-n", namespace)).toContain("the program is missing");
  expect(await fails("deploy/hook", "-n", namespace, "--port=1", "--", "true")).toContain(
    "two ports such as 8443:9443",
  );
  expect(await fails("deploy/none", "-n", namespace, "--", "true")).toContain(
    `there is no deployment "none" in namespace "${namespace}"`,
  );
  expect(await fails("deploy/hook", "-n", namespace, "-c", "x", "--", "true")).toContain("it has hook");
  expect(await fails("deploy/hook", "-n", namespace, "--", "./none")).toContain('there is no program "./none"');
  expect((await state()).replicas).toBe(2);
});
