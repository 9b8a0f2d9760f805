import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../../session.suite.ts";

/** One object in YAML. */
const pod = (name: string, spec: string, metadata = ""): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}${metadata}}\nspec: {${spec}}\n`;
const container = 'containers: [{name: main, image: "web:1"}]';

const manifests = [
  pod("fine", container),
  pod(
    "crash",
    container,
    ', annotations: {simulation.orch.io/crash-after: 0s, simulation.orch.io/logs: "begin\\nno database\\n"}',
  ),
  pod("large", 'containers: [{name: main, image: "web:1", resources: {requests: {cpu: "100"}}}]'),
  pod("claims", `${container}, volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]`),
  pod(
    "unready",
    'containers: [{name: main, image: "web:1", readinessProbe: {exec: {command: [x]}, periodSeconds: 1}}]',
    ", labels: {app: unready}, annotations: {simulation.orch.io/readiness-fails: 0s}",
  ),
  pod(
    "needs",
    'containers: [{name: main, image: "web:1", envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: maybe, optional: true}}], env: [{name: A, valueFrom: {secretKeyRef: {name: key, key: k}}}]}]',
  ),
  "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {other: v}\n",
  "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n",
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}, annotations: {simulation.orch.io/crash-after: 0s}}, spec: {${container}}}}\n`,
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: refused}\nspec: {selector: {matchLabels: {app: refused}}, template: {metadata: {labels: {app: refused}}, spec: {serviceAccountName: none, ${container}}}}\n`,
  `apiVersion: batch/v1\nkind: Job\nmetadata: {name: task}\nspec: {backoffLimit: 0, template: {metadata: {annotations: {simulation.orch.io/exit-code: "7"}}, spec: {restartPolicy: Never, ${container}}}}\n`,
  "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: gone}}\n",
  "apiVersion: v1\nkind: Service\nmetadata: {name: empty}\nspec: {selector: {app: none}, ports: [{port: 80}]}\n",
  "apiVersion: v1\nkind: Service\nmetadata: {name: unready}\nspec: {selector: {app: unready}, ports: [{port: 443}]}\n",
  "apiVersion: networking.orch.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {ingressClassName: none, defaultBackend: {service: {name: empty, port: {number: 81}}}, tls: [{secretName: cert}]}\n",
  "apiVersion: admissionregistration.orch.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks: [{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: default, name: unready}}, rules: [{apiGroups: [example.com], apiVersions: [v1], resources: [lamps], operations: [CREATE]}]}]\n",
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [example.com/hold]}\n",
];

const again = String.raw`exit code 1 \(Error\) \d+s ago, was restarted \S+( times)?, and (starts again in \d+s|is due to start again)`;

/** What `why` says once the simulated nodes and the controllers have done their part. */
const explained: { of: string; says: RegExp }[] = [
  { of: "pod/fine", says: /^pod\/fine in namespace default runs and is ready\n$/ },
  {
    of: "pod/crash",
    says: new RegExp(
      `^pod/crash in namespace default crashes again and again\n  container main ended with ${again}\n    last line of its log: no database\n`,
    ),
  },
  {
    of: "pod/large",
    says: /^pod\/large \S+ \S+ default does not run yet\n {2}Unschedulable: 0\/1 nodes are available: .*\n$/,
  },
  {
    of: "pod/claims",
    says: /\n {2}it needs persistentvolumeclaim\/data, which is not bound to a volume yet\n {4}storageclass\/fast does not exist; there is \S+\n$/,
  },
  { of: "pod/unready", says: / runs, but is not ready\n {2}container main runs, but its readiness probe fails\n/ },
  {
    of: "pod/needs",
    says: / {2}it needs configmap\/settings, which does not exist\n {2}it needs the key k of secret\/key, which has no such key\n$/,
  },
  {
    of: "pvc/data",
    says: /^persistentvolumeclaim\/data in namespace default is not bound to a volume yet\n {2}storageclass\/fast does not exist; there is \S+\n$/,
  },
  {
    of: "deployment/web",
    says: new RegExp(
      `^deployment.apps/web in namespace default is not available: 0 of 3 pods are\n  pod/web-\\S+ \\(2 others likewise\\) crashes again and again\n    container main ended with ${again}\n`,
    ),
  },
  { of: "deployment/refused", says: /0 of 1 pods are\n {2}.*pods "refused-.*" is forbidden: .*none.*\n/ },
  {
    of: "job/task",
    says: /^job\.batch\/task .* has failed\n {2}Failed is True \(BackoffLimitExceeded\).*\n {2}pod\/task-\S+ has failed\n {4}container main ended with exit code 7 /,
  },
  { of: "hpa/web", says: / does not scale\n {2}its target deployment\/gone does not exist\n$/ },
  { of: "service/empty", says: / has no endpoints\n {2}no pod in namespace default has the labels app=none\n$/ },
  {
    of: "service/unready",
    says: / has no ready endpoints: none of 1 pods is ready\n {2}pod\/unready runs, but is not ready\n/,
  },
  {
    of: "ingress/web",
    says: / does not work yet\n {2}ingressclass\/none does not exist\n {2}service\/empty has no port 81; it has 80\n {2}secret\/cert of its certificate does not exist\n {2}it has no address: /,
  },
  {
    of: "validatingwebhookconfiguration/hook",
    says: / has webhooks that fail\n {2}webhook a\.example\.com cannot be called; writes of lamps are refused meanwhile\n {4}service\/unready has no ready endpoints/,
  },
  { of: "configmap/held", says: /^configmap\/held in namespace default reports no trouble\n$/ },
  { of: "namespace/default", says: /^namespace\/default is active\n$/ },
];

describe.each(["1.21", "1.35"] as const)("at %s, with simulated nodes, why", (emulatedVersion) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", { emulatedVersion, controllers: ["*"], nodes: 1 });
    session.file("all.yaml", manifests.join("---\n"));
    await session.ok("apply -f all.yaml");
  });
  afterAll(() => session[Symbol.asyncDispose]());

  for (const { of, says } of explained)
    test(`explains ${of}`, async () => {
      await expect.poll(() => session.ok(`why ${of}`)).toMatch(says);
    });

  test("names the pods that keep a claim, and no command that would strip its protection", async () => {
    await using still = await openSession("ctl", { emulatedVersion, disableAdmissionPlugins: ["ServiceAccount"] });
    still.file("claims.yaml", manifests.filter((one) => /name: (claims|data)}/.test(one)).join("---\n"));
    await still.ok("apply -f claims.yaml");
    expect(await still.ok("why pvc/data")).not.toMatch(/finalizer|delet/);
    await still.ok("delete pvc data --wait=false");
    const out = await still.ok("why pvc/data");
    expect(out).toMatch(
      /is being deleted since .*\n {2}finalizer orch\.io\/pvc-protection: until no pod uses the claim\n {4}pod\/claims uses it\n$/,
    );
    expect(out).not.toContain("patch");
  });

  test("says how to give up on a finalizer whose controller is gone, in words that work", async () => {
    await session.ok("delete configmap held --wait=false");
    const out = await session.ok("why configmap/held");
    const [, line = "", patch = ""] = /: ctl (patch .*) -p '(.*)'\n$/.exec(out) ?? [];
    await session.ok([...line.split(" "), "-p", patch]);
    expect((await session.run("get configmap held")).code).toBe(1);
  });
});
