/** What the flags of a command mean for the parts of a server, as `library/run-choices.ts` says it for options; and the server. */

import { catalog as kinds } from "../../api/catalog.ts";
import { FlagError } from "../../base/flags/flag.ts";
import type { AddressCheck } from "../../base/https-call.ts";
import type { Log } from "../../base/log.ts";
import { memoryBytes } from "../../base/memory-limit.ts";
import type { Metric } from "../../base/metrics.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import { bodiesBytesIn } from "../../http/server/context.ts";
import type { Kv } from "../../kv/contract.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import { withSimulated } from "../../simulation/agent/simulated-network.ts";
import { publishedConfiguration } from "../../upkeep/published-configuration.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createAccess } from "../access/access.ts";
import { accessInside } from "../access/inside.ts";
import { externalUrl } from "../addresses.ts";
import type { openAudit } from "../audit.ts";
import { deprecatedChoices } from "../flags/deprecated-choices.ts";
import { checkGates } from "../flags/gates.ts";
import { insecureChoices } from "../flags/insecure-choices.ts";
import { readAccess } from "../flags/read-access.ts";
import { checkImageReviews, imageReviews, readAdmissionConfiguration } from "../flags/read-admission-configuration.ts";
import { readIdentity, readProxyFlags } from "../flags/read-proxy.ts";
import { readIdentityLease, readServiceFlags } from "../flags/read-services.ts";
import { checkRuntimeConfig, createIsServed, type IsServed } from "../flags/runtime-config.ts";
import { unservedReviews } from "../flags/unserved-reviews.ts";
import { unusedChoices } from "../flags/unused-choices.ts";
import { webhookAddresses, workspaceAddresses } from "../flags/webhook-addresses.ts";
import { type HistoryKinds, historyKindsOf } from "../history-kinds.ts";
import { readMetricChoice } from "../metric-choice.ts";
import type { Certificates } from "../pki/certificates.ts";
import type { RevocationFile } from "../pki/revocation-file.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServer, type Server } from "../server.ts";
import { initialObjects } from "../stores/initial-objects.ts";
import { isShared, openStore } from "../stores/store.ts";
import { chooseStore, historyOf } from "../stores/store-choice.ts";
import { openServerWithWorkspaces } from "../workspaces/serve.ts";
import type { WorkspaceServers } from "../workspaces/workspaces.ts";
import { workspacesPrefix } from "../workspaces/workspaces.ts";
import type { ApiServerFlags, ApiServerOptions } from "./apiserver.ts";

/** What is opened before the server, and closed after it. */
interface FlagParts {
  readonly vocabulary: Vocabulary;
  readonly certificates: Certificates;
  readonly revocations: RevocationFile;
  readonly audit: Awaited<ReturnType<typeof openAudit>>;
  readonly encryption: Encryption;
  readonly lateServer: LateServer;
  readonly onClose: (close: () => void) => void;
  readonly metrics: readonly Metric[];
}

/** What is known once the server runs, for parts that are made before. */
export interface LateServer {
  port: number;
  endWatches(): void;
}

export async function openFlagServer(options: ApiServerOptions, parts: FlagParts): Promise<Server> {
  const { flags, clock, log, startWorkspaceControllers } = options;
  const read = await readChoices(options, parts);
  const kv = await openStore(read.store, { clock, log });
  const choices = new FlagChoices(options, parts, read, kv);
  if (!flags.workspaces) {
    const { entries } = await kv.range(workspacesPrefix, { limit: 1, uncounted: true });
    if (entries.length > 0) log.warn("the store has workspaces, which are served with --workspaces");
    return openServer(choices.serverOptions());
  }
  if (startWorkspaceControllers === undefined)
    log.warn(
      "no controllers run in workspaces here: orch up --workspaces has them, also beside this server on one store",
    );
  return openServerWithWorkspaces(choices.serverOptions(), choices.workspaceServers());
}

type ReadChoices = Awaited<ReturnType<typeof readChoices>>;

/** Reads the files that flags name, and warns of choices. Throws an Error that names the flag, if one cannot be. */
async function readChoices({ flags, clock, log }: ApiServerOptions, parts: FlagParts) {
  const { vocabulary, certificates, revocations, lateServer, onClose } = parts;
  const level = flags["emulated-version"];
  const names = {
    hostname: flags["external-hostname"],
    advertised: flags["advertise-address"],
    bound: flags["bind-address"],
  };
  const { anonymous, ...access } = await readAccess({
    flags,
    certificates,
    revocations,
    vocabulary,
    clock,
    log,
    url: () => externalUrl(names, lateServer.port),
    // A user who has just lost a right must not keep a watch open.
    onChange: () => lateServer.endWatches(),
    onClose,
  });
  const allowsAll = access.authorization.modes.includes("AlwaysAllow");
  warnOf(flags, allowsAll && anonymous !== false, log);
  checkGates(flags["feature-gates"], log, level);
  const isServed = readRuntimeConfig(flags, vocabulary, log, level);
  const historyKinds = readHistoryKinds(flags, vocabulary);
  for (const sentence of unservedReviews(flags, isServed, vocabulary)) log.warn(sentence);
  const proxy = await readProxyFlags(flags, () => lateServer.port);
  const proxyIdentity = await readIdentity(flags, "proxy-client-cert-file", "proxy-client-key-file");
  const metrics = readMetricChoice(flags);
  const configuration = await readAdmissionConfiguration(flags, vocabulary, (sentence) => log.warn(sentence));
  const services = readServiceFlags(flags);
  const store = await chooseStore(flags);
  if (store.store === "memory" && flags["kvstore-servers"].length > 0)
    log.warn("--store=memory is used, and the etcd servers are not", { servers: flags["kvstore-servers"] });
  return {
    access,
    anonymous: allowsAll ? false : anonymous,
    isServed,
    historyKinds,
    proxy,
    proxyIdentity,
    metrics,
    configuration,
    services,
    store,
  };
}

function warnOf(flags: ApiServerFlags, refusesAnonymous: boolean, log: Log): void {
  for (const choice of insecureChoices(flags)) log.warn(`not secure: ${choice}`);
  if (refusesAnonymous) log.info("anonymous requests are refused, because the authorization mode is AlwaysAllow");
  for (const choice of deprecatedChoices(flags["enable-admission-plugins"])) log.warn(choice);
  for (const choice of unusedChoices(flags)) log.warn(choice);
}

class FlagChoices {
  readonly #options: ApiServerOptions;
  readonly #parts: FlagParts;
  readonly #read: ReadChoices;
  readonly #kv: Kv;
  readonly #localWebhooks: AddressCheck;

  constructor(options: ApiServerOptions, parts: FlagParts, read: ReadChoices, kv: Kv) {
    const { flags } = options;
    this.#options = options;
    this.#parts = parts;
    this.#read = read;
    this.#kv = kv;
    this.#localWebhooks = webhookAddresses({
      local: flags["webhook-local-targets"],
      bindAddress: flags["bind-address"],
      ownPort: () => parts.lateServer.port,
    });
  }

  serverOptions(): ServerOptions {
    const { flags, clock, log } = this.#options;
    return {
      clock,
      log,
      api: this.#api(),
      store: this.#store(),
      access: this.#access(),
      admission: this.#admission(),
      requests: this.#requests(),
      network: this.#network(),
      metrics: { more: this.#parts.metrics, choice: this.#read.metrics, profiling: flags.profiling },
    };
  }

  workspaceServers(): WorkspaceServers {
    const { flags, startWorkspaceControllers } = this.#options;
    const { access } = this.#read;
    return {
      webhookAddresses: workspaceAddresses({
        local: flags["workspace-local-targets"],
        rootAddresses: this.#localWebhooks,
      }),
      accessOf: (workspace) => (made) => createAccess(accessInside(access, workspace), made),
      startControllers: startWorkspaceControllers,
    };
  }

  #api(): ServerOptions["api"] {
    const { flags, simulated, runningHere, faultPlans } = this.#options;
    return {
      vocabulary: this.#parts.vocabulary,
      level: flags["emulated-version"],
      gates: flags["feature-gates"],
      isServed: this.#read.isServed,
      allowPrivileged: flags["allow-privileged"],
      virtual: simulated?.virtual,
      runningHere,
      faultPlans,
    };
  }

  #store(): ServerOptions["store"] {
    const { flags } = this.#options;
    const { store, historyKinds } = this.#read;
    return {
      kv: this.#kv,
      isShared: isShared(store.store),
      timeoutMs: flags["kvstore-healthcheck-timeout"],
      historyMs: historyOf(flags),
      historyKinds,
      sizePollMs: flags["kvstore-db-metric-poll-interval"],
      eventTtlMs: flags["event-ttl"],
      encryption: this.#parts.encryption,
      initialObjects,
    };
  }

  #access(): ServerOptions["access"] {
    const { access, anonymous } = this.#read;
    const { certificates } = this.#parts;
    return {
      open: (made) => createAccess(access, made),
      anonymous,
      published: publishedConfiguration({
        clientCa: certificates.clientPem,
        frontProxy: frontProxyOf(this.#options.flags, certificates),
      }),
    };
  }

  #admission(): ServerOptions["admission"] {
    const { flags, makesAccounts = false } = this.#options;
    return {
      enable: flags["enable-admission-plugins"],
      disable: flags["disable-admission-plugins"],
      configuration: this.#read.configuration,
      makesAccounts,
      notReadyTolerationSeconds: flags["default-not-ready-toleration-seconds"],
      unreachableTolerationSeconds: flags["default-unreachable-toleration-seconds"],
    };
  }

  #requests(): ServerOptions["requests"] {
    const { flags, interventions, routes } = this.#options;
    return {
      limits: limitsOf(flags),
      fairness: flags["enable-priority-and-fairness"],
      audit: this.#parts.audit,
      livezGraceMs: flags["livez-grace-period"],
      ...(interventions === undefined ? {} : { interventions }),
      ...(routes === undefined ? {} : { routes }),
    };
  }

  #network(): ServerOptions["network"] {
    const { flags, simulated } = this.#options;
    const { proxy, proxyIdentity, services } = this.#read;
    return {
      services,
      proxyIdentity,
      proxy: {
        ...proxy,
        allows: withSimulated(proxy.allows, simulated?.network.proxied),
        nodeAgents: { ...proxy.nodeAgents, own: simulated?.agents },
      },
      webhookAddresses: withSimulated(this.#localWebhooks, simulated?.network.called),
      identityLease: readIdentityLease(flags),
    };
  }
}

/** Which group versions are served; throws if the flag names what does not exist. */
function readRuntimeConfig(flags: ApiServerFlags, vocabulary: Vocabulary, log: Log, level: Level): IsServed {
  const named = [...kinds, imageReviews].map((kind) => ({ ...kind, group: vocabulary.group(kind.group) }));
  const { problem, warnings } = checkRuntimeConfig(flags["runtime-config"], named, vocabulary, level);
  if (problem !== undefined) throw new FlagError(`--runtime-config: ${problem}`);
  for (const warning of warnings) log.warn(warning);
  const isServed = createIsServed(flags["runtime-config"], level);
  checkImageReviews(flags["enable-admission-plugins"], isServed, vocabulary);
  return isServed;
}

function readHistoryKinds(flags: ApiServerFlags, vocabulary: Vocabulary): HistoryKinds {
  try {
    return historyKindsOf(flags["history-kinds"], vocabulary);
  } catch (error) {
    throw new FlagError(`--history-kinds: ${(error as Error).message}`);
  }
}

/** What other servers must know to trust the same front proxy. */
function frontProxyOf(flags: ApiServerFlags, { frontProxyPem }: Certificates) {
  if (frontProxyPem === undefined) return undefined;
  return {
    ca: frontProxyPem,
    allowedNames: flags["requestheader-allowed-names"],
    userHeaders: flags["requestheader-username-headers"],
    groupHeaders: flags["requestheader-group-headers"],
    extraPrefixes: flags["requestheader-extra-headers-prefix"],
  };
}

function limitsOf(flags: ApiServerFlags) {
  const orUnlimited = (value: number) => (value > 0 ? value : Number.POSITIVE_INFINITY);
  return {
    readingMax: orUnlimited(flags["max-requests-inflight"]),
    mutatingMax: orUnlimited(flags["max-mutating-requests-inflight"]),
    requestTimeoutMs: flags["request-timeout"],
    slowRequestMs: flags["slow-request-threshold"],
    watchTimeoutMinMs: flags["min-request-timeout"] * 1_000,
    bodiesBytesMax: bodiesBytesIn(memoryBytes()),
  };
}
