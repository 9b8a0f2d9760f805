/** Sets the service account of every pod: the default one where it names none, with its token mounted and its pull secrets. */

import { Namespace } from "../../api/core/v1/namespace.ts";
import type { Container, EphemeralContainer } from "../../api/core/v1/pod/container.ts";
import { EphemeralContainers } from "../../api/core/v1/pod/ephemeral-containers.ts";
import { podReferences } from "../../api/core/v1/pod/references.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { createMountToken, type MountToken } from "../account-token.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { waitForAccount } from "../default-account.ts";
import { on, plugin, under } from "../on.ts";

const defaultName = "default";
const trueTexts = new Set(["true", "t", "1", "TRUE", "True", "T"]);

/** The names of this plugin in the server's vocabulary. */
interface Names {
  readonly mirror: string;
  readonly enforce: string;
}

export function createServiceAccount(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary, has } = context.catalog.environment;
  const isEarly = !has("checkedEnvironments");
  const names: Names = {
    mirror: vocabulary.word("orch.io/config.mirror"),
    enforce: vocabulary.word("orch.io/enforce-mountable-secrets"),
  };
  const mountToken = createMountToken(context);
  const accounts = context.catalog.of(ServiceAccount);
  const namespaces = context.catalog.of(Namespace);
  const accountOf = (request: AdmissionRequest, pod: Pod) => {
    const name = pod.spec?.serviceAccountName ?? "";
    const ref = { namespace: request.namespace, name };
    const find = () => lookUp(context, accounts, ref, request);
    // No controller creates the account of a namespace that is not stored yet.
    const isNew = request.staged(namespaces, { namespace: "", name: request.namespace })?.object !== undefined;
    if (name !== defaultName || isNew || context.registry.peek(accounts, ref) !== undefined) return find();
    return waitForAccount(find, request, context);
  };
  const check = (request: AdmissionRequest, pod: Pod, { metadata, secrets, imagePullSecrets }: ServiceAccount) => {
    if (!trueTexts.has(metadata.annotations?.[names.enforce] ?? "")) return;
    checkSecrets(request, pod, { mountable: namesOf(secrets), pullable: namesOf(imagePullSecrets) }, isEarly);
  };
  return plugin("ServiceAccount", [
    on(Pod, "CREATE", {
      // Also refuses here, so that the error about the account comes before those of validation, as in v1.21.
      mutate(request) {
        const pod = request.object;
        if (pod.spec === undefined) return;
        if (isMirror(pod, names)) return checkMirror(request, pod);
        pod.spec.serviceAccountName ||= pod.spec.serviceAccount || "default";
        pod.spec.serviceAccount = pod.spec.serviceAccountName;
        const found = accountOf(request, pod);
        const admit = (object: ServiceAccount | undefined) => {
          const account = expectAccount(request, pod, object);
          const mounted = addAccount(pod, account, mountToken);
          return mounted instanceof Promise
            ? mounted.then(() => check(request, pod, account))
            : check(request, pod, account);
        };
        return found instanceof Promise ? found.then(admit) : admit(found);
      },
      validate(request) {
        const pod = request.object;
        if (pod.spec === undefined) return;
        if (isMirror(pod, names)) return checkMirror(request, pod);
        const found = accountOf(request, pod);
        const admit = (account: ServiceAccount | undefined) =>
          check(request, pod, expectAccount(request, pod, account));
        return found instanceof Promise ? found.then(admit) : admit(found);
      },
    }),
    // v1.21 ignores containers that are added to a running pod, so that any secret of the namespace can be read after all.
    on(under(Pod, "ephemeralcontainers", EphemeralContainers), "UPDATE", {
      async validate(request) {
        const { namespace, name, object } = request;
        const pod = await lookUp(context, context.catalog.of(Pod), { namespace, name }, request);
        const account = pod && (await accountOf(request, pod));
        if (!trueTexts.has(account?.metadata.annotations?.[names.enforce] ?? "")) return;
        checkContainers(request, addedContainers(object), namesOf(account?.secrets));
      },
    }),
  ]);
}

/** Early levels send the list alone, later ones the whole pod. */
function addedContainers(object: EphemeralContainers | Pod): readonly EphemeralContainer[] {
  if ("ephemeralContainers" in object) return object.ephemeralContainers ?? [];
  return ("spec" in object ? object.spec?.ephemeralContainers : undefined) ?? [];
}

type SecretUser = Pick<Container, "name" | "env" | "envFrom">;

function checkContainers(
  request: AdmissionRequest,
  containers: readonly SecretUser[],
  mountable: ReadonlySet<string>,
): void {
  for (const { name, env = [], envFrom = [] } of containers) {
    const used = [
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef),
      ...envFrom.map(({ secretRef }) => secretRef),
    ].flatMap((reference) => (reference === undefined ? [] : [reference.name ?? ""]));
    const other = used.find((secret) => !mountable.has(secret));
    if (other === undefined) continue;
    throw refuse(request, `container ${name} uses secret ${other}, which the service account of the pod does not list`);
  }
}

/** A mirror pod represents a pod that a node runs from its own disk; it cannot use objects of the cluster. */
function isMirror(pod: Pod, names: Names): boolean {
  return pod.metadata.annotations !== undefined && Object.hasOwn(pod.metadata.annotations, names.mirror);
}

function expectAccount(request: AdmissionRequest, pod: Pod, found: ServiceAccount | undefined): ServiceAccount {
  if (found !== undefined) return found;
  throw refuse(request, `there is no service account ${request.namespace}/${pod.spec?.serviceAccountName}`);
}

function addAccount({ spec }: Pod, account: ServiceAccount, mountToken: MountToken): void | Promise<void> {
  if (spec === undefined) return;
  if ((spec.imagePullSecrets?.length ?? 0) === 0 && (account.imagePullSecrets?.length ?? 0) > 0) {
    spec.imagePullSecrets = account.imagePullSecrets!.map(({ name }) => ({ ...(name === undefined ? {} : { name }) }));
  }
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
    return mountToken(spec, account);
}

function checkMirror(request: AdmissionRequest, pod: Pod): void {
  if (pod.spec?.serviceAccountName) throw refuse(request, "a mirror pod may not name a service account");
  const references = podReferences(pod);
  if (references.some(({ kind }) => kind === "secret")) throw refuse(request, "a mirror pod may not use secrets");
  const projected = (pod.spec?.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (projected.some((source) => source.serviceAccountToken !== undefined)) {
    throw refuse(request, "a mirror pod may not use service account tokens");
  }
}

/** Whole volumes, variables and pull secrets; v1.21 does not look at `envFrom`. */
function checkSecrets(
  request: AdmissionRequest,
  { spec }: Pod,
  allowed: { readonly mountable: ReadonlySet<string>; readonly pullable: ReadonlySet<string> },
  isEarly: boolean,
): void {
  const account = spec?.serviceAccountName;
  for (const volume of spec?.volumes ?? []) {
    const name = volume.secret?.secretName;
    if (volume.secret === undefined || allowed.mountable.has(name ?? "")) continue;
    throw refuse(request, `volume ${volume.name} uses secret ${name}, which service account ${account} does not list`);
  }
  const whole = isEarly
    ? containersOf(spec).map(({ envFrom: _unseen, ...container }) => container)
    : containersOf(spec);
  checkContainers(request, whole, allowed.mountable);
  for (const { name } of spec?.imagePullSecrets ?? []) {
    if (allowed.pullable.has(name ?? "")) continue;
    throw refuse(request, `pull secret ${name} is not listed by service account ${account}`);
  }
}

function containersOf(spec: Pod["spec"]): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

function namesOf(references: readonly { readonly name?: string }[] | undefined): ReadonlySet<string> {
  return new Set((references ?? []).map(({ name }) => name ?? ""));
}
