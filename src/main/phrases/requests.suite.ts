/** Refusals of requests: paths, bodies and queries. */

import { configMaps, type Phrases, pods, type Stand } from "./stand.suite.ts";

export const requestsPhrases = ({ ask }: Stand): Phrases => [
  ['pods "none" not found', () => ask("GET", `${pods}/none`)],
  ['pods "none" not found', () => ask("DELETE", `${pods}/none`)],
  ["the server could not find the requested resource", () => ask("GET", "/api/v1/nothings")],
  [
    "the object provided is unrecognized (must be of type Namespace)",
    () => ask("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } }),
  ],
  ["cannot be handled as a Pod", () => ask("POST", pods, { metadata: { name: "x" }, spec: { containers: "none" } })],
  ["couldn't get version/kind; json parse error", () => ask("POST", pods, "{ this is no JSON")],
  ["cannot restore map from string", () => ask("POST", configMaps, { metadata: { name: "m" }, data: "text" })],
  [
    "the body of the request was in an unknown format - accepted media types include: ",
    () => ask("POST", pods, "<pod/>", { type: "application/xml" }),
  ],
  [
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, ",
    () => ask("PATCH", `${pods}/none`, "{}", { type: "application/json" }),
  ],
  [
    "the namespace of the provided object does not match the namespace sent on the request",
    () => ask("POST", configMaps, { metadata: { name: "n", namespace: "other" } }),
  ],
  [
    `the API version in the data (apps/v1) does not match the expected API version (v1)`,
    () => ask("PUT", `${configMaps}/x`, { apiVersion: "apps/v1", kind: "ConfigMap", metadata: { name: "x" } }),
  ],
  [
    "the name of the object (b) does not match the name on the URL (x)",
    () => ask("PUT", `${configMaps}/x`, { metadata: { name: "b" } }),
  ],
  ["resourceVersionMatch is forbidden", () => ask("GET", `${pods}?resourceVersionMatch=Exact`)],
  ["Too large resource version: 999999999, current: ", () => ask("GET", `${pods}?resourceVersion=999999999`)],
  ["unable to parse requirement: ", () => ask("GET", `${pods}?labelSelector=${encodeURIComponent("a in b")}`)],
  ["field label not supported: spec.nothing", () => ask("GET", `${pods}?fieldSelector=spec.nothing%3Da`)],
  ["is not a known field selector", () => ask("GET", `${configMaps}?fieldSelector=data%3Da`)],
  [
    "Request entity too large: limit is 3145728",
    () => ask("POST", configMaps, { metadata: { name: "x" }, data: { a: "x".repeat(3_200_000) } }),
  ],
  [
    "etcdserver: request is too large",
    () =>
      ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "big" },
        text: "x".repeat(1_600_000),
      }),
  ],
];
