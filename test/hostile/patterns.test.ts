/** Texts that keep the pattern of a check busy. */

import { describe, expect, test } from "vitest";
import { useTarget } from "./target.ts";

const target = useTarget();
const core = "/api/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.orch.io/v1";

describe("N10 expensive patterns", () => {
  const pod = (spec: object, metadata: object = {}) => ({
    metadata: { name: "p", ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
  const container = (fields: object) => pod({ containers: [{ name: "c", image: "i", ...fields }] });
  const fields: { what: string; path: string; body(text: string): object }[] = [
    { what: "names", path: `${core}/configmaps`, body: (name) => ({ metadata: { name } }) },
    { what: "prefixes of names", path: `${core}/configmaps`, body: (generateName) => ({ metadata: { generateName } }) },
    {
      what: "label keys",
      path: `${core}/configmaps`,
      body: (key) => ({ metadata: { name: "n", labels: { [key]: "v" } } }),
    },
    {
      what: "label values",
      path: `${core}/configmaps`,
      body: (value) => ({ metadata: { name: "n", labels: { a: value } } }),
    },
    {
      what: "annotation keys",
      path: `${core}/configmaps`,
      body: (key) => ({ metadata: { name: "n", annotations: { [key]: "v" } } }),
    },
    {
      what: "finalizers",
      path: `${core}/configmaps`,
      body: (text) => ({ metadata: { name: "n", finalizers: [text] } }),
    },
    {
      what: "owners",
      path: `${core}/configmaps`,
      body: (text) => ({
        metadata: { name: "n", ownerReferences: [{ apiVersion: text, kind: text, name: text, uid: text }] },
      }),
    },
    {
      what: "managers",
      path: `${core}/configmaps`,
      body: (text) => ({
        metadata: {
          name: "n",
          managedFields: [{ manager: text, operation: "Update", apiVersion: text, fieldsType: "FieldsV1", time: text }],
        },
      }),
    },
    {
      what: "keys of data",
      path: `${core}/configmaps`,
      body: (key) => ({ metadata: { name: "n" }, data: { [key]: "v" } }),
    },
    {
      what: "binary data",
      path: `${core}/configmaps`,
      body: (text) => ({ metadata: { name: "n" }, binaryData: { a: text } }),
    },
    {
      what: "quantities",
      path: `${core}/pods`,
      body: (text) => container({ resources: { limits: { memory: text } } }),
    },
    {
      what: "resource names",
      path: `${core}/pods`,
      body: (text) => container({ resources: { limits: { [text]: "1" } } }),
    },
    {
      what: "variables",
      path: `${core}/pods`,
      body: (name) => container({ env: [{ name, valueFrom: { fieldRef: { fieldPath: name } } }] }),
    },
    {
      what: "port names",
      path: `${core}/pods`,
      body: (name) => container({ ports: [{ name, containerPort: 80, hostIP: name }] }),
    },
    {
      what: "probes",
      path: `${core}/pods`,
      body: (text) =>
        container({
          livenessProbe: {
            httpGet: { path: text, port: text, host: text, httpHeaders: [{ name: text, value: text }] },
          },
        }),
    },
    {
      what: "volumes",
      path: `${core}/pods`,
      body: (text) =>
        pod({
          volumes: [
            { name: text, hostPath: { path: text } },
            { name: "s", secret: { secretName: text, items: [{ key: text, path: text }] } },
          ],
        }),
    },
    {
      what: "host names",
      path: `${core}/pods`,
      body: (text) =>
        pod({ hostname: text, subdomain: text, nodeName: text, hostAliases: [{ ip: text, hostnames: [text] }] }),
    },
    {
      what: "sysctls",
      path: `${core}/pods`,
      body: (name) => pod({ securityContext: { sysctls: [{ name, value: name }] } }),
    },
    {
      what: "tolerations",
      path: `${core}/pods`,
      body: (key) => pod({ tolerations: [{ key, operator: "Equal", value: key }] }),
    },
    {
      what: "affinities",
      path: `${core}/pods`,
      body: (key) =>
        pod({
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "Gt", values: [key] }] }],
              },
            },
          },
        }),
    },
    {
      what: "addresses of services",
      path: `${core}/services`,
      body: (text) => ({
        metadata: { name: "s" },
        spec: {
          clusterIP: text,
          externalName: text,
          loadBalancerIP: text,
          loadBalancerSourceRanges: [text],
          ports: [{ port: 80, name: text, targetPort: text }],
        },
      }),
    },
    {
      what: "schedules",
      path: "/apis/batch/v1/namespaces/default/cronjobs",
      body: (schedule) => ({
        metadata: { name: "c" },
        spec: { schedule, jobTemplate: { spec: { template: pod({ restartPolicy: "Never" }) } } },
      }),
    },
    {
      what: "times",
      path: "/apis/coordination.orch.io/v1/namespaces/default/leases",
      body: (text) => ({ metadata: { name: "l" }, spec: { renewTime: text, holderIdentity: text } }),
    },
    {
      what: "hosts and paths of ingresses",
      path: "/apis/networking.orch.io/v1/namespaces/default/ingresses",
      body: (text) => ({
        metadata: { name: "i" },
        spec: {
          tls: [{ hosts: [text] }],
          rules: [
            {
              host: text,
              http: {
                paths: [{ path: text, pathType: "Prefix", backend: { service: { name: text, port: { name: text } } } }],
              },
            },
          ],
        },
      }),
    },
    {
      what: "blocks of policies",
      path: "/apis/networking.orch.io/v1/namespaces/default/networkpolicies",
      body: (cidr) => ({
        metadata: { name: "p" },
        spec: {
          podSelector: { matchLabels: { [cidr]: cidr } },
          ingress: [{ from: [{ ipBlock: { cidr, except: [cidr] } }], ports: [{ port: cidr }] }],
        },
      }),
    },
    {
      what: "rules of roles",
      path: `${rbac}/clusterroles`,
      body: (text) => ({
        metadata: { name: text },
        rules: [{ apiGroups: [text], resources: [text], verbs: [text], nonResourceURLs: [text] }],
      }),
    },
    {
      what: "signers",
      path: "/apis/certificates.orch.io/v1/certificatesigningrequests",
      body: (text) => ({ metadata: { name: "r" }, spec: { request: text, signerName: text, usages: [text] } }),
    },
    {
      what: "rolling updates",
      path: "/apis/apps/v1/namespaces/default/deployments",
      body: (text) => ({
        metadata: { name: "d" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          strategy: { rollingUpdate: { maxSurge: text, maxUnavailable: text } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: text }] } },
        },
      }),
    },
    {
      what: "webhooks",
      path: "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations",
      body: (text) => ({
        metadata: { name: "w" },
        webhooks: [
          {
            name: text,
            sideEffects: "None",
            admissionReviewVersions: [text],
            clientConfig: { url: text },
            rules: [{ operations: [text], apiGroups: [text], apiVersions: [text], resources: [text] }],
          },
        ],
      }),
    },
    {
      what: "names of definitions",
      path: "/apis/apiextensions.orch.io/v1/customresourcedefinitions",
      body: (text) => ({
        metadata: { name: text },
        spec: {
          group: text,
          scope: "Namespaced",
          names: { plural: text, kind: text, singular: text, shortNames: [text] },
          versions: [
            { name: text, served: true, storage: true, schema: { openAPIV3Schema: { type: "object", pattern: text } } },
          ],
        },
      }),
    },
  ];
  const texts = [
    `${"a".repeat(65_536)}!`,
    "a.".repeat(32_768),
    "a-".repeat(32_768),
    `${"1".repeat(65_536)}x`,
    ":".repeat(65_536),
    "/a".repeat(32_768),
    " \t\n".repeat(20_000),
    "1.".repeat(32_768),
    "* ".repeat(32_768),
    "2021-01-01T00:00:00".padEnd(65_536, "0"),
    "é".repeat(32_768),
    "x".repeat(400_000),
  ];
  for (const { what, path, body } of fields) {
    test(`N10 patterns: no text makes the check of ${what} slow`, async () => {
      await target.beside(async () => {
        for (let at = 0; at < texts.length; at += 6) {
          await Promise.all(
            texts.slice(at, at + 6).map(async (text) => {
              const answer = await target.post(`${path}?dryRun=All`, body(text));
              const shown = `${text.slice(0, 4)} of ${text.length}: ${answer.status} ${answer.text.slice(0, 200)}`;
              expect([shown, [201, 400, 413, 422].includes(answer.status)]).toEqual([shown, true]);
              // A refusal must not be many times what was sent.
              if (answer.status !== 201) expect(answer.text.length).toBeLessThan(10 * text.length + 100_000);
            }),
          );
        }
      });
    });
  }
});
