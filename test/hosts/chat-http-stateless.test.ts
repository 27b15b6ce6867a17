import { chatToolsContract } from '../contract/chat-tools.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { hostsOf } from '../fixtures/server-hosts.ts';

eachEngine('the documented chat tools', (engine) => {
  chatToolsContract('over HTTP without sessions', () => hostsOf('teamchat')['HTTP without sessions'](engine));
});
