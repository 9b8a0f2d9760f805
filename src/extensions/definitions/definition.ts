/** One version of the kind of a definition, parsed on first use. */

import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
} from "../../api/apiextensions/v1/definition-spec.ts";
import type { Release } from "../../base/release.ts";
import { finish, type Steps } from "../../base/time-slice.ts";
import { type RuleTree, ruleTreeSteps } from "../../cel/schema/rule-tree.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { SchemaPlan } from "../../machinery/json-schema/plan.ts";
import { unsupportedKeyword } from "../../machinery/json-schema/structural.ts";
import type { Entry } from "../../registry/contract/entry.ts";

/** The stored form of definitions is v1, whichever version they were written in. */
export function definitionOf(entry: Entry): CustomResourceDefinition {
  return entry.object() as CustomResourceDefinition; // an entry of the family of definitions
}

/** A definition of fewer bytes is read at once. */
const preparedBytesMin = 64 * 1024;

/** The newest state of a definition. Its status changes while its kind stays the same. */
export interface DefinitionSource {
  entry: Entry;
}

/**
 * One version of a definition. A thousand unused definitions must not keep a thousand schemas in memory, so only the bytes of
 * the definition are kept, and its schema from the first use on.
 */
export class DefinedVersion {
  readonly name: string;
  /** Whether unknown fields are dropped. Definitions of v1beta1 may keep everything. */
  readonly prunes: boolean;
  readonly #source: DefinitionSource;
  readonly #prefix: string;
  #lifecycle: { readonly entry: Entry; readonly isTerminating: boolean } | undefined;
  #plan: SchemaPlan | null | undefined;
  #structuralPlan: SchemaPlan | null | undefined;
  /** A server has one release. */
  #rules: RuleTree | null | undefined;

  constructor(source: DefinitionSource, name: string, prefix: string) {
    this.#source = source;
    this.#prefix = prefix;
    this.name = name;
    this.prunes = definitionOf(source.entry).spec.preserveUnknownFields !== true;
  }

  /** The definition is being deleted, and its objects with it. */
  get isTerminating(): boolean {
    // Needed for every create: reading a large definition each time would cost more than the object.
    const { entry } = this.#source;
    if (this.#lifecycle?.entry !== entry)
      this.#lifecycle = { entry, isTerminating: Boolean(definitionOf(entry).metadata.deletionTimestamp) };
    return this.#lifecycle.isTerminating;
  }

  get columns(): readonly CustomResourceColumnDefinition[] {
    return this.#read().additionalPrinterColumns ?? [];
  }

  get description(): string {
    return this.schema?.description ?? "";
  }

  get schema(): JsonSchema | undefined {
    // Decoded as a JSON schema, whose fields are those of the type.
    return this.#read().schema?.openAPIV3Schema as JsonSchema | undefined;
  }

  /** Reads a large definition before its schema is first used, in steps. Undefined: there is nothing to do. */
  prepare(): Steps<void> | undefined {
    if (this.#structuralPlan !== undefined || this.#source.entry.length <= preparedBytesMin) return undefined;
    return this.#prepareSteps();
  }

  *#prepareSteps(): Steps<void> {
    yield* this.#source.entry.load();
    // A definition that was loaded a moment ago is not read again.
    if (this.structuralPlan !== undefined) yield;
  }

  /** The schema against which values are validated. Undefined: there is none. */
  get plan(): SchemaPlan | undefined {
    if (this.#plan === undefined) {
      const { schema } = this;
      this.#plan = schema === undefined ? null : new SchemaPlan(schema, this.#prefix);
    }
    return this.#plan ?? undefined;
  }

  /** The plan if the schema is structural: only such a schema prunes, sets defaults and has keys for list items. */
  get structuralPlan(): SchemaPlan | undefined {
    if (this.#structuralPlan === undefined) {
      const { plan } = this;
      // A definition that prunes has been validated to be structural.
      const isUsable =
        plan !== undefined && (this.prunes || finish(unsupportedKeyword(plan.schema, this.#prefix)) === undefined);
      this.#structuralPlan = isUsable ? plan : null;
    }
    return this.#structuralPlan ?? undefined;
  }

  /** The rules in the schema, as a release has them. Undefined: there are none. */
  *rulesIn(release: Release): Steps<RuleTree | undefined> {
    if (this.#rules === undefined) {
      // Most schemas have none, and a walk through a large one takes long.
      const hasRules = this.#source.entry.bytes.includes(`"${this.#prefix}validations"`);
      const structuralPlan = hasRules ? this.structuralPlan : undefined;
      const options = { prefix: this.#prefix, release };
      const tree = structuralPlan && (yield* ruleTreeSteps(structuralPlan.schema, options));
      this.#rules = tree ?? null;
    }
    return this.#rules ?? undefined;
  }

  #read(): CustomResourceDefinitionVersion {
    const { entry } = this.#source;
    const { versions } = definitionOf(entry).spec;
    const found = versions?.find(({ name }) => name === this.name);
    if (found === undefined) throw new Error(`${entry.name} has no version ${this.name}`);
    return found;
  }
}
