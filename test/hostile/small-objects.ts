/** A small, valid object of each kind that users write, from which large ones are grown. */

import { makeRequest } from "../../src/base/certificate.suite.ts";

const request = Buffer.from(makeRequest([["2.5.4.3", "ann"]]).pem).toString("base64");
const template = {
  metadata: { labels: { app: "a" } },
  spec: {
    containers: [
      {
        name: "c",
        image: "i",
        command: ["sleep", "60"],
        args: ["x"],
        env: [
          { name: "E", value: "v" },
          { name: "F", valueFrom: { configMapKeyRef: { name: "m", key: "k", optional: true } } },
        ],
        envFrom: [{ configMapRef: { name: "m", optional: true } }],
        ports: [{ containerPort: 80, name: "http" }],
        volumeMounts: [{ name: "v", mountPath: "/v" }],
        resources: { requests: { cpu: "1m" }, limits: { cpu: "1" } },
        readinessProbe: { exec: { command: ["true"] } },
        livenessProbe: { httpGet: { port: 80, path: "/", httpHeaders: [{ name: "X", value: "y" }] } },
        securityContext: { capabilities: { add: ["NET_RAW"] } },
      },
    ],
    initContainers: [{ name: "i", image: "i", command: ["true"] }],
    volumes: [
      { name: "v", emptyDir: {} },
      {
        name: "p",
        projected: { sources: [{ configMap: { name: "m", optional: true, items: [{ key: "k", path: "p" }] } }] },
      },
    ],
    nodeSelector: { zone: "z" },
    tolerations: [{ key: "t", operator: "Exists", effect: "NoSchedule" }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "host",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: { app: "a" }, matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] },
      },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["z"] }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: "zone", operator: "In", values: ["z"] }] } },
        ],
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "host", labelSelector: { matchLabels: { app: "a" } }, namespaces: ["default"] },
        ],
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "host", labelSelector: { matchLabels: { app: "b" } } },
        ],
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: "host", labelSelector: { matchLabels: { app: "b" } } } },
        ],
      },
    },
    hostAliases: [{ ip: "192.0.2.1", hostnames: ["h"] }],
    imagePullSecrets: [{ name: "s" }],
    readinessGates: [{ conditionType: "example.com/ready" }],
    dnsConfig: { nameservers: ["192.0.2.1"], searches: ["example.com"], options: [{ name: "ndots", value: "1" }] },
  },
};
const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
const selector = { matchLabels: { app: "a" } };
const expressions = { ...selector, matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] };
const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["bindings"] }];

/** By "apiVersion Kind", in neutral names. */
export const smallObjects: Readonly<Record<string, object>> = {
  "v1 Pod": template,
  "v1 ConfigMap": { data: { k: "v" }, binaryData: { b: "YQ==" } },
  "v1 Secret": { data: { k: "dg==" }, stringData: { s: "v" } },
  "v1 Service": {
    spec: {
      selector: { app: "a" },
      ports: [{ name: "http", port: 80 }],
      externalIPs: [],
      loadBalancerSourceRanges: ["192.0.2.0/24"],
      type: "LoadBalancer",
    },
  },
  "v1 Endpoints": {
    subsets: [
      {
        addresses: [{ ip: "192.0.2.1" }],
        notReadyAddresses: [{ ip: "192.0.2.2" }],
        ports: [{ name: "http", port: 80 }],
      },
    ],
  },
  "v1 ServiceAccount": { secrets: [{ name: "s" }], imagePullSecrets: [{ name: "s" }] },
  "v1 ReplicationController": { spec: { replicas: 1, selector: { app: "a" }, template } },
  "v1 LimitRange": { spec: { limits: [{ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } }] } },
  "v1 ResourceQuota": {
    spec: {
      hard: { pods: "1000", "count/configmaps": "100000" },
      scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
    },
  },
  "v1 PersistentVolumeClaim": {
    spec: { accessModes: ["ReadWriteOnce"], selector: expressions, resources: { requests: { storage: "1Gi" } } },
  },
  "v1 PersistentVolume": {
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      mountOptions: ["ro"],
      csi: { driver: "d", volumeHandle: "h", volumeAttributes: { a: "b" } },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["z"] }] }] },
      },
    },
  },
  "v1 PodTemplate": { template },
  "v1 Namespace": { spec: { finalizers: [] } },
  "v1 Node": { spec: { taints: [{ key: "t", effect: "NoSchedule" }], podCIDRs: ["198.51.100.0/24"] } },
  "v1 Event": { involvedObject: { namespace: "default" }, reason: "r", message: "m" },
  "apps/v1 Deployment": { spec: { replicas: 2, selector, template } },
  "apps/v1 ReplicaSet": { spec: { replicas: 1, selector: expressions, template } },
  "apps/v1 DaemonSet": { spec: { selector, template } },
  "apps/v1 StatefulSet": {
    spec: {
      replicas: 1,
      serviceName: "s",
      selector,
      template,
      volumeClaimTemplates: [
        {
          metadata: { name: "d" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  },
  "apps/v1 ControllerRevision": { revision: 1, data: { a: { b: ["c"] } } },
  "batch/v1 Job": { spec: { parallelism: 1, completions: 2, template: jobTemplate } },
  "batch/v1 CronJob": { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } } } },
  "autoscaling/v1 HorizontalPodAutoscaler": {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
  },
  "autoscaling/v2 HorizontalPodAutoscaler": {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        {
          type: "Pods",
          pods: {
            metric: { name: "m", selector: expressions },
            target: { type: "AverageValue", averageValue: "1" },
          },
        },
      ],
      behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 15 }] } },
    },
  },
  "policy/v1 PodDisruptionBudget": { spec: { minAvailable: 1, selector: expressions } },
  "networking.orch.io/v1 NetworkPolicy": {
    spec: {
      podSelector: expressions,
      ingress: [
        {
          from: [{ podSelector: selector }, { ipBlock: { cidr: "192.0.2.0/24", except: ["192.0.2.1/32"] } }],
          ports: [{ port: 80 }],
        },
      ],
    },
  },
  "networking.orch.io/v1 Ingress": {
    spec: {
      rules: [
        {
          host: "h.example.com",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
          },
        },
      ],
      tls: [{ hosts: ["h.example.com"], secretName: "s" }],
    },
  },
  "networking.orch.io/v1 IngressClass": { spec: { controller: "example.com/c" } },
  "rbac.authorization.orch.io/v1 Role": {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["n"] }],
  },
  "rbac.authorization.orch.io/v1 ClusterRole": {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    aggregationRule: { clusterRoleSelectors: [expressions] },
  },
  "rbac.authorization.orch.io/v1 RoleBinding": {
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", name: "a", namespace: "default" }],
  },
  "rbac.authorization.orch.io/v1 ClusterRoleBinding": {
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "User", name: "a", apiGroup: "rbac.authorization.orch.io" }],
  },
  "scheduling.orch.io/v1 PriorityClass": { value: 10, description: "d" },
  "storage.orch.io/v1 StorageClass": {
    provisioner: "example.com/p",
    parameters: { a: "b" },
    mountOptions: ["ro"],
    allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["z"] }] }],
  },
  "storage.orch.io/v1 CSIDriver": { spec: { tokenRequests: [{ audience: "a" }] } },
  "storage.orch.io/v1 CSINode": { spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: ["zone"] }] } },
  "coordination.orch.io/v1 Lease": { spec: { holderIdentity: "h" } },
  "discovery.orch.io/v1 EndpointSlice": {
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"], hints: { forZones: [{ name: "z" }] } }],
    ports: [{ name: "http", port: 80 }],
  },
  "node.orch.io/v1 RuntimeClass": { handler: "h", scheduling: { tolerations: [{ key: "t", operator: "Exists" }] } },
  "flowcontrol.apiserver.orch.io/v1 FlowSchema": {
    spec: {
      priorityLevelConfiguration: { name: "workload-low" },
      matchingPrecedence: 9_000,
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "nobody" } }],
          resourceRules: [{ apiGroups: [""], resources: ["bindings"], verbs: ["list"], namespaces: ["x"] }],
        },
      ],
    },
  },
  "admissionregistration.orch.io/v1 ValidatingWebhookConfiguration": {
    webhooks: [
      {
        name: "w.example.com",
        clientConfig: { url: "https://127.0.0.1:1/" },
        sideEffects: "None",
        failurePolicy: "Ignore",
        admissionReviewVersions: ["v1"],
        rules,
        namespaceSelector: expressions,
      },
    ],
  },
  "admissionregistration.orch.io/v1 ValidatingAdmissionPolicy": {
    spec: {
      matchConstraints: { resourceRules: rules },
      variables: [{ name: "v", expression: "1 + 1" }],
      validations: [{ expression: "variables.v == 2" }],
      matchConditions: [{ name: "m", expression: "true" }],
      auditAnnotations: [{ key: "a", valueExpression: "'b'" }],
    },
  },
  "admissionregistration.orch.io/v1 ValidatingAdmissionPolicyBinding": {
    spec: { policyName: "p", validationActions: ["Deny"], matchResources: { namespaceSelector: expressions } },
  },
  "resource.orch.io/v1 ResourceClaim": {
    spec: {
      devices: {
        requests: [
          {
            name: "r",
            exactly: { deviceClassName: "d", selectors: [{ cel: { expression: "device.driver == 'x'" } }] },
          },
        ],
        constraints: [{ requests: ["r"], matchAttribute: "x.example.com/a" }],
      },
    },
  },
  "resource.orch.io/v1 DeviceClass": { spec: { selectors: [{ cel: { expression: "device.driver == 'x'" } }] } },
  "resource.orch.io/v1 ResourceSlice": {
    spec: {
      driver: "x.example.com",
      nodeName: "n",
      pool: { name: "p", resourceSliceCount: 1 },
      devices: [{ name: "d", attributes: { a: { string: "b" } } }],
    },
  },
  "certificates.orch.io/v1 CertificateSigningRequest": {
    spec: { signerName: "example.com/s", usages: ["client auth"], request },
  },
};
