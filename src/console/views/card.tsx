/** A part of a page in a frame, with its title. */

import type { ComponentChildren } from "preact";

interface CardOptions {
  readonly title: ComponentChildren;
  /** What stands at the right of the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export const Card = ({ title, aside, class: more = "", children }: CardOptions) => (
  <section class={`card ${more}`}>
    <div class="card-head">
      <h2>{title}</h2>
      {aside !== undefined && <div class="aside">{aside}</div>}
    </div>
    {children}
  </section>
);
