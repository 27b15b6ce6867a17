// What a check can reach where bubblewrap works: its own tree. Where it does not, no check runs at all.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findConfinement } from '../../src/kernel/shell/sandbox.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { landingHub } from '../fixtures/landing-hub.ts';

it('a check sees no home of the hub, reaches no hub and writes nothing outside; unkept it does not run', async () => {
  const outside = freshFolder();
  const { kind } = await findConfinement('auto', process.env['PATH'] ?? '');
  const at = await landingHub('sqlite', { land: { unconfined: false }, more: { sandbox: 'auto' } });
  const { hub, repository } = at;
  const guarded = await at.land(await at.branch('ci', { '.github/x.yml': '' }));
  expect(guarded.state).toBe('waiting_person');
  writeFileSync(join(hub.home, 'secret'), 'the secret\n');
  const { hostname, port } = new URL(hub.address);
  // Each line says what got through.
  const attempts = [
    `(exec 3<>/dev/tcp/${hostname}/${port}) 2>/dev/null && echo reached the hub`,
    `cat ${hub.home}/secret ${hub.home}/config.yaml 2>/dev/null && echo read its home`,
    `echo x 2>/dev/null > ${outside}/left && echo wrote outside`,
    `kill -0 ${process.pid} 2>/dev/null && echo saw the hub`,
    'echo mine > own && cat own',
  ];
  const checks = `version: 1\nchecks:\n  unit: { run: ${JSON.stringify(`${attempts.join('; ')}; true`)} }\n`;
  repository.commit('.holdfast/checks.yaml', checks);
  const { body } = await hub.ask('POST', '/api/checks/run', {
    check: 'unit',
    commit: 'main',
    folder: repository.path,
  });
  if (kind === 'none') {
    expect(body).toMatchObject({ code: 'unavailable', hint: expect.stringContaining('unconfined: true') });
    return;
  }
  expect(body).toMatchObject({ passed: true, confined: true, tail: 'mine\n' });
  expect(existsSync(join(outside, 'left'))).toBe(false);
  expect(existsSync(join(repository.path, 'own'))).toBe(false);
}, 60_000);
