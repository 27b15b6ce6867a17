import type { PageAnswer } from '../../../http/route.ts';
import type { Asked } from './asked.ts';
import { escape, foreign, page } from './html.ts';

type Form = Readonly<{ fields: readonly (readonly [string, string])[]; token: string }>;

/** Names who asks, for what, and where the answer goes. Refusing is as easy as allowing. */
export function consentPage(
  { client, redirectUri, scope, beings }: Asked,
  { fields, token }: Form,
): PageAnswer {
  const hidden = [...fields, ['form_token', token] as const].map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const choice = beings.map(({ id, name, owner }, i) => {
    const isChosen = i === 0 && beings.length === 1 ? ' checked' : '';
    const about = `<span>${foreign(name)}</span><small>of ${foreign(owner)}, ${escape(id)}</small>`;
    return `<label><input type="radio" name="being" value="${escape(id)}"${isChosen} required>${about}</label>`;
  });
  const grants = scope === 'full' ? (['full', 'read-only'] as const) : (['read-only'] as const);
  const scopes = grants.map(
    (grant, i) =>
      `<label><input type="radio" name="granted" value="${grant}"${i === 0 ? ' checked' : ''}>${SCOPE_TEXT[grant]}</label>`,
  );
  const none =
    '<p>There is no Being yet. Make one, then load this page again:</p><pre tabindex="0"><code>holdfast being create "Ada"</code></pre>';
  const body = [
    '<p>A client asks to speak for one of your Beings.</p>',
    `<blockquote><strong>${foreign(client.name)}</strong>`,
    `<dl><dt>client</dt><dd>${foreign(client.id)}</dd><dt>sends you to</dt><dd>${foreign(leadsTo(redirectUri))}</dd></dl></blockquote>`,
    '<p class="soft">The name is what the client calls itself; nobody has checked it. Where it sends you is what tells who it is.</p>',
    beings.length === 0 ? none : '',
    // To the address it came from: there are two.
    '<form method="post">',
    ...hidden,
    beings.length === 0 ? '' : `<fieldset><legend>Which Being</legend>${choice.join('')}</fieldset>`,
    `<fieldset><legend>What it may do</legend>${scopes.join('')}</fieldset>`,
    '<p class="deeds">',
    beings.length === 0 ? '' : '<button name="decision" value="allow">Allow</button>',
    '<button name="decision" value="deny" formnovalidate>Deny</button></p></form>',
  ];
  return page({ title: 'Allow access?', body: body.join(''), formTo: formTarget(redirectUri) });
}

const SCOPE_TEXT = {
  full: '<span>Read and change</span><small>full: read and change everything this Being remembers</small>',
  'read-only': '<span>Read</span><small>read-only: read what it remembers, change nothing</small>',
} as const;

/** An application has no origin, so its whole address is told. */
function leadsTo(redirectUri: string): string {
  const { origin } = new URL(redirectUri);
  return origin === 'null' ? redirectUri : origin;
}

/** An origin, or the scheme of an application. */
function formTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol;
}
