/** What a suite exports of `orch` and `orch/testing`, which `declaration: true` has to write down. */

import { createServer, kinds, nodeListener, type OrchServer, on, plugin, refuse, under } from "orch";
import { expectObject, serverFixture, serverForEach, withServer } from "orch/testing";
export const rule = on(kinds.ConfigMap, ["CREATE", "UPDATE"], {
  validate(request) {
    if (request.object.data?.["secret"]) throw refuse(request, "no");
  },
});
export const path = under(kinds.Pod, "status");
export const both = plugin("names", [rule, on(path, "UPDATE", { validate() {} })]);
export const refusal = refuse;
export const start = () => createServer({ admission: [both] });
export const faulty = (server: OrchServer) => server.faults.add({ match: { verb: "create" }, do: { status: 503 } });
export const seen = (server: OrchServer) => server.journal.requests();
export const clock = (server: OrchServer) => server.clock;
export const listener = (server: OrchServer) => nodeListener(server.handler({ authenticate: () => undefined }));
export const run = withServer;
export const fixture = serverFixture({ controllers: ["*"] });
export const each = serverForEach;
export const found = expectObject;
