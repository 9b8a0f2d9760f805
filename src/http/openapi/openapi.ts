/** The OpenAPI documents at /openapi/v2 and below /openapi/v3. Made on the first request. */

import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { serveV2 } from "./serve-v2.ts";
import { serveV3 } from "./serve-v3.ts";

/** Undefined: the path is not an OpenAPI path. */
export function createOpenApi(context: ServerContext): (call: Call) => Promise<void> | undefined {
  const info = { title: "orch", version: context.version.gitVersion };
  const v2 = serveV2(context, info);
  const v3 = serveV3(context, info);
  return (call) => {
    const { path } = call.info;
    if (!path.startsWith("/openapi/")) return undefined;
    if (path === "/openapi/v2") return v2(call);
    if (path === "/openapi/v3" || path.startsWith("/openapi/v3/")) return v3(call);
    return undefined;
  };
}
