/** Refusals of admission plugins and webhooks. */

import { type Phrases, pod, type Stand } from "./stand.suite.ts";

export const admissionPhrases = ({ ask }: Stand): Phrases => [
  [
    "unable to create new content in namespace ending because it is being terminated",
    () => ask("POST", "/api/v1/namespaces/ending/configmaps", { metadata: { name: "x" } }),
  ],
  [
    'namespaces "nowhere" not found',
    () => ask("POST", "/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "x" } }),
  ],
  [
    "exceeded quota: q, requested: configmaps=1, used: configmaps=",
    () => ask("POST", "/api/v1/namespaces/full/configmaps", { metadata: { name: "x" } }),
  ],
  ["failed quota: cpu: must specify", () => ask("POST", "/api/v1/namespaces/full/pods", pod("x"))],
  [
    "maximum cpu usage per Container is",
    () =>
      ask(
        "POST",
        "/api/v1/namespaces/limited/pods",
        pod("x", {
          containers: [{ name: "a", image: "i", resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } }],
        }),
      ),
  ],
  [
    'admission webhook "deny.example.com" denied the request: no',
    () => ask("POST", "/api/v1/namespaces/hooked/configmaps", { metadata: { name: "x" } }),
  ],
  [
    'failed calling webhook "fail.example.com": ',
    () => ask("POST", "/api/v1/namespaces/failing/configmaps", { metadata: { name: "x" } }),
  ],
  [
    "does not support dry run",
    () => ask("POST", "/api/v1/namespaces/hooked/secrets?dryRun=All", { metadata: { name: "x" } }),
  ],
  [
    "conversion webhook for example.com/v1, Kind=Widget failed: ",
    () => ask("GET", "/apis/example.com/v2/namespaces/default/widgets/w"),
  ],
];
