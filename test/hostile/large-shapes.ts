/** Objects that are large in one way, which readers, writers, conversions, rules and tables go through. */

export interface Shape {
  readonly what: string;
  /** The paths of its versions, the one that it is written in first. */
  readonly collections: readonly string[];
  /** How many entries the largest one has. */
  readonly counts: number;
  make(count: number): object;
}

export const items = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
export const entries = <T>(count: number, make: (at: number) => T): Record<string, T> =>
  Object.fromEntries(items(count, (at) => [`k${at}`, make(at)]));

const core = (resource: string) => [`/api/v1/namespaces/default/${resource}`];
const versions = (group: string, names: readonly string[], resource: string, within = "/namespaces/default") =>
  names.map((name) => `/apis/${group}/${name}${within}/${resource}`);

const container = { name: "c", image: "i" };
const labels = { app: "a" };
const selector = { matchLabels: labels };
const template = (spec: object) => ({
  metadata: { labels },
  spec: { containers: [container], ...spec },
});
const deployment = (spec: object) => ({ spec: { selector, replicas: 0, template: template(spec) } });
const metric = (at: number) => ({
  type: "External",
  external: {
    metric: { name: `m${at}`, selector: { matchLabels: { a: `v${at}` } } },
    target: { type: "AverageValue", averageValue: `${at + 1}m` },
  },
});
const expression = (at: number) => ({ key: `k${at}`, operator: "In", values: ["a", "b"] });
const rule = (at: number) => ({
  apiGroups: [`g${at}.example.com`],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: ["things"],
});

export const shapes: readonly Shape[] = [
  {
    what: "an autoscaler of metrics",
    collections: versions("autoscaling", ["v2", "v2beta2", "v2beta1", "v1"], "horizontalpodautoscalers"),
    counts: 14_000,
    make: (count) => ({
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        maxReplicas: 3,
        metrics: items(count, metric),
      },
    }),
  },
  {
    what: "an autoscaler in its oldest version, with metrics in an annotation",
    collections: versions("autoscaling", ["v1", "v2", "v2beta2", "v2beta1"], "horizontalpodautoscalers"),
    counts: 1_700,
    make: (count) => ({
      metadata: {
        annotations: {
          "autoscaling.alpha.orch.io/metrics": JSON.stringify(
            items(count, (at) => ({
              type: "External",
              external: { metricName: `m${at}`, metricSelector: selector, targetAverageValue: `${at + 1}m` },
            })),
          ),
        },
      },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3 },
    }),
  },
  {
    what: "an ingress of rules",
    collections: [
      ...versions("networking.orch.io", ["v1", "v1beta1"], "ingresses"),
      ...versions("extensions", ["v1beta1"], "ingresses"),
    ],
    counts: 8_000,
    make: (count) => ({
      spec: {
        rules: items(count, (at) => ({
          host: `h${at}.example.com`,
          http: {
            paths: [{ path: `/p${at}`, pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
          },
        })),
      },
    }),
  },
  {
    what: "an endpoint slice of endpoints",
    collections: versions("discovery.orch.io", ["v1", "v1beta1"], "endpointslices"),
    counts: 1_000,
    make: (count) => ({
      addressType: "IPv4",
      ports: items(100, (at) => ({ name: `p${at}`, port: at + 1 })),
      endpoints: items(count, (at) => ({
        addresses: items(100, (n) => `192.0.2.${n + 1}`),
        conditions: { ready: true },
        targetRef: { kind: "Pod", name: `p${at}` },
      })),
    }),
  },
  {
    what: "endpoints of addresses",
    collections: core("endpoints"),
    counts: 40_000,
    make: (count) => ({
      subsets: [
        {
          addresses: items(count, (at) => ({ ip: `198.51.${at >> 8}.${at & 255}`, nodeName: "n" })),
          ports: [{ port: 80 }],
        },
      ],
    }),
  },
  {
    what: "a cron job of variables",
    collections: versions("batch", ["v1", "v1beta1"], "cronjobs"),
    counts: 30_000,
    make: (count) => ({
      spec: {
        schedule: "0 0 1 1 *",
        suspend: true,
        jobTemplate: {
          spec: {
            template: template({
              restartPolicy: "Never",
              containers: [{ ...container, env: items(count, (at) => ({ name: `E${at}`, value: "v" })) }],
            }),
          },
        },
      },
    }),
  },
  {
    what: "a disruption budget of requirements",
    collections: versions("policy", ["v1", "v1beta1"], "poddisruptionbudgets"),
    counts: 20_000,
    make: (count) => ({ spec: { minAvailable: 1, selector: { matchExpressions: items(count, expression) } } }),
  },
  {
    what: "a deployment of containers",
    collections: versions("apps", ["v1"], "deployments"),
    counts: 12_000,
    make: (count) => deployment({ containers: items(count, (at) => ({ name: `c${at}`, image: "i" })) }),
  },
  {
    what: "a deployment of tolerations",
    collections: versions("apps", ["v1"], "deployments"),
    counts: 18_000,
    make: (count) => deployment({ tolerations: items(count, (at) => ({ key: `k${at}`, operator: "Exists" })) }),
  },
  {
    what: "a deployment of volumes",
    collections: versions("apps", ["v1"], "deployments"),
    counts: 15_000,
    make: (count) =>
      deployment({
        volumes: items(count, (at) => ({ name: `v${at}`, emptyDir: {} })),
        containers: [{ ...container, volumeMounts: items(count, (at) => ({ name: `v${at}`, mountPath: `/m${at}` })) }],
      }),
  },
  {
    what: "a stateful set of claims",
    collections: versions("apps", ["v1"], "statefulsets"),
    counts: 8_000,
    make: (count) => ({
      spec: {
        ...deployment({}).spec,
        serviceName: "s",
        volumeClaimTemplates: items(count, (at) => ({
          metadata: { name: `c${at}` },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        })),
      },
    }),
  },
  {
    what: "a daemon set of terms of affinity",
    collections: versions("apps", ["v1"], "daemonsets"),
    counts: 12_000,
    make: (count) => ({
      spec: {
        selector,
        template: template({
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: items(count, (at) => ({
                topologyKey: "host",
                labelSelector: { matchLabels: { app: `a${at}` } },
              })),
            },
          },
        }),
      },
    }),
  },
  {
    what: "a pod of aliases of hosts",
    collections: core("pods"),
    counts: 30_000,
    make: (count) => ({
      spec: {
        containers: [container],
        hostAliases: items(count, (at) => ({ ip: `192.0.2.${at & 255}`, hostnames: [`h${at}`] })),
      },
    }),
  },
  {
    what: "a pod of projected sources",
    collections: core("pods"),
    counts: 12_000,
    make: (count) => ({
      spec: {
        containers: [container],
        volumes: [
          {
            name: "v",
            projected: {
              sources: [{ configMap: { name: "m", items: items(count, (at) => ({ key: `k${at}`, path: `p${at}` })) } }],
            },
          },
        ],
      },
    }),
  },
  {
    what: "a pod of resources",
    collections: core("pods"),
    counts: 20_000,
    make: (count) => ({
      spec: {
        containers: [
          {
            ...container,
            resources: { limits: Object.fromEntries(items(count, (at) => [`example.com/r${at}`, "1"])) },
          },
        ],
      },
    }),
  },
  {
    what: "a node of images and labels",
    collections: ["/api/v1/nodes"],
    counts: 20_000,
    make: (count) => ({
      metadata: { labels: entries(count, () => "v"), annotations: entries(1_000, () => "v") },
      spec: { taints: items(count >> 2, (at) => ({ key: `t${at}`, effect: "NoSchedule" })) },
    }),
  },
  {
    what: "a service of ports",
    collections: core("services"),
    counts: 12_000,
    make: (count) => ({
      spec: { clusterIP: "None", ports: items(count, (at) => ({ name: `p${at}`, port: at + 1 })) },
    }),
  },
  {
    what: "a config map of keys",
    collections: core("configmaps"),
    counts: 80_000,
    make: (count) => ({ data: entries(count, () => "v") }),
  },
  {
    what: "a config map of one text of escapes",
    collections: core("configmaps"),
    counts: 500_000,
    make: (count) => ({ data: { k: '\n"\\<é'.repeat(Math.floor(count / 6)) } }),
  },
  {
    what: "a secret of values",
    collections: core("secrets"),
    counts: 60_000,
    make: (count) => ({ data: entries(count, () => "YQ==") }),
  },
  {
    what: "an object of owners",
    collections: core("configmaps"),
    counts: 10_000,
    make: (count) => ({
      metadata: {
        ownerReferences: items(count, (at) => ({
          apiVersion: "example.com/v1",
          kind: `K${at}`,
          name: "o",
          uid: `u${at}`,
        })),
      },
    }),
  },
  {
    what: "an object of annotations",
    collections: core("endpoints"),
    counts: 20_000,
    make: (count) => ({ metadata: { annotations: entries(count, () => "v") } }),
  },
  {
    what: "a quota of names",
    collections: core("resourcequotas"),
    counts: 25_000,
    make: (count) => ({
      spec: { hard: Object.fromEntries(items(count, (at) => [`requests.example.com/r${at}`, "5"])) },
    }),
  },
  {
    what: "a limit range of names",
    collections: core("limitranges"),
    counts: 10_000,
    make: (count) => ({
      spec: {
        limits: [{ type: "Container", max: Object.fromEntries(items(count, (at) => [`example.com/r${at}`, "5"])) }],
      },
    }),
  },
  {
    what: "a network policy of peers",
    collections: versions("networking.orch.io", ["v1"], "networkpolicies"),
    counts: 12_000,
    make: (count) => ({
      spec: {
        podSelector: {},
        policyTypes: ["Ingress", "Egress"],
        ingress: [
          {
            from: items(count, (at) => ({
              ipBlock: { cidr: `10.${at >> 8}.${at & 255}.0/24`, except: [`10.${at >> 8}.${at & 255}.1/32`] },
            })),
          },
        ],
        egress: [{ ports: items(count, (at) => ({ port: at + 1 })) }],
      },
    }),
  },
  {
    what: "a role of rules",
    collections: versions("rbac.authorization.orch.io", ["v1", "v1beta1"], "roles"),
    counts: 15_000,
    make: (count) => ({
      rules: items(count, (at) => ({ apiGroups: [""], resources: [`r${at}`], verbs: ["get"] })),
    }),
  },
  {
    what: "a binding of subjects",
    collections: versions("rbac.authorization.orch.io", ["v1", "v1beta1"], "rolebindings"),
    counts: 25_000,
    make: (count) => ({
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "r" },
      subjects: items(count, (at) => ({ kind: "ServiceAccount", name: `a${at}`, namespace: "default" })),
    }),
  },
  {
    what: "a configuration of validating webhooks",
    collections: versions("admissionregistration.orch.io", ["v1", "v1beta1"], "validatingwebhookconfigurations", ""),
    counts: 4_000,
    make: (count) => ({
      webhooks: items(count, (at) => ({
        name: `w${at}.example.com`,
        clientConfig: { url: "https://192.0.2.1/" },
        rules: [rule(at)],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Ignore",
        namespaceSelector: { matchLabels: { never: "yes" } },
      })),
    }),
  },
  {
    what: "a policy of rules",
    collections: versions(
      "admissionregistration.orch.io",
      ["v1", "v1beta1", "v1alpha1"],
      "validatingadmissionpolicies",
      "",
    ),
    counts: 8_000,
    make: (count) => ({
      spec: {
        matchConstraints: { resourceRules: items(count, rule) },
        validations: items(Math.min(count, 400), (at) => ({ expression: `object.metadata.name != "n${at}"` })),
      },
    }),
  },
  {
    what: "a flow schema of subjects",
    collections: versions("flowcontrol.apiserver.orch.io", ["v1", "v1beta3", "v1beta2", "v1beta1"], "flowschemas", ""),
    counts: 12_000,
    make: (count) => ({
      spec: {
        priorityLevelConfiguration: { name: "global-default" },
        matchingPrecedence: 9_999,
        rules: [
          {
            subjects: items(count, (at) => ({ kind: "User", user: { name: `u${at}` } })),
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/never"] }],
          },
        ],
      },
    }),
  },
  {
    what: "a claim of requests for devices",
    collections: versions("resource.orch.io", ["v1", "v1beta2", "v1beta1", "v1alpha3"], "resourceclaims"),
    counts: 32,
    make: (count) => ({
      spec: {
        devices: {
          requests: items(count, (at) => ({
            name: `r${at}`,
            exactly: {
              deviceClassName: "gpu",
              tolerations: items(16, (n) => ({ key: `t${n}`, operator: "Exists" })),
            },
          })),
          config: items(32, (at) => ({
            requests: [`r${at % count}`],
            opaque: { driver: "d.example.com", parameters: entries(900, () => "v") },
          })),
        },
      },
    }),
  },
  {
    what: "a slice of devices",
    collections: versions("resource.orch.io", ["v1", "v1beta2", "v1beta1", "v1alpha3"], "resourceslices", ""),
    counts: 128,
    make: (count) => ({
      spec: {
        driver: "d.example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: items(count, (at) => ({
          name: `d${at}`,
          attributes: Object.fromEntries(items(24, (n) => [`a${n}`, { string: "x".repeat(60) }])),
          capacity: Object.fromEntries(items(8, (n) => [`c${n}`, { value: "1Gi" }])),
        })),
      },
    }),
  },
  {
    what: "a lease of a long identity and annotations",
    collections: versions("coordination.orch.io", ["v1"], "leases"),
    counts: 20_000,
    make: (count) => ({
      metadata: { annotations: entries(count, () => "v") },
      spec: { holderIdentity: "h".repeat(500_000) },
    }),
  },
  {
    what: "a storage class of topologies",
    collections: versions("storage.orch.io", ["v1", "v1beta1"], "storageclasses", ""),
    counts: 12_000,
    make: (count) => ({
      provisioner: "example.com/p",
      allowedTopologies: items(count, (at) => ({ matchLabelExpressions: [{ key: `k${at}`, values: ["a"] }] })),
    }),
  },
  {
    what: "an event of annotations",
    collections: [...core("events"), ...versions("events.orch.io", ["v1", "v1beta1"], "events")],
    counts: 25_000,
    make: (count) => ({
      metadata: { annotations: entries(count, () => "v") },
      involvedObject: { kind: "Pod", name: "p", namespace: "default" },
      message: "m",
      reason: "r",
      type: "Normal",
      source: { component: "c" },
    }),
  },
];
