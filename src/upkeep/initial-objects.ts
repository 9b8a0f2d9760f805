/**
 * The objects of a new store as an earlier start printed them. All steps of a create give the same result for the same object, except for
 * its uid and its times, and they take most of a start: none of their code has run before.
 */

import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Entry, ObjectRef } from "../registry/contract/entry.ts";
import type { Written } from "../registry/contract/registry.ts";
import type { BootstrapRegistry } from "./bootstrap-roles.ts";

/** What stands for the uid, for the time of creation and for the port of the server in a printed object; JSON cannot contain them. */
const uidMark = "\0uid";
const timeMark = "\0time";
const portMark = '"targetPort":\0port';

const anyTime = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/;

interface InitialObject {
  /** The object before the steps of its create, as JSON. */
  readonly input: string;
  /** The stored JSON, with marks in place of uid and times. */
  readonly printed: string;
}

/** Shared by the servers of a process. */
export class InitialObjects {
  readonly #objects = new Map<string, InitialObject>();
  /** Read on first use. */
  #text: string | undefined;

  /** `text`: what `print` of another instance returned. */
  constructor(text?: string) {
    this.#text = text;
  }

  find(key: string, input: string): string | undefined {
    this.#read();
    const found = this.#objects.get(key);
    return found?.input === input ? found.printed : undefined;
  }

  add(key: string, object: InitialObject): void {
    this.#objects.set(key, object);
  }

  /** One line for each: JSON contains neither the end of a line nor a tab. */
  print(): string {
    this.#read();
    return [...this.#objects].map(([key, { input, printed }]) => `${key}\t${input}\t${printed}\n`).join("");
  }

  #read(): void {
    for (const line of this.#text?.trimEnd().split("\n") ?? []) {
      const [key = "", input = "", printed = ""] = line.split("\t");
      this.#objects.set(key, { input, printed });
    }
    this.#text = undefined;
  }
}

interface InitialObjectsOptions {
  readonly registry: BootstrapRegistry & {
    /** Stores an object as it was printed, without any check. */
    createEncoded(kind: BoundKind, ref: ObjectRef, printed: string): Promise<Written>;
  };
  readonly catalog: Catalog;
  readonly known: InitialObjects;
  /** The port of the server, to which its own service leads. */
  readonly ownPort: number;
  /** Whether a create of this kind may have another result on this server than on others. */
  readonly isSpecial: (kind: BoundKind) => boolean;
}

/** The registry of a new store, with creates that are done as printed where the same object was created before. */
export function withInitialObjects(options: InitialObjectsOptions): BootstrapRegistry {
  const { registry, catalog, known, ownPort, isSpecial } = options;
  const { vocabulary, clock, randomUid } = catalog.environment;
  const portText = `"targetPort":${ownPort}`;
  return {
    peek: (kind, ref) => registry.peek(kind, ref),
    update: (kind, ref, change, context, how) => registry.update(kind, ref, change, context, how),
    delete: (kind, ref, how, context) => registry.delete(kind, ref, how, context),
    async create(kind, object, ref, context) {
      if (isSpecial(kind)) return registry.create(kind, object, ref, context);
      const { apiVersion } = kind.family.stored;
      const key = [vocabulary.name, apiVersion, kind.kind, ref.namespace, ref.name, context.fieldManager].join(" ");
      const input = JSON.stringify(object).replace(portText, portMark);
      const printed = known.find(key, input);
      if (printed !== undefined) {
        const text = printed.replaceAll(uidMark, randomUid()).replaceAll(timeMark, timeText(clock.now()));
        return registry.createEncoded(kind, ref, text.replace(portMark, portText));
      }
      const written = await registry.create(kind, object, ref, context);
      const marked = withMarks(written.entry, portText);
      if (marked !== undefined) known.add(key, { input, printed: marked });
      return written;
    },
  };
}

/** Undefined: the clock has moved on during the create. */
function withMarks({ bytes, revision }: Entry, portText: string): string | undefined {
  const text = bytes.toString().replace(`"resourceVersion":"${revision}",`, "");
  const uid = /"uid":"([^"]+)"/.exec(text)?.[1] ?? "";
  const time = /"creationTimestamp":"([^"]+)"/.exec(text)?.[1] ?? "";
  const marked = text.replaceAll(`"${uid}"`, `"${uidMark}"`).replaceAll(`"${time}"`, `"${timeMark}"`);
  return anyTime.test(marked) ? undefined : marked.replace(portText, portMark);
}
