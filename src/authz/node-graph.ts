/**
 * Which objects belong to which node: what its pods mount or read, the volumes of their claims, and its attachments.
 * Kept as counts by object and node, so that a check is one lookup however many pods share a Secret.
 */

export type Related = "secret" | "configmap" | "claim" | "account" | "device-claim";

interface PodRecord {
  readonly uid: string;
  readonly node: string;
  /** Whether claims of devices are made for it, so that what it refers to changes. */
  readonly hasMadeClaims: boolean;
  readonly references: readonly string[];
}
interface VolumeRecord {
  readonly claim: string;
  readonly secrets: readonly string[];
}

interface NodeReference {
  readonly kind: Related;
  readonly namespace: string;
  readonly name: string;
}

export class NodeGraph {
  /** Object -> node -> how many pods (or configurations) use it there. */
  readonly #uses = new Map<string, Map<string, number>>();
  readonly #pods = new Map<string, PodRecord>();
  readonly #volumes = new Map<string, VolumeRecord>();
  /** Secret -> the volumes that need it on the node. */
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  readonly #attachments = new Map<string, string>();
  /** Slice -> the node whose devices it lists. */
  readonly #slices = new Map<string, string>();
  readonly #configurations = new Map<string, { node: string; reference: string }>();

  /** Whether the object is used on the node: by a pod, or (a Secret) by a volume of a claim of one. */
  uses(node: string, reference: NodeReference): boolean {
    const key = keyOf(reference);
    if (this.#uses.get(key)?.has(node)) return true;
    if (reference.kind !== "secret") return false;
    for (const volume of this.#volumesOfSecret.get(key) ?? []) {
      if (this.usesVolume(node, volume)) return true;
    }
    return false;
  }

  usesVolume(node: string, volume: string): boolean {
    const record = this.#volumes.get(volume);
    return record !== undefined && this.#uses.get(record.claim)?.has(node) === true;
  }

  hasAttachment(node: string, attachment: string): boolean {
    return this.#attachments.get(attachment) === node;
  }

  hasSlice(node: string, slice: string): boolean {
    return this.#slices.get(slice) === node;
  }

  /** The known part of the pod; undefined: it is not on a node. */
  pod(namespace: string, name: string): Omit<PodRecord, "references"> | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  /** What a pod refers to cannot change while it lives, but for claims of devices that are made for it. */
  setPod(
    namespace: string,
    name: string,
    pod: Omit<PodRecord, "references"> & { readonly references: readonly Omit<NodeReference, "namespace">[] },
  ): void {
    this.deletePod(namespace, name);
    const references = [...new Set(pod.references.map((reference) => keyOf({ ...reference, namespace })))];
    this.#pods.set(`${namespace}/${name}`, { ...pod, references });
    for (const reference of references) this.#count(reference, pod.node, 1);
  }

  deletePod(namespace: string, name: string): void {
    const record = this.#pods.get(`${namespace}/${name}`);
    if (record === undefined) return;
    this.#pods.delete(`${namespace}/${name}`);
    for (const reference of record.references) this.#count(reference, record.node, -1);
  }

  /** `claim` undefined: the volume is not bound. */
  setVolume(
    name: string,
    claim: { namespace: string; name: string } | undefined,
    secrets: readonly { namespace: string; name: string }[],
  ): void {
    this.deleteVolume(name);
    if (claim === undefined) return;
    const secretKeys = secrets.map((secret) => keyOf({ ...secret, kind: "secret" }));
    this.#volumes.set(name, { claim: keyOf({ ...claim, kind: "claim" }), secrets: secretKeys });
    for (const secret of secretKeys) {
      const volumes = this.#volumesOfSecret.get(secret) ?? new Set();
      this.#volumesOfSecret.set(secret, volumes.add(name));
    }
  }

  deleteVolume(name: string): void {
    const record = this.#volumes.get(name);
    if (record === undefined) return;
    this.#volumes.delete(name);
    for (const secret of record.secrets) {
      const volumes = this.#volumesOfSecret.get(secret);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesOfSecret.delete(secret);
    }
  }

  setAttachment(name: string, node: string): void {
    this.#attachments.set(name, node);
  }

  deleteAttachment(name: string): void {
    this.#attachments.delete(name);
  }

  setSlice(name: string, node: string): void {
    this.#slices.set(name, node);
  }

  deleteSlice(name: string): void {
    this.#slices.delete(name);
  }

  /** The ConfigMap that a node takes its own configuration from; undefined: none. */
  setConfiguration(node: string, configMap: { namespace: string; name: string } | undefined): void {
    const old = this.#configurations.get(node);
    if (old !== undefined) this.#count(old.reference, node, -1);
    this.#configurations.delete(node);
    if (configMap === undefined) return;
    const reference = keyOf({ ...configMap, kind: "configmap" });
    this.#configurations.set(node, { node, reference });
    this.#count(reference, node, 1);
  }

  #count(reference: string, node: string, change: number): void {
    const nodes = this.#uses.get(reference) ?? new Map<string, number>();
    const count = (nodes.get(node) ?? 0) + change;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size > 0) this.#uses.set(reference, nodes);
    else this.#uses.delete(reference);
  }
}

const keyOf = ({ kind, namespace, name }: NodeReference) => `${kind}/${namespace}/${name}`;
