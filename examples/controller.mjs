// How do I write a controller? Run: npm run build && node examples/controller.mjs
// Each Greeting (a custom resource) gets a ConfigMap with its text, which goes away together with the Greeting.
import { createServer } from "orch";

const server = await createServer();
const greetings = "/apis/example.com/v1/namespaces/default/greetings";
const configMaps = "/api/v1/namespaces/default/configmaps";

async function call(method, path, body, type = "application/json") {
  const answer = await server.fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error((await answer.json()).message);
  return answer.json();
}

/** Everything a controller does for one object. It may run at any time and as often as it likes: the result is the same. */
async function reconcile({ apiVersion, kind, metadata: { name, uid }, spec }) {
  const owner = { apiVersion, kind, name, uid, controller: true };
  const wanted = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ownerReferences: [owner] },
    data: { text: `Hello, ${spec.who}` },
  };
  await call("PATCH", `${configMaps}/${name}?fieldManager=greeter&force=true`, wanted, "application/apply-patch+yaml");
}

/** The objects that are there, then every change of them. */
async function* changes(path) {
  const { items, metadata } = await call("GET", path);
  for (const object of items) yield { type: "ADDED", object };
  const watch = `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  let rest = "";
  const { body } = await server.fetch(watch);
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

const spec = { type: "object", properties: { who: { type: "string" } } };
const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
await call("POST", "/apis/apiextensions.orch.io/v1/customresourcedefinitions", {
  metadata: { name: "greetings.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "greetings", kind: "Greeting" },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
});
await call("POST", greetings, {
  apiVersion: "example.com/v1",
  kind: "Greeting",
  metadata: { name: "a" },
  spec: { who: "you" },
});

for await (const { type, object } of changes(greetings)) {
  if (type === "DELETED") break;
  await reconcile(object);
  console.log((await call("GET", `${configMaps}/a`)).data.text);
  if (object.spec.who === "all") await call("DELETE", `${greetings}/a`);
  else await call("PATCH", `${greetings}/a`, { spec: { who: "all" } }, "application/merge-patch+json");
}
// The garbage collector of the server deletes the ConfigMap, since its owner is gone.
while ((await server.fetch(`${configMaps}/a`)).status !== 404) await new Promise((resolve) => setTimeout(resolve, 10));
console.log("gone");
await server.close();
