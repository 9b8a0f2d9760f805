/** The page of a tab that does not have the secret of the link. */

export const WrongLinkPage = () => (
  <main class="alone">
    <article>
      <h1>This tab cannot use the console</h1>
      <p>
        Each link of the console has a secret of its own, and this tab has none, or one of a command that has ended. A
        new tab, a copied address and a restarted command all need the link again.
      </p>
      <ol>
        <li>
          Go to the terminal of <code>ctl console</code>, or ask <code>orch status</code> for the link of a server in
          the background.
        </li>
        <li>Open the whole link, with what stands after the #.</li>
      </ol>
    </article>
  </main>
);
