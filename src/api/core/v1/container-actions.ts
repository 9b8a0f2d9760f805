/** What is run in or asked of a container: probes and life-cycle hooks. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, int64, intOrString, list, optional, string, struct } from "../../../machinery/schema/build.ts";

export const ExecAction = struct("core.v1.ExecAction", {
  command: elided(list(string())).at(1),
});
export type ExecAction = Static<typeof ExecAction>;

export const HTTPHeader = struct("core.v1.HTTPHeader", {
  name: string().at(1),
  value: string().at(2),
});
export type HTTPHeader = Static<typeof HTTPHeader>;

export const HTTPGetAction = struct("core.v1.HTTPGetAction", {
  path: elided(string()).at(1).default("/"),
  port: intOrString().at(2),
  host: elided(string()).at(3),
  scheme: elided(string()).at(4).default("HTTP"),
  httpHeaders: elided(list(HTTPHeader)).at(5),
});
export type HTTPGetAction = Static<typeof HTTPGetAction>;

export const TCPSocketAction = struct("core.v1.TCPSocketAction", {
  port: intOrString().at(1),
  host: elided(string()).at(2),
});
export type TCPSocketAction = Static<typeof TCPSocketAction>;

export const Handler = struct("core.v1.Handler", {
  exec: optional(ExecAction).at(1),
  httpGet: optional(HTTPGetAction).at(2),
  tcpSocket: optional(TCPSocketAction).at(3),
});
export type Handler = Static<typeof Handler>;

export const Lifecycle = struct("core.v1.Lifecycle", {
  postStart: optional(Handler).at(1),
  preStop: optional(Handler).at(2),
});
export type Lifecycle = Static<typeof Lifecycle>;

export const Probe = struct(
  "core.v1.Probe",
  {
    exec: optional(ExecAction).at(1, "handler"),
    httpGet: optional(HTTPGetAction).at(2, "handler"),
    tcpSocket: optional(TCPSocketAction).at(3, "handler"),
    initialDelaySeconds: elided(int32()).at(2),
    timeoutSeconds: elided(int32()).at(3).default(1),
    periodSeconds: elided(int32()).at(4).default(10),
    successThreshold: elided(int32()).at(5).default(1),
    failureThreshold: elided(int32()).at(6).default(3),
    terminationGracePeriodSeconds: optional(int64()).at(7),
  },
  { inline: { handler: 1 } },
);
export type Probe = Static<typeof Probe>;
