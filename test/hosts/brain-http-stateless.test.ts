import { brainGolden } from '../contract/brain-golden.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { hostsOf } from '../fixtures/server-hosts.ts';

eachEngine('clawbrain', (engine) => {
  brainGolden('over HTTP without sessions', () =>
    hostsOf('brain', 'clawbrain-mcp')['HTTP without sessions'](engine),
  );
});
