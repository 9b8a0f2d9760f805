/** The checks of the level baseline, sorted by id, which is the order in which violations are told. */

import type { CheckedContainer, CheckedContext, CheckedPod, CheckForm, StandardCheck, Violation } from "./contract.ts";
import { containersNamed, distinct, namesWhere, plural, quoted, settersWhere, sorted } from "./words.ts";

const always = (check: CheckForm["check"]): readonly CheckForm[] => [{ since: "1.0", check }];
const baseline = (id: string, forms: readonly CheckForm[]): StandardCheck => ({ id, level: "baseline", forms });

function appArmor(pod: CheckedPod): Violation | undefined {
  const told: string[] = [];
  const isForbidden = ({ appArmorProfile }: CheckedContext) =>
    appArmorProfile !== undefined && !["RuntimeDefault", "Localhost"].includes(appArmorProfile.type ?? "");
  const who = settersWhere(pod, isForbidden);
  if (who !== undefined) {
    const contexts = [pod.spec.securityContext, ...pod.containers.map(({ securityContext }) => securityContext)];
    const types = contexts.flatMap((one) => (one && isForbidden(one) ? [one.appArmorProfile?.type ?? ""] : []));
    told.push(`${who} must not set AppArmor profile type to ${quoted(sorted(types))}`);
  }
  const prefix = pod.vocabulary.word("container.apparmor.security.beta.orch.io/");
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(prefix) && !isAllowedProfile(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  told.push(...annotations.sort());
  if (told.length === 0) return undefined;
  return {
    reason: plural(told.length, "forbidden AppArmor profile", "forbidden AppArmor profiles"),
    detail: told.join(", "),
  };
}

const isAllowedProfile = (text: string): boolean =>
  text === "" || text === "runtime/default" || text.startsWith("localhost/");

const capabilitiesOfDefault: ReadonlySet<string> = new Set([
  "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID",
  "SETPCAP", "SETUID", "SYS_CHROOT",
]); // biome-ignore format: one line is easier to read

/** Capabilities that containers add beyond a set. */
export function addedBeyond(pod: CheckedPod, allowed: ReadonlySet<string>): string | undefined {
  const added = ({ securityContext }: CheckedContainer) =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !allowed.has(name));
  const names = namesWhere(pod, (container) => added(container).length > 0);
  if (names.length === 0) return undefined;
  const what = quoted(sorted(pod.containers.flatMap(added)));
  return `${containersNamed(names)} must not include ${what} in securityContext.capabilities.add`;
}

function capabilities(pod: CheckedPod): Violation | undefined {
  const detail = addedBeyond(pod, capabilitiesOfDefault);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (used.length === 0) return undefined;
  return { reason: "host namespaces", detail: used.map((name) => `${name}=true`).join(", ") };
}

function hostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const names = (spec.volumes ?? []).filter((volume) => volume["hostPath"] != null).map(({ name }) => String(name));
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural(names.length, "volume", "volumes")} ${quoted(names)}` };
}

function hostPorts(pod: CheckedPod): Violation | undefined {
  const portsOf = ({ ports = [] }: CheckedContainer) =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [hostPort]));
  const names = namesWhere(pod, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = distinct(pod.containers.flatMap(portsOf)).map(String).sort();
  const use = plural(names.length, "uses", "use");
  return {
    reason: "hostPort",
    detail: `${containersNamed(names)} ${use} ${plural(ports.length, "hostPort", "hostPorts")} ${ports.join(", ")}`,
  };
}

function probeHosts(pod: CheckedPod): Violation | undefined {
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: CheckedContainer) =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
      .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
      .filter((host): host is string => host !== undefined && host !== "");
  const names = namesWhere(pod, (container) => hostsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const hosts = sorted(pod.containers.flatMap(hostsOf));
  const noun = plural(hosts.length, "probe or lifecycle host", "probe or lifecycle hosts");
  const use = plural(names.length, "uses", "use");
  return { reason: noun, detail: `${containersNamed(names)} ${use} ${noun} ${quoted(hosts)}` };
}

function privileged(pod: CheckedPod): Violation | undefined {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersNamed(names)} must not set securityContext.privileged=true` };
}

export function procMount(pod: CheckedPod): Violation | undefined {
  const mountOf = ({ securityContext }: CheckedContainer) => securityContext?.procMount ?? "Default";
  const names = namesWhere(pod, (container) => mountOf(container) !== "Default");
  if (names.length === 0) return undefined;
  const values = quoted(sorted(pod.containers.map(mountOf).filter((value) => value !== "Default")));
  return {
    reason: "procMount",
    detail: `${containersNamed(names)} must not set securityContext.procMount to ${values}`,
  };
}

const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];
const seLinux =
  (allowed: readonly string[]) =>
  (pod: CheckedPod): Violation | undefined => {
    const who = settersWhere(
      pod,
      ({ seLinuxOptions: options }) =>
        options !== undefined && (!allowed.includes(options.type ?? "") || !!options.user || !!options.role),
    );
    if (who === undefined) return undefined;
    const options = [pod.spec, ...pod.containers].map(({ securityContext }) => securityContext?.seLinuxOptions);
    const types = sorted(options.map((one) => one?.type ?? "").filter((type) => !allowed.includes(type)));
    const problems = [
      ...(types.length === 0 ? [] : [`${plural(types.length, "type", "types")} ${quoted(types)}`]),
      ...(options.some((one) => !!one?.user) ? ["user may not be set"] : []),
      ...(options.some((one) => !!one?.role) ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${problems.join("; ")}`,
    };
  };

function seccompAnnotations(pod: CheckedPod): Violation | undefined {
  const ofPod = pod.vocabulary.word("seccomp.security.alpha.orch.io/pod");
  const prefix = pod.vocabulary.word("container.seccomp.security.alpha.orch.io/");
  const told = Object.entries(pod.annotations)
    .filter(([key]) => key === ofPod || key.startsWith(prefix))
    .filter(([, value]) => !isAllowedProfile(value) && value !== "docker/default")
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  if (told.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `forbidden ${plural(told.length, "annotation", "annotations")} ${told.join(", ")}`,
  };
}

function seccompFields(pod: CheckedPod): Violation | undefined {
  const who = settersWhere(pod, ({ seccompProfile }) => seccompProfile?.type === "Unconfined");
  if (who === undefined) return undefined;
  return {
    reason: "seccompProfile",
    detail: `${who} must not set securityContext.seccompProfile.type to "Unconfined"`,
  };
}

const sysctlNames = [
  "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
]; // biome-ignore format: one line is easier to read
const sysctlNamesOf127 = [...sysctlNames, "net.ipv4.ip_local_reserved_ports"];
const sysctlNamesOf129 = [
  ...sysctlNamesOf127, "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
]; // biome-ignore format: one line is easier to read
const sysctlNamesOf132 = [...sysctlNamesOf129, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls =
  (allowed: readonly string[]) =>
  ({ spec }: CheckedPod): Violation | undefined => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name = "" }) => name);
    const forbidden = names.filter((name) => !allowed.includes(name));
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
  };

function windowsHostProcess(pod: CheckedPod): Violation | undefined {
  const who = settersWhere(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  if (who === undefined) return undefined;
  return { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
}

export const baselineChecks: readonly StandardCheck[] = [
  baseline("appArmorProfile", always(appArmor)),
  baseline("capabilities_baseline", always(capabilities)),
  baseline("hostNamespaces", always(hostNamespaces)),
  baseline("hostPathVolumes", always(hostPathVolumes)),
  baseline("hostPorts", always(hostPorts)),
  baseline("hostProbesAndHostLifecycle", [{ since: "1.34", check: probeHosts }]),
  baseline("privileged", always(privileged)),
  baseline("procMount", [
    { since: "1.0", check: procMount },
    // In a user namespace of its own a pod sees nothing of the node under /proc.
    { since: "1.35", check: (pod) => (pod.spec.hostUsers === false ? undefined : procMount(pod)) },
  ]),
  baseline("seLinuxOptions", [
    { since: "1.0", check: seLinux(seLinuxTypes) },
    { since: "1.31", check: seLinux([...seLinuxTypes, "container_engine_t"]) },
  ]),
  baseline("seccompProfile_baseline", [
    { since: "1.0", check: seccompAnnotations },
    { since: "1.19", check: seccompFields },
  ]),
  baseline("sysctls", [
    { since: "1.0", check: sysctls(sysctlNames) },
    { since: "1.27", check: sysctls(sysctlNamesOf127) },
    { since: "1.29", check: sysctls(sysctlNamesOf129) },
    { since: "1.32", check: sysctls(sysctlNamesOf132) },
  ]),
  baseline("windowsHostProcess", always(windowsHostProcess)),
];
