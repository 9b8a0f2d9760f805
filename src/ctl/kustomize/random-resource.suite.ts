/** Random resources as YAML texts: many kinds that refer to each other, and scalars of all styles. */

import { type Dice, names } from "./dice.suite.ts";

/** Scalars as people write them. */
const scalars = [
  "plain text",
  "yes",
  "0777",
  "0o17",
  "1.50",
  "1e6",
  "1234567.5",
  "-0.0",
  "~",
  "null",
  "true",
  "True",
  "2001-01-01",
  "0x1F",
  "1_000",
  "1:20",
  '"quoted"',
  "'single ''quoted'''",
  '"a\\tb"',
  '"multi\\nline\\n"',
  '"trailing \\n x"',
  "|\n    block\n      of lines\n",
  ">-\n    folded\n    text\n",
  "{}",
  "[]",
  "'#hash'",
  "a#b",
  '"é \\u0001 😀"',
  '""',
  "a rather long text that goes on and on until it is longer than eighty characters, and then some more",
];

export interface MadeResource {
  readonly text: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export function randomResource(dice: Dice): MadeResource {
  const own = dice.pick(names);
  const text = dice.pick(makers)(dice, own);
  const [, apiVersion = "", kind = ""] = /^apiVersion: (.*)\nkind: (.*)\n/.exec(text) ?? [];
  return { text, apiVersion, kind, name: own };
}

const scalar = (dice: Dice): string => dice.pick(scalars);
const name = (dice: Dice): string => dice.pick(names);

function head(dice: Dice, apiVersion: string, kind: string, own: string): string {
  const lines = [`apiVersion: ${apiVersion}`, `kind: ${kind}`, "metadata:", `  name: ${own}`];
  if (dice.chance(0.1)) lines.push(`  namespace: ${dice.pick(["shop", "default", "other"])}`);
  if (dice.chance(0.4))
    lines.push("  labels:", `    app: ${name(dice)}`, ...(dice.chance(0.3) ? ["    tier: front # note"] : []));
  if (dice.chance(0.2))
    lines.push("  annotations:", `    note: ${dice.pick(["x", "1", "1.10", "true", '"q"', "null"])}`);
  if (dice.chance(0.1)) lines.push("  creationTimestamp: null");
  return `${lines.join("\n")}\n`;
}

function podSpec(dice: Dice, indent: string): string {
  const container = (own: string) =>
    [
      `- name: ${own}`,
      `  image: ${dice.pick(["nginx", "nginx:1.2", "images.example:5000/app:v1", "busybox@sha256:abc"])}`,
      ...(dice.chance(0.3) ? [`  args: ["--x=$(V00)", ${JSON.stringify(name(dice))}]`] : []),
      ...(dice.chance(0.4)
        ? [
            "  env:",
            "  - name: A",
            dice.chance(0.5) ? "    value: $(V00)" : `    valueFrom: {configMapKeyRef: {name: ${name(dice)}, key: k}}`,
            "  - {name: B, value: b}",
          ]
        : []),
      ...(dice.chance(0.3)
        ? [`  envFrom: [{configMapRef: {name: ${name(dice)}}}, {secretRef: {name: ${name(dice)}}}]`]
        : []),
      ...(dice.chance(0.4)
        ? [
            "  ports:",
            "  - containerPort: 80",
            ...(dice.chance(0.6) ? ["    protocol: TCP"] : []),
            ...(dice.chance(0.4) ? ["  - {containerPort: 80, protocol: UDP}"] : []),
          ]
        : []),
    ].map((line) => `${indent}${line}`);
  return [
    `${indent}containers:`,
    ...container("c"),
    ...(dice.chance(0.4) ? container("d") : []),
    ...(dice.chance(0.3)
      ? [
          `${indent}volumes:`,
          `${indent}- name: v`,
          `${indent}  configMap: {name: ${name(dice)}}`,
          `${indent}- {name: w, secret: {secretName: ${name(dice)}}}`,
        ]
      : []),
    ...(dice.chance(0.2) ? [`${indent}serviceAccountName: ${name(dice)}`] : []),
    "",
  ].join("\n");
}

type Maker = (dice: Dice, own: string) => string;

const workload =
  (apiVersion: string, kind: string): Maker =>
  (dice, own) =>
    [
      `${head(dice, apiVersion, kind, own)}spec:`,
      ...(dice.chance(0.5) ? [`  replicas: ${dice.pick(["1", "null", "3"])}`] : []),
      ...(dice.chance(0.6) ? [`  selector: {matchLabels: {app: ${own}}}`] : []),
      ...(kind === "StatefulSet"
        ? [`  serviceName: ${name(dice)}`, "  volumeClaimTemplates: [{metadata: {name: q}, spec: {}}]"]
        : []),
      "  template:",
      ...(dice.chance(0.7) ? [`    metadata: {labels: {app: ${own}}}`] : []),
      "    spec:",
      podSpec(dice, "      "),
    ].join("\n");

const subjects = (dice: Dice): string =>
  `subjects: [{kind: ServiceAccount, name: ${dice.pick([...names, "default"])}${dice.chance(0.5) ? `, namespace: ${dice.pick(["default", "shop"])}` : ""}}, {kind: User, name: u}]\n`;

const rbac = "rbac.authorization.k8s.io";

const makers: readonly Maker[] = [
  workload("apps/v1", "Deployment"),
  workload("apps/v1", "Deployment"),
  workload("apps/v1", "StatefulSet"),
  workload("apps/v1", "DaemonSet"),
  workload("batch/v1", "Job"),
  (dice, own) => `${head(dice, "v1", "Pod", own)}spec:\n${podSpec(dice, "  ")}`,
  (dice, own) =>
    `${head(dice, "batch/v1", "CronJob", own)}spec:\n  schedule: "* * * * *"\n  jobTemplate:\n    spec:\n      template:\n        spec:\n${podSpec(dice, "          ")}`,
  (dice, own) =>
    `${head(dice, "v1", "Service", own)}spec:\n${dice.chance(0.6) ? `  selector: {app: ${own}}\n` : ""}  ports:\n  - port: 80\n${dice.chance(0.5) ? "    protocol: TCP\n" : ""}    targetPort: ${dice.pick(["http", "8080"])}\n${dice.chance(0.4) ? "  - {port: 443, name: tls}\n" : ""}`,
  (dice, own) =>
    `${head(dice, "v1", "ConfigMap", own)}data:\n  a: ${scalar(dice)}\n  b10: ${scalar(dice)}\n  b9: ${scalar(dice)}\n  "y": ${scalar(dice)}\n`,
  (dice, own) => `${head(dice, "v1", "ConfigMap", own)}data: &all\n  a: one.two\n  b: ${scalar(dice)}\nother: *all\n`,
  (dice, own) => `${head(dice, "v1", "Secret", own)}type: Opaque\nstringData: {k: v}\n`,
  (dice, own) => `${head(dice, "v1", "ServiceAccount", own)}imagePullSecrets: [{name: ${name(dice)}}]\n`,
  (dice, own) => `${head(dice, "v1", "Namespace", own)}`,
  (dice, own) => `${head(dice, "v1", "PersistentVolumeClaim", own)}spec: {storageClassName: ${name(dice)}}\n`,
  (dice, own) => `${head(dice, "storage.k8s.io/v1", "StorageClass", own)}`,
  (dice, own) =>
    `${head(dice, `${rbac}/v1`, "Role", own)}rules: [{resources: [configmaps], resourceNames: [${name(dice)}, zz]}]\n`,
  (dice, own) => `${head(dice, `${rbac}/v1`, "ClusterRole", own)}rules: []\n`,
  (dice, own) =>
    `${head(dice, `${rbac}/v1`, "RoleBinding", own)}roleRef: {apiGroup: ${rbac}, kind: ${dice.pick(["Role", "ClusterRole"])}, name: ${name(dice)}}\n${subjects(dice)}`,
  (dice, own) =>
    `${head(dice, `${rbac}/v1`, "ClusterRoleBinding", own)}roleRef: {apiGroup: ${rbac}, kind: ClusterRole, name: ${name(dice)}}\n${subjects(dice)}`,
  (dice, own) =>
    `${head(dice, "networking.k8s.io/v1", "Ingress", own)}spec:\n  tls: [{secretName: ${name(dice)}}]\n  rules:\n  - host: $(V00)\n    http: {paths: [{backend: {service: {name: ${name(dice)}}}}]}\n`,
  (dice, own) =>
    `${head(dice, "networking.k8s.io/v1", "NetworkPolicy", own)}spec: {podSelector: {matchLabels: {app: ${own}}}, ingress: [{from: [{podSelector: {matchLabels: {a: b}}}]}]}\n`,
  (dice, own) =>
    `${head(dice, "autoscaling/v2", "HorizontalPodAutoscaler", own)}spec: {scaleTargetRef: {kind: Deployment, name: ${name(dice)}}}\n`,
  (dice, own) => `${head(dice, "policy/v1", "PodDisruptionBudget", own)}spec: {selector: {matchLabels: {app: x}}}\n`,
  (dice, own) =>
    `${head(dice, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", own)}webhooks: [{name: w, clientConfig: {service: {name: ${name(dice)}, namespace: ${dice.pick(["default", "shop"])}}}}]\n`,
  (dice, own) =>
    `${head(dice, "example.com/v1", "Foo", own)}spec:\n  ref: ${name(dice)}\n  picture: nginx:3\n  items: [{name: z, v: ${dice.below(3)}}, ${name(dice)}]\n  extra: {k: ${dice.pick(["1", "null", "a/b"])}}\n  nested: {containers: [{image: nginx}]}\n`,
];
