/** A vocabulary: the names a server speaks. Declarations are written in orch's names; a vocabulary renames them. */

export interface Vocabulary {
  readonly name: "orch" | "kubernetes";
  /** Whether it is the one that declarations are written in, and so renames nothing. */
  readonly isNeutral: boolean;

  /** "coordination.orch.io" -> this vocabulary's group. Groups without a domain ("apps", "") stay. */
  group(neutral: string): string;

  /**
   * Renames a label, annotation, taint or finalizer key, a Secret type, a signer, a user or group name, a namespace, an
   * object name or a media type written in orch's names: "node.orch.io/not-ready", "orch-system",
   * "orch.io/service-account-token", "system:orch-scheduler". Text without a known name in it stays as it is.
   */
  word(neutral: string): string;

  /** Renames a field of the few that carry the product's name ("orchletVersion"). */
  field(neutral: string): string;

  /** The prefix of schema extensions: "x-orch-". */
  readonly extensionPrefix: string;
  readonly protobufMediaType: string;
  /** The prefix of OpenAPI definition names: "io.orch.". */
  readonly definitionPrefix: string;
  /** The command-line tool: "ctl". */
  readonly tool: string;
}
