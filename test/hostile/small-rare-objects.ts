/** Small, valid objects of kinds that few users write, and of those that are asked and not stored. By "apiVersion Kind", in neutral names. */

const attributes = { namespace: "default", verb: "get", resource: "pods", name: "n" };
const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["bindings"] }];
const selector = { matchLabels: { app: "a" }, matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] };
const schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { a: { type: "string", enum: ["b"] } } } },
  required: ["spec"],
};

export const smallRareObjects: Readonly<Record<string, object>> = {
  "admissionregistration.orch.io/v1 MutatingWebhookConfiguration": {
    webhooks: [
      {
        name: "w.example.com",
        clientConfig: { url: "https://127.0.0.1:1/" },
        sideEffects: "None",
        failurePolicy: "Ignore",
        admissionReviewVersions: ["v1"],
        rules,
        objectSelector: selector,
      },
    ],
  },
  "admissionregistration.orch.io/v1beta1 MutatingAdmissionPolicy": {
    spec: {
      matchConstraints: { resourceRules: rules },
      variables: [{ name: "v", expression: "1 + 1" }],
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
      matchConditions: [{ name: "m", expression: "true" }],
      reinvocationPolicy: "Never",
    },
  },
  "admissionregistration.orch.io/v1beta1 MutatingAdmissionPolicyBinding": {
    spec: { policyName: "p", matchResources: { namespaceSelector: selector } },
  },
  "apiextensions.orch.io/v1 CustomResourceDefinition": {
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing", shortNames: ["th"], categories: ["all"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
        },
      ],
    },
  },
  "authentication.orch.io/v1 TokenReview": { spec: { token: "t", audiences: ["a"] } },
  "authorization.orch.io/v1 SelfSubjectAccessReview": { spec: { resourceAttributes: attributes } },
  "authorization.orch.io/v1 SelfSubjectRulesReview": { spec: { namespace: "default" } },
  "authorization.orch.io/v1 SubjectAccessReview": {
    spec: { resourceAttributes: attributes, user: "u", groups: ["g"], extra: { k: ["v"] } },
  },
  "authorization.orch.io/v1 LocalSubjectAccessReview": {
    spec: { resourceAttributes: attributes, user: "u", groups: ["g"], extra: { k: ["v"] } },
  },
  "events.orch.io/v1 Event": {
    eventTime: "2021-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
    action: "a",
    reason: "r",
    regarding: { namespace: "default" },
    type: "Normal",
    note: "n",
  },
  "flowcontrol.apiserver.orch.io/v1 PriorityLevelConfiguration": {
    spec: {
      type: "Limited",
      limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Queue", queuing: { queues: 8 } } },
    },
  },
  "networking.orch.io/v1 ServiceCIDR": { spec: { cidrs: ["198.51.100.0/24"] } },
  "policy/v1beta1 PodSecurityPolicy": {
    spec: {
      seLinux: { rule: "RunAsAny" },
      runAsUser: { rule: "MustRunAs", ranges: [{ min: 1, max: 2 }] },
      supplementalGroups: { rule: "RunAsAny" },
      fsGroup: { rule: "RunAsAny" },
      allowedHostPaths: [{ pathPrefix: "/p" }],
      volumes: ["*"],
      requiredDropCapabilities: ["ALL"],
    },
  },
  "resource.orch.io/v1 ResourceClaimTemplate": {
    spec: { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "d" } }] } } },
  },
  "storage.orch.io/v1 VolumeAttachment": {
    spec: { attacher: "x.example.com", nodeName: "n", source: { persistentVolumeName: "p" } },
  },
  "storage.orch.io/v1 VolumeAttributesClass": { driverName: "x.example.com", parameters: { a: "b" } },
  "storage.orch.io/v1 CSIStorageCapacity": { storageClassName: "s", nodeTopology: selector, capacity: "1Gi" },
};
