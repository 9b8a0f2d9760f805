/** Labels and annotations of slices, in the vocabulary of the server. */

import type { Vocabulary } from "../../../vocabulary/vocabulary.ts";

export interface SliceKeys {
  readonly serviceName: string;
  readonly managedBy: string;
  readonly headless: string;
  readonly triggerTime: string;
  readonly zone: string;
  /** Annotations of services that ask for hints by zone; the old one wins. */
  readonly topologyMode: string;
  readonly oldTopologyMode: string;
  /** Labels of nodes that run the control plane. */
  readonly controlPlanes: readonly string[];
  readonly skipMirror: string;
  readonly leader: string;
  readonly lastApplied: string;
  /** Values of `managedBy`. */
  readonly controller: string;
  readonly mirroring: string;
}

export const sliceKeys = ({ word }: Vocabulary): SliceKeys => ({
  serviceName: word("orch.io/service-name"),
  managedBy: word("endpointslice.orch.io/managed-by"),
  headless: word("service.orch.io/headless"),
  triggerTime: word("endpoints.orch.io/last-change-trigger-time"),
  zone: word("topology.orch.io/zone"),
  topologyMode: word("service.orch.io/topology-mode"),
  oldTopologyMode: word("service.orch.io/topology-aware-hints"),
  controlPlanes: [word("node-role.orch.io/control-plane"), word("node-role.orch.io/master")],
  skipMirror: word("endpointslice.orch.io/skip-mirror"),
  leader: word("control-plane.alpha.orch.io/leader"),
  lastApplied: word("ctl.orch.io/last-applied-configuration"),
  controller: word("endpointslice-controller.orch.io"),
  mirroring: word("endpointslicemirroring-controller.orch.io"),
});
