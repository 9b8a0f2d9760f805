/** A short list as a table that scrolls on its own where it is wider than the page. The first cell of a row is its header. */

import { type ComponentChildren, Fragment } from "preact";
import { Wide } from "./wide.tsx";

interface ListColumn<T> {
  readonly name: ComponentChildren;
  readonly cell: (item: T) => ComponentChildren;
  readonly classOf?: (item: T) => string | undefined;
}

interface ListTableOptions<T> {
  readonly label: string;
  readonly caption?: string;
  /** Undefined and false: the column is left out. */
  readonly columns: readonly (ListColumn<T> | undefined | false)[];
  readonly items: readonly T[];
  readonly keyOf: (item: T, at: number) => string | number;
  /** On a narrow page the cells of a row stand below each other, each after the name of its column. */
  readonly stacks?: boolean;
  /** What stands below a row, over its whole width; undefined: nothing. */
  readonly below?: (item: T) => ComponentChildren | undefined;
}

/** More items are counted: each row is several elements of the page. */
const listedItemsMax = 500;

export function ListTable<T>({ label, caption, columns: given, items, keyOf, below, stacks }: ListTableOptions<T>) {
  const columns = given.filter((column) => column !== undefined && column !== false);
  return (
    <Wide label={label}>
      <table class={stacks ? "stacks" : undefined}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ name }, at) => (
              <th scope="col" key={at}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.slice(0, listedItemsMax).map((item, index) => {
            const more = below?.(item);
            return (
              <Fragment key={keyOf(item, index)}>
                <tr>
                  {columns.map(({ name, cell, classOf }, at) =>
                    at === 0 ? (
                      <th scope="row" key={at}>
                        {cell(item)}
                      </th>
                    ) : (
                      <td key={at} class={classOf?.(item)} data-column={typeof name === "string" ? name : undefined}>
                        {cell(item)}
                      </td>
                    ),
                  )}
                </tr>
                {more !== undefined && (
                  <tr>
                    <td colSpan={columns.length}>{more}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {items.length > listedItemsMax && <p class="note">and {items.length - listedItemsMax} more</p>}
    </Wide>
  );
}
