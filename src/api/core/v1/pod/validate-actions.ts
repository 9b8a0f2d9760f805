/** Relations between the fields of probes and life-cycle hooks. */

import { on, onlyOne, type Relation } from "../../../../machinery/schema/constraints.ts";
import { invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { Container } from "./container.ts";
import { Handler, Probe } from "./container-actions.ts";

const oneAction = {
  members: ["exec", "httpGet", "tcpSocket"],
  missing: "must specify a handler type",
  surplus: "may not specify more than 1 handler type",
};

export const actionRelations: readonly Relation[] = [
  onlyOne(Handler, { ...oneAction, members: [...oneAction.members, "sleep"] }),
  onlyOne(Probe, { ...oneAction, members: [...oneAction.members, "grpc"] }),
  on(Container, ({ livenessProbe, readinessProbe, startupProbe }) => {
    if (!livenessProbe && !readinessProbe && !startupProbe) return noErrors;
    const grace = readinessProbe?.terminationGracePeriodSeconds;
    return [
      ...mustBeOne(livenessProbe, "livenessProbe"),
      // A readiness probe does not stop the container.
      ...(grace === undefined
        ? noErrors
        : [invalid("readinessProbe.terminationGracePeriodSeconds", grace, "must not be set for readinessProbes")]),
      ...mustBeOne(startupProbe, "startupProbe"),
    ];
  }),
];

const mustBeOne = (probe: Probe | undefined, field: string) =>
  probe === undefined || probe.successThreshold === 1
    ? []
    : [invalid(`${field}.successThreshold`, probe.successThreshold, "must be 1")];
