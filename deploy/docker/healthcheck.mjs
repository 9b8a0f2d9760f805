/** Exits with 0 if the server of this container is alive: HEALTHCHECK of the Dockerfile. ORCH_HEALTH_URL names another path. */

import { request } from "node:https";

const url = process.env.ORCH_HEALTH_URL ?? "https://127.0.0.1:6443/livez";
// The certificate may not name 127.0.0.1, and nobody stands between a process and its own machine.
const call = request(url, { rejectUnauthorized: false, timeout: 4_000 }, (answer) => {
  answer.resume();
  // A server that lets only its users ask answers 401 or 403, which a dead one does not.
  process.exit([200, 401, 403].includes(answer.statusCode) ? 0 : 1);
});
call.on("timeout", () => process.exit(1));
call.on("error", () => process.exit(1));
call.end();
