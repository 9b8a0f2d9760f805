/** Refusals of fields, of kinds and of custom resources. */

import { apply, configMaps, merge, type Phrases, pod, pods, type Stand, services } from "./stand.suite.ts";

export const fieldsPhrases = ({ ask, group }: Stand): Phrases => [
  [
    'Pod "x" is invalid: spec.containers: Required value',
    () => ask("POST", pods, { metadata: { name: "x" }, spec: {} }),
  ],
  [": Invalid value: ", () => ask("POST", pods, pod("X"))],
  [": Forbidden: ", () => ask("PUT", `${pods}/there`, pod("there", { hostNetwork: true }))],
  [
    ': Duplicate value: "a"',
    () =>
      ask(
        "POST",
        pods,
        pod("x", {
          containers: [
            { name: "a", image: "i" },
            { name: "a", image: "i" },
          ],
        }),
      ),
  ],
  [
    ': Unsupported value: "Y": supported values: "Always", "OnFailure", "Never"',
    () => ask("POST", pods, pod("x", { restartPolicy: "Y" })),
  ],
  [
    ": Too long: must have at most 262144 bytes",
    () => ask("POST", configMaps, { metadata: { name: "long", annotations: { a: "x".repeat(262_145) } } }),
  ],
  [
    "field is immutable",
    () =>
      ask("PATCH", `${configMaps}/fixed`, { data: { a: "c" }, metadata: { name: "fixed", uid: "other" } }, apply)
        .then(() => ask("PATCH", `${services}/s`, { metadata: { uid: "other" } }, merge))
        .then(() => ask("PATCH", `/apis/batch/v1/namespaces/default/jobs/j`, { spec: { completions: 7 } }, merge)),
  ],
  [
    "must be specified for an update",
    () =>
      ask("PUT", `/apis/${group("scheduling.orch.io")}/v1/priorityclasses/pc`, {
        metadata: { name: "pc" },
        value: 1,
      }).then(() =>
        ask("PUT", `/apis/${group("coordination.orch.io")}/v1/namespaces/default/leases/l`, {
          metadata: { name: "l" },
        }),
      ),
  ],
  [
    "pod updates may not change fields other than",
    () => ask("PATCH", `${pods}/there`, { spec: { hostNetwork: true } }, merge),
  ],
  [
    "must be less than or equal to",
    () =>
      ask(
        "POST",
        pods,
        pod("x", {
          containers: [{ name: "a", image: "i", resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }],
        }),
      ),
  ],
  [
    "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required",
    () =>
      ask("POST", `/apis/${group("apiextensions.orch.io")}/v1/customresourcedefinitions`, {
        metadata: { name: "gadgets.example.com" },
        spec: {
          group: "example.com",
          names: { plural: "gadgets", kind: "Gadget" },
          scope: "Namespaced",
          versions: [{ name: "v1", served: true, storage: true }],
        },
      }),
  ],
  [
    'spec.text in body must be of type string: "integer"',
    () =>
      ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "n" },
        spec: { text: 1, need: "a" },
      }),
  ],
  [
    "spec.need in body is required",
    () =>
      ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "n" },
        spec: {},
      }),
  ],
  [
    "spec.need in body should be one of [a b]",
    () =>
      ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "n" },
        spec: { need: "c" },
      }),
  ],
];
