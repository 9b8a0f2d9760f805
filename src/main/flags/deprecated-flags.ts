/** Flags that v1.21 still accepts, with the warning that it prints, and that have no effect any more. */

import { bool, type Flag, int, string } from "../../base/flags/flag.ts";

const insecure = "This flag has no effect now and will be removed in v1.24.";
const tunnels = "This flag will be removed in a future version.";

/** Flags of the API server. */
export const deprecatedFlags = {
  "insecure-port": int("", 0, { deprecated: insecure }),
  "insecure-bind-address": string("", "", { deprecated: insecure }),
  address: string("", "", { deprecated: insecure }),
  port: int("", 0, { deprecated: insecure }),
  "target-ram-mb": int("", 0, { deprecated: "This flag will be removed in v1.23" }),
  "orchlet-https": bool("", true, {
    deprecated: "API Server connections to orchlets always use https. This flag will be removed in v1.22.",
    aliases: ["kubelet-https"],
  }),
  "orchlet-port": int("", 10_250, {
    deprecated: "orchlet-port is deprecated and will be removed.",
    aliases: ["kubelet-port"],
  }),
  "orchlet-read-only-port": int("", 10_255, {
    deprecated: "orchlet-read-only-port is deprecated and will be removed.",
    aliases: ["kubelet-read-only-port"],
  }),
  "ssh-user": string("", "", { deprecated: tunnels }),
  "ssh-keyfile": string("", "", { deprecated: tunnels }),
  "enable-logs-handler": bool("", true, { deprecated: "This flag will be removed in v1.19" }),
  "enable-swagger-ui": bool("", false, { deprecated: "swagger 1.2 support has been removed" }),
} satisfies Record<string, Flag>;

/** Flags of the controller manager. */
export const deprecatedManagerFlags = {
  address: string("", "0.0.0.0", { deprecated: "see --bind-address instead." }),
  port: int("", 0, { deprecated: "see --secure-port instead." }),
} satisfies Record<string, Flag>;
