/** Probes and life-cycle hooks of a container. */

import type { Static } from "../../../../machinery/schema/build.ts";
import {
  elided,
  int32,
  int64,
  intOrString,
  list,
  nullable,
  optional,
  string,
  struct,
} from "../../../../machinery/schema/build.ts";
import { stopSignals } from "./stop-signals.ts";

const ExecAction = struct("core.v1.ExecAction", {
  command: elided(list(string()))
    .at(1)
    .required()
    .doc("The command and its arguments; no shell is involved. Exit code 0 is success."),
});

const HTTPHeader = struct("core.v1.HTTPHeader", {
  name: string().at(1).named("headerName").reported("").doc("The name of the header. Required."),
  value: string().at(2).doc("The value of the header."),
});

const HTTPGetAction = struct("core.v1.HTTPGetAction", {
  path: elided(string()).at(1).required().default("/").doc("The path to request. Default: /."),
  port: intOrString().at(2).named("port").doc("The port of the container, by number or name."),
  host: elided(string()).at(3).doc("The host to connect to. Absent: the IP address of the pod."),
  scheme: elided(string())
    .at(4)
    .oneOf(["HTTP", "HTTPS"])
    .evenEmpty()
    .default("HTTP")
    .doc("The scheme of the request: HTTP or HTTPS. Default: HTTP."),
  httpHeaders: elided(list(HTTPHeader.reported("")))
    .at(5)
    .doc("Headers to send; names may repeat."),
  protocol: optional(string())
    .at(6)
    .since("1.37")
    .oneOf(["HTTP1", "HTTP2"])
    .behind("H2CContainerProbe")
    .doc("HTTP1 or HTTP2; needs the feature gate H2CContainerProbe. Default: HTTP1."),
});

const TCPSocketAction = struct("core.v1.TCPSocketAction", {
  port: intOrString().at(1).named("port").doc("The port of the container, by number or name."),
  host: elided(string()).at(2).doc("The host to connect to. Absent: the IP address of the pod."),
});

const SleepAction = struct("core.v1.SleepAction", {
  seconds: int64().at(1).doc("How many seconds to wait."),
});

const GRPCAction = struct("core.v1.GRPCAction", {
  port: int32().at(1).named("port").doc("The number of the port of the gRPC service, 1 to 65535."),
  service: nullable(string())
    .at(2)
    .listed(false)
    .default("")
    .doc("The service that the health check asks about. Default: empty, the server as a whole."),
  mode: optional(string())
    .at(3)
    .since("1.37")
    .oneOf(["Plaintext", "TLS"])
    .behind("GRPCContainerProbeTLS")
    .doc("Plaintext or TLS; needs the feature gate GRPCContainerProbeTLS. Default: Plaintext."),
});

export const Handler = struct(
  "core.v1.Handler",
  {
    exec: optional(ExecAction).at(1).doc("Runs a command in the container."),
    httpGet: optional(HTTPGetAction).at(2).doc("Sends an HTTP request; a status from 200 to 399 is success."),
    tcpSocket: optional(TCPSocketAction)
      .at(3)
      .doc("Opens a TCP connection to a port of the container; the action succeeds if that works."),
    sleep: optional(SleepAction).at(4).since("1.29").behind("PodLifecycleSleepAction").doc("Waits for some seconds."),
  },
  { from: { "1.23": { name: "core.v1.LifecycleHandler" } } },
);
export type Handler = Static<typeof Handler>;

export const Lifecycle = struct("core.v1.Lifecycle", {
  postStart: optional(Handler)
    .at(1)
    .doc("Runs right after the container was created; if it fails the container is stopped."),
  preStop: optional(Handler).at(2).doc("Runs before the container is stopped, within the grace period of the pod."),
  stopSignal: optional(string())
    .at(3)
    .since("1.33")
    .openApiEnum(stopSignals)
    .doc("The signal that stops the container; needs spec.os.name and the feature gate ContainerStopSignals."),
});
export type Lifecycle = Static<typeof Lifecycle>;

export const Probe = struct(
  "core.v1.Probe",
  {
    exec: optional(ExecAction).at(1, "handler").doc("Runs a command in the container; exit code 0 is success."),
    httpGet: optional(HTTPGetAction)
      .at(2, "handler")
      .doc("Sends an HTTP request; a status from 200 to 399 is success."),
    tcpSocket: optional(TCPSocketAction)
      .at(3, "handler")
      .doc("Opens a TCP connection to a port of the container; the action succeeds if that works."),
    grpc: optional(GRPCAction)
      .at(4, "handler")
      .since("1.23")
      .behind("GRPCContainerProbe")
      .doc("Calls the health check of a gRPC server; the status SERVING is success."),
    initialDelaySeconds: elided(int32())
      .at(2)
      .atLeast(0)
      .doc("Seconds after the start until the first check. Default: 0."),
    timeoutSeconds: elided(int32())
      .at(3)
      .atLeast(0)
      .default(1)
      .doc("Seconds until a check counts as failed. Default: 1."),
    periodSeconds: elided(int32()).at(4).atLeast(0).default(10).doc("Seconds between two checks. Default: 10."),
    successThreshold: elided(int32())
      .at(5)
      .atLeast(0)
      .default(1)
      .doc(
        "Successes in a row after a failure until the probe counts as successful; must be 1 for liveness and startup. Default: 1.",
      ),
    failureThreshold: elided(int32())
      .at(6)
      .atLeast(0)
      .default(3)
      .doc("Failures in a row until the probe counts as failed. Default: 3."),
    terminationGracePeriodSeconds: optional(int64())
      .at(7)
      .from("1.22", (seconds) => seconds.atLeast(1, "must be greater than 0"))
      .doc("The grace period after a failure of this probe, in place of that of the pod."),
  },
  { inline: { handler: 1 } },
);
export type Probe = Static<typeof Probe>;
