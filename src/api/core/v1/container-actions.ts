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
  postStart: optional(Handler).at(1).doc("Done right after the start; when it fails the container is stopped."),
  preStop: optional(Handler)
    .at(2)
    .doc("Done before the container is told to stop, within the grace period of the pod."),
});
export type Lifecycle = Static<typeof Lifecycle>;

export const Probe = struct(
  "core.v1.Probe",
  {
    exec: optional(ExecAction).at(1, "handler").doc("A command in the container; it succeeds with exit status 0."),
    httpGet: optional(HTTPGetAction).at(2, "handler").doc("A GET request; it succeeds with a status from 200 to 399."),
    tcpSocket: optional(TCPSocketAction).at(3, "handler").doc("A connection; it succeeds when it opens."),
    initialDelaySeconds: elided(int32()).at(2).doc("How long after the start it is asked first."),
    timeoutSeconds: elided(int32()).at(3).default(1).doc("How long an answer may take."),
    periodSeconds: elided(int32()).at(4).default(10).doc("How often it is asked."),
    successThreshold: elided(int32())
      .at(5)
      .default(1)
      .doc("How often in a row it must succeed after it has failed; 1 for liveness and startup."),
    failureThreshold: elided(int32()).at(6).default(3).doc("How often in a row it must fail to count as failed."),
    terminationGracePeriodSeconds: optional(int64())
      .at(7)
      .doc("The grace period after a failure of this probe, in place of the pod's own."),
  },
  { inline: { handler: 1 } },
);
export type Probe = Static<typeof Probe>;
