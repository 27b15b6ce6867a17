type Policies = Readonly<{
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}>;

const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;

/** A browser makes one of this name, and no other. */
const policy = policies?.createPolicy('holdfast', {
  createScriptURL: (text) => (new URL(text, location.href).origin === location.origin ? text : ''),
});

/** The page's policy lets no text become a script; addresses of files that were built with it are ours. */
export function ownScript(url: string): string {
  return (policy?.createScriptURL(url) ?? url) as string;
}
