/** A vocabulary: the names a server speaks. Declarations are written in orch's names; a vocabulary renames them. */

/**
 * The name of an API group as declarations write it ("coordination.orch.io", "" for core). The compiler refuses it where a
 * spoken one is wanted, and the other way round; plain text is accepted as either.
 */
export type NeutralGroup = string & { readonly words?: "neutral" };

/** The name of an API group as a server's paths and objects say it ("coordination.k8s.io"). */
export type SpokenGroup = string & { readonly words?: "spoken" };

export interface Vocabulary {
  readonly name: "orch" | "kubernetes";
  /** Whether declarations are written in this vocabulary, so that it renames nothing. */
  readonly isNeutral: boolean;

  /** "coordination.orch.io" -> this vocabulary's group. Groups without a domain ("apps", "") stay. */
  group(neutral: NeutralGroup): SpokenGroup;

  /**
   * Renames a label, annotation, taint or finalizer key, a Secret type, a signer, a user or group name, a namespace, an
   * object name or a media type written in orch's names: "node.orch.io/not-ready", "orch-system",
   * "orch.io/service-account-token", "system:orch-scheduler". Text without a known name in it stays as it is.
   */
  word(neutral: string): string;

  /** Renames one of the few fields that contain the product's name ("orchletVersion"). */
  field(neutral: string): string;

  /** Renames a metric: "kvstore_object_counts", "orch_build_info". */
  metric(neutral: string): string;

  /** The prefix of schema extensions: "x-orch-". */
  readonly extensionPrefix: string;
  /** The schema extension that says the rules of a field in words; undefined: documents have exactly what clients know. */
  readonly rulesExtension: `x-${string}` | undefined;
  readonly protobufMediaType: string;
  /** What every encrypted value in the store begins with: "orch:enc:". */
  readonly encryptedPrefix: string;
  /** The prefix of OpenAPI definition names: "io.orch.". */
  readonly definitionPrefix: string;
  /** The command-line tool: "ctl". */
  readonly tool: string;
}
