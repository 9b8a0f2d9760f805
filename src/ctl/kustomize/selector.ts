/** Selects resources by patterns of kind, name and namespace, and by labels and annotations. */

import { matchesPattern, patternProblem } from "../../machinery/json-schema/pattern.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import { CtlError } from "../errors.ts";
import { effectiveNamespace, type Gvk, type Id } from "./identity.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import { type Members, textAt } from "./value.ts";

export class Selector {
  readonly #patterns: ReadonlyMap<string, string>;
  readonly #labels: string;
  readonly #annotations: string;

  /** Throws CtlError for a pattern or a selector that is not valid. */
  constructor(target: Members) {
    this.#patterns = new Map(
      ["group", "version", "kind", "name", "namespace"]
        .filter((field) => textAt(target, field) !== "")
        .map((field) => [field, `^(?:${textAt(target, field)})$`]),
    );
    this.#labels = textAt(target, "labelSelector");
    this.#annotations = textAt(target, "annotationSelector");
    for (const pattern of this.#patterns.values()) {
      const problem = patternProblem(pattern);
      if (problem !== undefined) throw new CtlError(`error parsing regexp: ${problem}: \`${pattern}\``);
    }
  }

  matchesGvk(gvk: Gvk): boolean {
    return (
      this.#matches("group", gvk.group) && this.#matches("version", gvk.version) && this.#matches("kind", gvk.kind)
    );
  }

  matchesId(id: Id): boolean {
    return this.matchesGvk(id) && this.matchesName(id.name) && this.matchesNamespace(id.namespace);
  }

  matchesName(name: string): boolean {
    return this.#matches("name", name);
  }

  matchesNamespace(namespace: string): boolean {
    return this.#matches("namespace", namespace);
  }

  get hasLabels(): boolean {
    return this.#labels !== "" || this.#annotations !== "";
  }

  matchesLabels(resource: Resource): boolean {
    return (
      isSelected(this.#labels, resource.labels("labels")) &&
      isSelected(this.#annotations, resource.labels("annotations"))
    );
  }

  #matches(field: string, text: string): boolean {
    const pattern = this.#patterns.get(field);
    return pattern === undefined || matchesPattern(pattern, text);
  }
}

function isSelected(selector: string, labels: ReadonlyMap<string, string>): boolean {
  return selector === "" || parseLabelSelector(selector).matches(labels);
}

/** The original name and namespace count as well as the current ones. */
export function select(list: ResourceList, target: Members): Resource[] {
  const selector = new Selector(target);
  return list.all.filter((resource) => {
    if (!selector.matchesGvk(resource.gvk)) return false;
    const [original, current] = [resource.originalId, resource.id];
    return (
      (selector.matchesName(original.name) || selector.matchesName(current.name)) &&
      (selector.matchesNamespace(effectiveNamespace(original)) ||
        selector.matchesNamespace(effectiveNamespace(current))) &&
      selector.matchesLabels(resource)
    );
  });
}
