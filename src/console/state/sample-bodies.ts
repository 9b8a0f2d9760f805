/** What a first object of a built-in kind says below its metadata, where the schema alone does not tell what a server takes. */

const pod = (indent: string, more: readonly string[] = []): string =>
  ["spec:", ...more.map((line) => `  ${line}`), "  containers:", "    - name: main", "      image: nginx"]
    .map((line) => indent + line)
    .join("\n");

const template = (more: readonly string[] = []): string =>
  ["  template:", "    metadata:", "      labels:", "        app: example", pod("    ", more)].join("\n");

const selected = ["  selector:", "    matchLabels:", "      app: example", template()].join("\n");

const once = ["restartPolicy: Never"];
const job = template(once).replace("    metadata:\n      labels:\n        app: example\n", "");
const deeper = (text: string): string =>
  text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");

const role = 'rules:\n  - apiGroups: [""]\n    resources: [pods]\n    verbs: [get, list, watch]';
const binding = (kind: string) =>
  `roleRef:\n  apiGroup: GROUP\n  kind: ${kind}\n  name: view\nsubjects:\n  - apiGroup: GROUP\n    kind: User\n    name: jane`;

const scaled = "  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: example";
const scaler = `spec:\n${scaled}\n  minReplicas: 1\n  maxReplicas: 5`;
const ingress = (backend: string) =>
  `spec:\n  rules:\n    - host: example.com\n      http:\n        paths:\n          - path: /\n            pathType: Prefix\n            backend:\n${backend}`;
const oldBackend = "              serviceName: example\n              servicePort: 80";
const backend =
  "              service:\n                name: example\n                port:\n                  number: 80";

const names = "  names:\n    kind: Example\n    plural: examples\n    singular: example\n    listKind: ExampleList";
const definition = `spec:
  group: example.com
  scope: Namespaced
${names}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size:
                  type: integer`;

/** A request that a key has signed; the key was thrown away. */
const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITk1IUUNBUUF3RWpFUU1BNEdBMVVFQXd3SFpYaGhiWEJzWlRCWk1CTUdCeXFHU000OUFnRUdDQ3FHU000OQpBd0VIQTBJQUJEY2JOYnhzc29TdUhnczBMaTRZUE51TmJtN3JCVVc4TGZIVkdtUE43aDNoek14dHJFbDdQcXk1CklQNkUyWnQ1ZklLWTkweDRXejl5eEtHYm0rNGFHRmFnQURBS0JnZ3Foa2pPUFFRREFnTkpBREJHQWlFQXVYK3UKc3FIQUwrTVpLd29uY0ZQMmRZS3lSNGpkUlAzMGIrcm5WeHlwSFZjQ0lRRDVQcDczT25QTm9ZZFpURDRPQ3F4Mgp3QVFyaVpuN20yeEkrOVYzdmpFMTdnPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

/** By the resource and its neutral group. GROUP is the group as the server calls it. */
export const sampleBodies: Readonly<Record<string, string>> = {
  pods: pod(""),
  podtemplates: `template:\n  metadata:\n    labels:\n      app: example\n${pod("  ")}`,
  replicationcontrollers: `spec:\n  replicas: 1\n  selector:\n    app: example\n${template()}`,
  services: "spec:\n  selector:\n    app: example\n  ports:\n    - name: http\n      port: 80\n      targetPort: 80",
  configmaps: "data:\n  key: value",
  secrets: "type: Opaque\nstringData:\n  key: value",
  limitranges: "spec:\n  limits:\n    - type: Container\n      default:\n        cpu: 500m\n        memory: 256Mi",
  resourcequotas: 'spec:\n  hard:\n    pods: "10"',
  persistentvolumeclaims: "spec:\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: 1Gi",
  persistentvolumes:
    "spec:\n  capacity:\n    storage: 1Gi\n  accessModes: [ReadWriteOnce]\n  hostPath:\n    path: /data/example",
  "deployments.apps": `spec:\n  replicas: 1\n${selected}`,
  "replicasets.apps": `spec:\n  replicas: 1\n${selected}`,
  "daemonsets.apps": `spec:\n${selected}`,
  "statefulsets.apps": `spec:\n  serviceName: example\n  replicas: 1\n${selected}`,
  "controllerrevisions.apps": "revision: 1\ndata:\n  key: value",
  "jobs.batch": `spec:\n${job}`,
  "cronjobs.batch": `spec:\n  schedule: "*/5 * * * *"\n  jobTemplate:\n    spec:\n${deeper(job)}`,
  "horizontalpodautoscalers.autoscaling": scaler,
  "poddisruptionbudgets.policy": "spec:\n  minAvailable: 1\n  selector:\n    matchLabels:\n      app: example",
  "podsecuritypolicies.policy":
    'spec:\n  seLinux:\n    rule: RunAsAny\n  runAsUser:\n    rule: RunAsAny\n  supplementalGroups:\n    rule: RunAsAny\n  fsGroup:\n    rule: RunAsAny\n  volumes: ["*"]',
  "ingresses.extensions": ingress(oldBackend),
  "ingresses.networking.orch.io": ingress(backend),
  "ingresses.networking.orch.io/v1beta1": ingress(oldBackend),
  "ingressclasses.networking.orch.io": "spec:\n  controller: example.com/ingress",
  "networkpolicies.networking.orch.io":
    "spec:\n  podSelector:\n    matchLabels:\n      app: example\n  policyTypes: [Ingress]\n  ingress:\n    - from:\n        - podSelector: {}",
  "ipaddresses.networking.orch.io":
    'spec:\n  parentRef:\n    group: ""\n    resource: services\n    namespace: default\n    name: example',
  "servicecidrs.networking.orch.io": "spec:\n  cidrs: [10.96.0.0/16]",
  "roles.rbac.authorization.orch.io": role,
  "clusterroles.rbac.authorization.orch.io": role,
  "rolebindings.rbac.authorization.orch.io": binding("ClusterRole"),
  "clusterrolebindings.rbac.authorization.orch.io": binding("ClusterRole"),
  "storageclasses.storage.orch.io": "provisioner: example.com/disks",
  "csidrivers.storage.orch.io": "spec:\n  attachRequired: false",
  "csinodes.storage.orch.io": "spec:\n  drivers:\n    - name: disks.example.com\n      nodeID: node-0",
  "csistoragecapacities.storage.orch.io": "storageClassName: standard\ncapacity: 1Ti",
  "volumeattachments.storage.orch.io":
    "spec:\n  attacher: disks.example.com\n  nodeName: node-0\n  source:\n    persistentVolumeName: example",
  "volumeattributesclasses.storage.orch.io": "driverName: disks.example.com\nparameters:\n  speed: high",
  "apiservices.apiregistration.orch.io":
    "spec:\n  group: example.com\n  version: v1\n  groupPriorityMinimum: 1000\n  versionPriority: 15\n  insecureSkipTLSVerify: true\n  service:\n    name: example\n    namespace: default",
  "customresourcedefinitions.apiextensions.orch.io": definition,
  "customresourcedefinitions.apiextensions.orch.io/v1beta1": `spec:\n  group: example.com\n  version: v1\n  scope: Namespaced\n${names}`,
  "certificatesigningrequests.certificates.orch.io": `spec:\n  signerName: example.com/clients\n  usages: [client auth]\n  request: ${request}`,
  "endpointslices.discovery.orch.io":
    "addressType: IPv4\nendpoints:\n  - addresses: [192.0.2.1]\nports:\n  - name: http\n    port: 80",
  "events.events.orch.io":
    'eventTime: "2026-01-01T00:00:00.000000Z"\nregarding:\n  kind: Pod\n  name: example\n  namespace: NAMESPACE\nreason: Example\nnote: what happened\naction: Look\ntype: Normal\nreportingController: example.com/console\nreportingInstance: console',
  events:
    "involvedObject:\n  kind: Pod\n  name: example\n  namespace: NAMESPACE\nreason: Example\nmessage: what happened\ntype: Normal",
  "flowschemas.flowcontrol.apiserver.orch.io":
    'spec:\n  priorityLevelConfiguration:\n    name: global-default\n  matchingPrecedence: 9000\n  rules:\n    - subjects:\n        - kind: User\n          user:\n            name: jane\n      nonResourceRules:\n        - verbs: ["*"]\n          nonResourceURLs: ["*"]',
  "prioritylevelconfigurations.flowcontrol.apiserver.orch.io":
    "spec:\n  type: Limited\n  limited:\n    limitResponse:\n      type: Reject",
  "priorityclasses.scheduling.orch.io": "value: 1000\ndescription: Before those that have none.",
  "runtimeclasses.node.orch.io": "handler: example",
  "resourceslices.resource.orch.io":
    "spec:\n  driver: devices.example.com\n  nodeName: node-0\n  pool:\n    name: node-0\n    generation: 1\n    resourceSliceCount: 1\n  devices:\n    - name: device-0",
  "validatingadmissionpolicies.admissionregistration.orch.io":
    "spec:\n  matchConstraints:\n    resourceRules:\n      - apiGroups: [apps]\n        apiVersions: [v1]\n        operations: [CREATE, UPDATE]\n        resources: [deployments]\n  validations:\n    - expression: object.spec.replicas <= 5\n      message: at most five replicas are allowed",
  "validatingadmissionpolicybindings.admissionregistration.orch.io":
    "spec:\n  policyName: example\n  validationActions: [Deny]",
};

/** Names that a kind asks for; all others are "example". */
export const sampleNames: Readonly<Record<string, string>> = {
  "apiservices.apiregistration.orch.io": "v1.example.com",
  "customresourcedefinitions.apiextensions.orch.io": "examples.example.com",
  "ipaddresses.networking.orch.io": "192.0.2.1",
};
