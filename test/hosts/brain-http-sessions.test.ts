import { brainGolden } from '../contract/brain-golden.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { hostsOf } from '../fixtures/server-hosts.ts';

eachEngine('clawbrain', (engine) => {
  brainGolden('over HTTP with a session', () =>
    hostsOf('brain', 'clawbrain-mcp')['HTTP with a session'](engine),
  );
});
