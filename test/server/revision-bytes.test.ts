/** The data of ControllerRevisions as clients get it: controllers of other servers compare it byte by byte. */

import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const apps = "/apis/apps/v1/namespaces/default";
const selector = { matchLabels: { app: "a" } };
const template = {
  metadata: { labels: { app: "a", "10": "x", "2": "y" } },
  spec: { containers: [{ name: "c", image: "i", command: ["sh", "-c", "a < b && c > d"] }] },
};

/** As the reference's controllers write it; checked with its own types and encoder. */
const expected = (created: string) =>
  `{"spec":{"template":{"$patch":"replace","metadata":{${created}"labels":{"10":"x","2":"y","app":"a"}},"spec":{"containers":[{` +
  '"command":["sh","-c","a \\u003c b \\u0026\\u0026 c \\u003e d"],"image":"i","imagePullPolicy":"Always","name":"c","resources":{},' +
  '"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst",' +
  '"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}}';

for (const emulatedVersion of ["1.21", "1.35"] as const) {
  test(`the data of a revision has the bytes of the reference at level ${emulatedVersion}`, async () => {
    await using server = await createServer({
      ...{ emulatedVersion, vocabulary: "kubernetes", controllers: ["daemonset", "statefulset"] },
    });
    const post = (resource: string, spec: object) =>
      server.fetch(`${apps}/${resource}`, { method: "POST", body: JSON.stringify({ metadata: { name: "x" }, spec }) });
    await post("daemonsets", { selector, template });
    await post("statefulsets", { selector, template, serviceName: "s" });
    const revisions = async (accept: string) => {
      const answer = await server.fetch(`${apps}/controllerrevisions`, { headers: { accept } });
      return Buffer.from(await answer.arrayBuffer()).toString("latin1");
    };
    const data = expected(emulatedVersion === "1.21" ? '"creationTimestamp":null,' : "");
    for (const accept of ["application/json", "application/vnd.kubernetes.protobuf"])
      await expect.poll(async () => (await revisions(accept)).split(data).length - 1).toBe(2);
  });
}
