/** A pod of about three kilobytes, as a list of a busy cluster has them. */

export const groupsCount = 50;

export function benchPod(name: string, index: number): Record<string, unknown> {
  const container = (suffix: string) => ({
    name: suffix,
    image: `registry.example.com/team/service-${suffix}:1.2.${index % 100}`,
    args: ["--listen=:8080", `--name=${name}`, "--log-level=info"],
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: Array.from({ length: 6 }, (_, at) => ({ name: `SETTING_${at}`, value: `value-${at}-of-${name}` })),
    resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
    volumeMounts: [{ name: "config", mountPath: "/etc/service", readOnly: true }],
    livenessProbe: { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10 },
    imagePullPolicy: "IfNotPresent",
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { app: "bench", group: `g${index % groupsCount}`, tier: "backend" },
      annotations: { "example.com/checksum": "5f2b".repeat(16), "example.com/owner": "team-bench" },
    },
    spec: {
      containers: [container("main"), container("sidecar")],
      volumes: [{ name: "config", configMap: { name: "service-config" } }],
      nodeName: `node-${index % 100}`,
    },
  };
}
