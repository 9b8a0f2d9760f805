/** Every controller has work, each as its own account with nothing but its bootstrap role: no request may be forbidden. */

import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRequest } from "../../src/base/certificate.suite.ts";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { silentLog } from "../../src/base/log.ts";
import { goldenLevels } from "../../src/machinery/schema/levels.ts";
import { controllerManagerFlags } from "../../src/main/flags/controller-manager-flags.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { issueAuthority } from "../../src/main/pki/issue.ts";
import { openControllerManager } from "../../src/main/programs/controller-manager.ts";

type Json = Record<string, unknown>;

/** A clock on which minutes pass in seconds. */
function fastClock(factor: number): Clock {
  const startMs = Date.now();
  return {
    now: () => startMs + (Date.now() - startMs) * factor,
    monotonic: () => systemClock.monotonic() * factor,
    after: (ms, callback) => systemClock.after(ms / factor, callback),
  };
}

const core = "/api/v1";
const apps = "/apis/apps/v1/namespaces/shop";
const shop = `${core}/namespaces/shop`;

function session(server: OrchServer) {
  const send = async (method: string, path: string, body?: Json): Promise<Json> => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } };
    const answer = await server.fetch(path, { method, ...init });
    const json = (await answer.json()) as Json;
    if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json;
  };
  /** `form` matches part of the answer. */
  const until = (path: string, form: unknown) =>
    expect.poll(() => send("GET", path), { timeout: 60_000, interval: 100 }).toMatchObject(form as Json);
  const untilListed = (path: string, count: number) =>
    expect
      .poll(async () => ((await send("GET", path))["items"] as Json[]).length, { timeout: 60_000, interval: 100 })
      .toBe(count);
  return {
    post: (path: string, body: Json) => send("POST", path, body),
    patch: (path: string, body: Json) => send("PATCH", path, body),
    remove: (path: string, body?: Json) => send("DELETE", path, body),
    get: (path: string) => send("GET", path),
    until,
    untilListed,
    untilGone: (path: string) => until(path, { kind: "Status", code: 404 }),
  };
}

/** The refused requests, by resource and verb. */
async function forbidden(server: OrchServer): Promise<string[]> {
  const metrics = await (await server.fetch("/metrics")).text();
  return metrics
    .split("\n")
    .filter((line) => line.startsWith("apiserver_request_total") && line.includes('code="403"'));
}

const containers = [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }];
const selector = (app: string) => ({ matchLabels: { app } });
const template = (app: string, more: Json = {}) => ({ metadata: { labels: { app } }, spec: { containers, ...more } });
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** The newest level has the most controllers; the others follow at night. */
const levels = process.env["LONG_TESTS"] === undefined ? goldenLevels.slice(-1) : goldenLevels;

test.each(levels)(
  "at %s no controller needs more than its own role grants",
  async (emulatedVersion) => {
    const folder = await mkdtemp(join(tmpdir(), "accounts-"));
    const user = "system:kube-controller-manager";
    const server = await createServer({
      vocabulary: "kubernetes",
      emulatedVersion,
      controllers: false,
      authorization: "RBAC",
      tokens: { manager: { name: user } },
    });
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const config = (await server.clientConfig()).kubeconfig;
    const users = config.users.map((each) => ({ ...each, user: { token: "manager" } }));
    const authority = issueAuthority("signer", systemClock);
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const flags = {
      kubeconfig: await file("manager.conf", JSON.stringify({ ...config, users })),
      vocabulary: "kubernetes",
      "secure-port": "0",
      controllers: "*,bootstrapsigner,tokencleaner",
      "use-service-account-credentials": "true",
      "leader-elect": "true",
      "leader-elect-lease-duration": "6000s",
      "leader-elect-renew-deadline": "5000s",
      "cluster-signing-cert-file": await file("ca.crt", authority.certificate),
      "cluster-signing-key-file": await file("ca.key", authority.key),
      "root-ca-file": await file("root.crt", authority.certificate),
      "service-account-private-key-file": await file(
        "sa.key",
        privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      ),
      "allocate-node-cidrs": "true",
      "cluster-cidr": "10.1.0.0/16",
      "node-startup-grace-period": "40s",
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const manager = await openControllerManager(parseFlags(controllerManagerFlags, args).values, {
      log: silentLog,
      clock: fastClock(30),
    });
    const { post, patch, remove, get, until, untilGone, untilListed } = session(server);
    try {
      // Accounts, tokens, authorities, nodes.
      await post(`${core}/namespaces`, { metadata: { name: "shop" } });
      const tokens =
        emulatedVersion === "1.21" ? { secrets: [{ name: expect.stringMatching(/^default-token-/) }] } : {};
      await until(`${shop}/serviceaccounts/default`, { kind: "ServiceAccount", ...tokens });
      await until(`${shop}/configmaps/kube-root-ca.crt`, { data: { "ca.crt": authority.certificate } });
      const ready = { type: "Ready", status: "True", lastHeartbeatTime: new Date(Date.now() + 600_000).toISOString() };
      for (const name of ["n1", "gone", "tainted"]) {
        await post(`${core}/nodes`, { metadata: { name, labels: { role: name } } });
        const node = `${core}/nodes/${name}`;
        await until(node, { spec: { podCIDR: expect.stringMatching(/^10\.1\./) } });
        await until(node, { metadata: { annotations: { "node.alpha.kubernetes.io/ttl": "0" } } });
        await patch(`${node}/status`, { status: { conditions: [ready] } });
      }

      // Workloads.
      const meta = (name: string) => ({ metadata: { name } });
      await post(`${apps}/deployments`, {
        ...meta("web"),
        spec: { replicas: 2, selector: selector("web"), template: template("web", { nodeName: "n1" }) },
      });
      const rc = { replicas: 1, selector: { app: "rc" }, template: template("rc") };
      await post(`${shop}/replicationcontrollers`, { ...meta("rc"), spec: rc });
      const resources = { requests: { storage: "1Gi" } };
      const claim = { accessModes: ["ReadWriteOnce"], resources };
      await post(`${apps}/statefulsets`, {
        ...meta("db"),
        spec: {
          serviceName: "db",
          selector: selector("db"),
          template: template("db"),
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
        },
      });
      await post(`${apps}/daemonsets`, {
        ...meta("agent"),
        spec: { selector: selector("agent"), template: template("agent", { tolerations: [{ operator: "Exists" }] }) },
      });
      const batch = "/apis/batch/v1/namespaces/shop";
      const once = template("job", { restartPolicy: "Never" });
      await post(`${batch}/jobs`, { ...meta("once"), spec: { ttlSecondsAfterFinished: 0, template: once } });
      const jobTemplate = { spec: { template: template("cron", { restartPolicy: "Never" }) } };
      await post(`${batch}/cronjobs`, {
        ...meta("often"),
        spec: { schedule: "* * * * *", concurrencyPolicy: "Forbid", jobTemplate },
      });
      const policy = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets";
      await post(policy, { ...meta("web"), spec: { maxUnavailable: "50%", selector: selector("web") } });
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      const scalers = "/apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers";
      await post(scalers, { ...meta("web"), spec: { minReplicas: 3, maxReplicas: 4, scaleTargetRef } });
      await post(`${shop}/resourcequotas`, {
        ...meta("all"),
        spec: { hard: { pods: "100", "count/deployments.apps": "9" } },
      });

      // Services.
      await post(`${shop}/services`, { ...meta("web"), spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });
      await post(`${shop}/services`, { ...meta("outside"), spec: { ports: [{ port: 80 }] } });
      const subsets = [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }];
      await post(`${shop}/endpoints`, { ...meta("outside"), subsets });

      // Volumes.
      const storage = "/apis/storage.k8s.io/v1/storageclasses";
      await post(storage, { ...meta("grow"), provisioner: "kubernetes.io/no-provisioner", allowVolumeExpansion: true });
      await post(`${core}/persistentvolumes`, {
        ...meta("disk"),
        spec: {
          storageClassName: "grow",
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/data" },
        },
      });
      await post(`${shop}/persistentvolumeclaims`, { ...meta("disk"), spec: { ...claim, storageClassName: "grow" } });
      const ephemeral = { volumeClaimTemplate: { spec: claim } };
      await post(`${shop}/pods`, { ...meta("scratch"), spec: { containers, volumes: [{ name: "tmp", ephemeral }] } });

      // Access.
      const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
      const labels = { "shop.example/aggregate": "yes" };
      await post(roles, { metadata: { name: "part", labels }, rules });
      await post(roles, {
        metadata: { name: "sum" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
        rules: [],
      });
      const signingRequests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
      const { pem } = makeRequest([
        ["2.5.4.10", "system:nodes"],
        ["2.5.4.3", "system:node:n1"],
      ]);
      const usages = ["key encipherment", "digital signature", "client auth"];
      const signerName = "kubernetes.io/kube-apiserver-client-kubelet";
      await post(signingRequests, { ...meta("n1"), spec: { request: base64(pem), signerName, usages } });
      const info = `${core}/namespaces/kube-public/configmaps`;
      await post(info, { ...meta("cluster-info"), data: { kubeconfig: "text" } });
      const token = (id: string, more: Json = {}) => ({
        metadata: { name: `bootstrap-token-${id}` },
        type: "bootstrap.kubernetes.io/token",
        stringData: { "token-id": id, "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true", ...more },
      });
      const secrets = `${core}/namespaces/kube-system/secrets`;
      await post(secrets, token("abcdef"));
      await post(secrets, token("expire", { expiration: "2020-01-01T00:00:00Z" }));

      // The expected results.
      await until(`${apps}/deployments/web`, { status: { updatedReplicas: 3 } });
      await until(`${shop}/replicationcontrollers/rc`, { status: { replicas: 1 } });
      await until(`${apps}/statefulsets/db`, { status: { replicas: 1 } });
      await until(`${apps}/daemonsets/agent`, { status: { desiredNumberScheduled: 3, currentNumberScheduled: 3 } });
      await until(`${policy}/web`, { status: { expectedPods: 3 } });
      await until(`${shop}/resourcequotas/all`, { status: { used: { "count/deployments.apps": "1" } } });
      await until(`${shop}/endpoints/web`, { kind: "Endpoints" });
      const slices =
        "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector=kubernetes.io/service-name";
      await untilListed(`${slices}=outside`, 1);
      await untilListed(`${slices}=web`, 1);
      await until(`${shop}/persistentvolumeclaims/scratch-tmp`, { kind: "PersistentVolumeClaim" });
      await until(`${roles}/sum`, { rules });
      await until(`${signingRequests}/n1`, { status: { certificate: expect.any(String) } });
      await until(`${info}/cluster-info`, { data: { "jws-kubeconfig-abcdef": expect.any(String) } });
      await untilGone(`${secrets}/bootstrap-token-expire`);

      // Volumes grow and go.
      await until(`${core}/persistentvolumes/disk`, { status: { phase: "Bound" } });
      const disk = `${shop}/persistentvolumeclaims/disk`;
      await until(disk, { status: { phase: "Bound" }, metadata: { finalizers: ["kubernetes.io/pvc-protection"] } });
      await patch(disk, { spec: { resources: { requests: { storage: "2Gi" } } } });
      await untilListed(`${shop}/events?fieldSelector=reason=ExternalExpanding`, 1);
      await remove(disk);
      await untilGone(disk);
      await remove(`${core}/persistentvolumes/disk`);
      await untilGone(`${core}/persistentvolumes/disk`);

      // Jobs end and are deleted; the next minute starts one of the cron job.
      const jobPods = `${shop}/pods?labelSelector=job-name=once`;
      await untilListed(jobPods, 1);
      const [pod] = (await get(jobPods))["items"] as { metadata: { name: string } }[];
      await patch(`${shop}/pods/${pod?.metadata.name}/status`, { status: { phase: "Succeeded" } });
      await untilGone(`${batch}/jobs/once`);
      await until(`${batch}/cronjobs/often`, { status: { lastScheduleTime: expect.any(String) } });

      // Nodes go, fall silent, and are tainted; pods follow.
      for (const [name, nodeName] of [
        ["orphan", "gone"],
        ["driven", "tainted"],
      ] as const)
        await post(`${shop}/pods`, { ...meta(name), spec: { containers, nodeName, terminationGracePeriodSeconds: 0 } });
      await patch(`${core}/nodes/tainted`, { spec: { taints: [{ key: "away", effect: "NoExecute" }] } });
      await untilGone(`${shop}/pods/driven`);
      await remove(`${core}/nodes/gone`);
      await untilGone(`${shop}/pods/orphan`);
      await until(`${core}/nodes/n1`, {
        status: { conditions: expect.arrayContaining([expect.objectContaining({ reason: "NodeStatusUnknown" })]) },
      });

      // Dependents are deleted with their owner, and all objects with their namespace.
      await remove(`${apps}/deployments/web`, { propagationPolicy: "Background" });
      await untilListed(`${apps}/replicasets`, 0);
      expect(await forbidden(server)).toEqual([]);
      await remove(shop);
      for (const { metadata } of (await get(`${shop}/pods`))["items"] as { metadata: { name: string } }[])
        await remove(`${shop}/pods/${metadata.name}?gracePeriodSeconds=0`);
      await untilGone(shop);

      // Creating objects in a terminating namespace is forbidden for every user.
      expect((await forbidden(server)).filter((line) => !line.includes('verb="POST"'))).toEqual([]);
    } finally {
      await manager.stop();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  240_000,
);
