import type { PageAnswer } from '../../../http/route.ts';
import type { Asked } from './asked.ts';
import { escape, page } from './html.ts';

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
    const isChosen = i === 0 && beings.length === 1;
    return `<label><input type="radio" name="being" value="${escape(id)}"${isChosen ? ' checked' : ''} required> ${escape(name)} <small>(${escape(owner)}, ${escape(id)})</small></label>`;
  });
  const grants = scope === 'full' ? ['full', 'read-only'] : ['read-only'];
  const scopes = grants.map(
    (grant, i) =>
      `<label><input type="radio" name="granted" value="${grant}"${i === 0 ? ' checked' : ''}> ${SCOPE_TEXT[grant as 'full']}</label>`,
  );
  const none =
    '<p>There is no Being yet. Make one with <code>holdfast being create &lt;name&gt;</code>, then load this page again.</p>';
  const body = [
    `<p><strong>${escape(client.name)}</strong> asks for access to a Being.</p>`,
    `<dl><dt>Client</dt><dd>${escape(client.id)}</dd><dt>Sends you to</dt><dd>${escape(new URL(redirectUri).origin === 'null' ? redirectUri : new URL(redirectUri).origin)}</dd></dl>`,
    '<p>The name is what the client calls itself; nobody has checked it.</p>',
    beings.length === 0 ? none : '',
    // To the address it came from: there are two.
    '<form method="post">',
    ...hidden,
    `<fieldset><legend>Being</legend>${choice.join('')}</fieldset>`,
    `<fieldset><legend>Scope</legend>${scopes.join('')}</fieldset>`,
    beings.length === 0 ? '' : '<p><button name="decision" value="allow">Allow</button>',
    '<button name="decision" value="deny" formnovalidate>Deny</button></p></form>',
  ];
  return page({ title: 'Allow access?', body: body.join(''), formTo: formTarget(redirectUri) });
}

const SCOPE_TEXT = {
  full: 'full: read and change everything this Being remembers',
  'read-only': 'read-only: read what it remembers, change nothing',
} as const;

/** An origin, or the scheme of an application. */
function formTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol;
}
