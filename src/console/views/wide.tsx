/** Something that may be wider than the page, and is then scrolled, by keyboard as well. */

import type { ComponentChildren } from "preact";

export const Wide = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  <section class="wide" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
