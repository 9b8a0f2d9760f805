// How do I say what an object should be, and leave to others what is theirs? With apply: each manager owns the fields that it sends.
import { type Client, Deployment } from "orch/client";

/** Says nothing about the number of pods, so whoever scales keeps it. */
export const applyWeb = (client: Client, image: string) =>
  client.of(Deployment).apply(
    {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
      },
    },
    { manager: "release" },
  );

export const applyReplicas = (client: Client, replicas: number) =>
  client.of(Deployment).apply({ metadata: { name: "web" }, spec: { replicas } }, { manager: "scaling" });
