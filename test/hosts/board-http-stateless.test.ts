import { boardToolsContract } from '../contract/board-tools.ts';
import { HOSTS } from '../fixtures/board-hosts.ts';
import { eachEngine } from '../fixtures/databases.ts';

eachEngine('the documented task tools', (engine) => {
  boardToolsContract('over HTTP without sessions', () => HOSTS['HTTP without sessions'](engine));
});
