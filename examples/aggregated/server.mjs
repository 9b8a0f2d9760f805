// An API of its own behind the server: tides are computed, not stored. The server in front has authenticated and authorized who asks.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const groupVersion = "sea.example.com/v1";
const tide = (name) => ({
  apiVersion: groupVersion,
  kind: "Tide",
  metadata: { name },
  status: { meters: Number((2 + Math.sin(name.length)).toFixed(2)) },
});
const answers = {
  "/apis/sea.example.com/v1": {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion,
    resources: [{ name: "tides", singularName: "tide", namespaced: false, kind: "Tide", verbs: ["get", "list"] }],
  },
  "/apis/sea.example.com/v1/tides": {
    kind: "TideList",
    apiVersion: groupVersion,
    metadata: {},
    items: ["brest", "hamburg"].map(tide),
  },
  "/apis/sea.example.com/v1/tides/brest": tide("brest"),
};

const tls = { cert: readFileSync(process.argv[2]), key: readFileSync(process.argv[3]) };
createServer(tls, (request, response) => {
  const answer = answers[request.url.split("?")[0]];
  const missing = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code: 404,
    reason: "NotFound",
    message: "no such tide",
  };
  response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer ?? missing));
}).listen(Number(process.argv[4]), "127.0.0.1");
