import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createOAuth } from '../../src/features/access/oauth/oauth.ts';
import { insertBeing } from '../../src/features/being/rows/beings.ts';
import type { Page, PageRequest } from '../../src/http/route.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { eachEngine, type Engine, freshDatabase } from '../fixtures/databases.ts';
import { formOf } from '../fixtures/oauth-person.ts';

const ORIGIN = 'http://127.0.0.1:18790';
const CALLBACK = 'http://127.0.0.1:1/cb';
const VERIFIER = 'v'.repeat(43);
const MINUTE = 60_000;

/** The pages of OAuth on a clock that the test moves. */
async function stage(engine: Engine) {
  let now = Date.now();
  const db = await freshDatabase(engine, { clock: { now: () => now, elapsed: () => now } });
  const oauth = createOAuth({ db, log: silentLog });
  const being = newId();
  await db.write(systemActor, (tx) =>
    insertBeing(tx, { id: being, owner: 'local', name: 'Luna', nameKey: 'luna' }),
  );
  oauth.knowBeings(async () => [{ id: being, name: 'Luna', owner: 'local' }]);
  const at = (method: Page['method'], path: string) =>
    oauth.pages().find((page) => page.method === method && page.path === path)!;
  const ask = (page: Page, given: Partial<PageRequest>) => {
    const none = new URLSearchParams();
    return page.handle({
      origin: ORIGIN,
      target: '/',
      params: {},
      query: none,
      form: none,
      json: undefined,
      headers: {},
      ...given,
    });
  };
  const link = await db.write(systemActor, (tx) => oauth.persons.createLink(tx));
  const signIn = () =>
    ask(at('GET', '/signin'), { query: new URLSearchParams({ link }), headers: { host: '127.0.0.1:18790' } });
  const register = async () => {
    const answer = await ask(at('POST', '/oauth/register'), { json: { redirect_uris: [CALLBACK] } });
    return (JSON.parse(answer.body) as { client_id: string }).client_id;
  };
  return {
    signIn,
    knowUsers: oauth.persons.knowUsers,
    pass: (ms: number) => void (now += ms),
    identify: (text: string) => oauth.identify({ text, url: '/mcp', route: '/mcp' }),
    token: async (form: Record<string, string>) => {
      const answer = await ask(at('POST', '/oauth/token'), { form: new URLSearchParams(form) });
      return JSON.parse(answer.body) as Record<string, string>;
    },
    async consent() {
      const cookie = (await signIn()).headers['set-cookie']!.split(';')[0]!;
      const client_id = await register();
      const code_challenge = createHash('sha256').update(VERIFIER).digest('base64url');
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri: CALLBACK,
        code_challenge,
        code_challenge_method: 'S256',
      });
      const form = formOf(
        (await ask(at('GET', '/oauth/authorize'), { query, headers: { cookie, host: '127.0.0.1:18790' } }))
          .body,
      );
      form.set('decision', 'allow');
      form.set('being', being);
      const back = await ask(at('POST', '/oauth/authorize'), {
        form,
        headers: { cookie, host: '127.0.0.1:18790' },
      });
      const code = new URL(back.headers['location']!).searchParams.get('code')!;
      return { grant_type: 'authorization_code', code, client_id, code_verifier: VERIFIER };
    },
  };
}

eachEngine('how long things hold', (engine) => {
  it('a link: two minutes', async () => {
    const { signIn, pass } = await stage(engine);
    pass(2 * MINUTE + 1);
    expect((await signIn()).status).toBe(401);
  });

  it('a link is not spent by another user of the machine', async () => {
    const { signIn, knowUsers } = await stage(engine);
    knowUsers({ isOwn: async () => false });
    expect((await signIn()).status).toBe(401);
    knowUsers({ isOwn: async () => true });
    expect((await signIn()).status).toBe(200);
  });

  it('a code: sixty seconds', async () => {
    const { consent, token, pass } = await stage(engine);
    const form = await consent();
    pass(MINUTE);
    expect((await token(form))['error']).toBe('invalid_grant');
  });

  it('an access token: an hour; a refresh token: thirty days, each good for one', async () => {
    const { consent, token, pass, identify } = await stage(engine);
    const form = await consent();
    pass(MINUTE - 1);
    const first = await token(form);
    pass(60 * MINUTE - 1);
    expect((await identify(first['access_token']!)).kind).toBe('being');
    pass(1);
    await expect(identify(first['access_token']!)).rejects.toThrow('has expired');
    const refresh = (refresh_token: string) =>
      token({ grant_type: 'refresh_token', refresh_token, client_id: form.client_id });
    const second = await refresh(first['refresh_token']!);
    expect(second['access_token']).toMatch(/^bto_/);
    pass(30 * 24 * 60 * MINUTE);
    expect((await refresh(second['refresh_token']!))['error']).toBe('invalid_grant');
  });
});
