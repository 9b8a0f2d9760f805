// How do I use the Kubernetes client for Node against a server in my test? Run: npm run build && node examples/informer.mjs
import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import { createServer } from "orch";

const server = await createServer({ vocabulary: "kubernetes" });
const config = new KubeConfig();
config.loadFromString((await server.clientConfig()).text);
const core = config.makeApiClient(CoreV1Api);

const namespace = "default";
const informer = makeInformer(config, "/api/v1/namespaces/default/pods", () => core.listNamespacedPod({ namespace }));
const deleted = new Promise((resolve) => informer.on("delete", resolve));
informer.on("add", (pod) => console.log("added", pod.metadata?.name));
informer.on("update", (pod) => console.log("updated", pod.metadata?.name, pod.status?.phase));
informer.on("delete", (pod) => console.log("deleted", pod.metadata?.name));
await informer.start();

const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "nginx" }] } };
await core.createNamespacedPod({ namespace, body: pod });
// There is no node agent: a test plays its part.
const created = await core.readNamespacedPod({ namespace, name: "web" });
await core.replaceNamespacedPodStatus({ namespace, name: "web", body: { ...created, status: { phase: "Running" } } });
await core.deleteNamespacedPod({ namespace, name: "web", gracePeriodSeconds: 0 });

await deleted;
await informer.stop();
await server.close();
