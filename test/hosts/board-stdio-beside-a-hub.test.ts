import { boardExtendedContract } from '../contract/board-extended.ts';
import { boardToolsContract } from '../contract/board-tools.ts';
import { HOSTS } from '../fixtures/board-hosts.ts';
import { eachEngine } from '../fixtures/databases.ts';

eachEngine('the documented task tools', (engine) => {
  boardToolsContract('over stdio beside a hub', () => HOSTS['stdio beside a hub'](engine));
});

eachEngine('the extended task tools', (engine) => {
  boardExtendedContract('over stdio beside a hub', () => HOSTS['stdio beside a hub'](engine));
});
