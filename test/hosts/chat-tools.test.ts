import { chatToolsContract } from '../contract/chat-tools.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { hostsOf } from '../fixtures/server-hosts.ts';

const hosts = hostsOf('teamchat');

eachEngine('the documented chat tools', (engine) => {
  for (const [name, open] of Object.entries(hosts)) chatToolsContract(`over ${name}`, () => open(engine));
});
