/** An address that is none of the console's: it stays, so that it can be corrected. */

export const NotFound = ({ path }: { readonly path: string }) => (
  <article>
    <h1>There is no such page</h1>
    <p>
      The console does not know the address{" "}
      <code>
        <bdi>{path.slice(0, 500)}</bdi>
      </code>
      .
    </p>
    <p>
      <a href="#/overview">Overview</a>
    </p>
  </article>
);
