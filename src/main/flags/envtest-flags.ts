/** The flags of `orch envtest`, and those that test tools pass to a kube-apiserver. */

import { bool, choice, type Flag, string } from "../../base/flags/flag.ts";
import { newestLevel } from "../../machinery/schema/levels.ts";
import { apiserverFlags } from "./apiserver-flags.ts";
import { likeOf, likesOf } from "./like.ts";

export const envtestFlags = {
  like: choice(
    likesOf("kubernetes"),
    "the names and the release whose API kube-apiserver serves",
    likeOf("kubernetes", newestLevel),
  ),
  version: string("the release, such as 1.28 or 1.28.x, with the names of --like=kubernetes", ""),
  env: bool("print lines for a shell to evaluate (TEST_ASSET_KUBE_APISERVER and others) instead of the folder", false),
};

const later = "it is of a later release and changes nothing that tests see";

/** Flags of releases after v1.21 that suites pass, and that need no effect here. */
const laterFlags = {
  "aggregator-reject-forwarding-redirect": bool("", true, { pending: later }),
  "allow-metric-labels-manifest": string("", "", { pending: later }),
  "coordinated-leadership-lease-duration": string("", "", { pending: later }),
  "coordinated-leadership-renew-deadline": string("", "", { pending: later }),
  "coordinated-leadership-retry-period": string("", "", { pending: later }),
  "debug-socket-path": string("", "", { pending: later }),
  "disable-http2-serving": bool("", false, { pending: later }),
  "emulation-forward-compatible": bool("", false, { pending: later }),
  "encryption-provider-config-automatic-reload": bool("", false, { pending: later }),
  "etcd-readycheck-timeout": string("", "", { pending: later }),
  "log-json-info-buffer-size": string("", "", { pending: later }),
  "log-json-split-stream": bool("", false, { pending: later }),
  "log-text-info-buffer-size": string("", "", { pending: later }),
  "log-text-split-stream": bool("", false, { pending: later }),
  "min-compatibility-version": string("", "", { pending: later }),
  "peer-advertise-ip": string("", "", { pending: later }),
  "peer-advertise-port": string("", "", { pending: later }),
  "peer-ca-file": string("", "", { pending: later }),
  "requestheader-uid-headers": string("", "", { pending: later }),
  "runtime-config-emulation-forward-compatible": bool("", false, { pending: later }),
  "shutdown-send-retry-after": bool("", false, { pending: later }),
  "shutdown-watch-termination-grace-period": string("", "", { pending: later }),
  "storage-initialization-timeout": string("", "", { pending: later }),
  "tracing-config-file": string("", "", { pending: later }),
} satisfies Record<string, Flag>;

/** The server is in memory whatever --etcd-servers says, because `etcd` stands in for one that keeps nothing. */
export const envtestServerFlags: typeof apiserverFlags = {
  ...laterFlags,
  ...apiserverFlags,
  vocabulary: { ...apiserverFlags.vocabulary, default: "kubernetes" },
  "emulated-version": { ...apiserverFlags["emulated-version"], default: newestLevel },
};
