import { brainGolden } from '../contract/brain-golden.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { hostsOf } from '../fixtures/server-hosts.ts';

eachEngine('clawbrain', (engine) => {
  brainGolden('over stdio beside a hub', () =>
    hostsOf('brain', 'clawbrain-mcp')['stdio beside a hub'](engine),
  );
});
