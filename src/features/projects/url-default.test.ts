import { expect, it } from 'vitest';
import { localPrincipal } from '../../kernel/principal.ts';
import { withUrlDefault } from './url-default.ts';

const ask = (url: string) => withUrlDefault(async () => localPrincipal('s', { agent: 'ada' }))({ url });

it('a URL says which team its caller means, and binds nothing by it', async () => {
  expect(await ask('/mcp?profile=lean&defaultTeamId=red%20sea')).toMatchObject({
    default: { team: 'red sea' },
    bound: { agent: 'ada' },
  });
});

it.each(['/mcp', '/mcp?x=1', '/mcp?xdefaultTeamId=red', '/defaultTeamId=red?y=1'])(
  '%s says none',
  async (url) => {
    expect(await ask(url)).not.toHaveProperty('default');
  },
);

it.each(['/mcp?defaultTeamId=', '/mcp?defaultTeamId=a%07', `/mcp?defaultTeamId=${'x'.repeat(500)}`])(
  'refuses %s',
  async (url) => {
    await expect(ask(url)).rejects.toMatchObject({ code: 'invalid' });
  },
);
