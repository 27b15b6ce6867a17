import { toolsContract } from '../contract/broker-server.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { hostsOf } from '../fixtures/server-hosts.ts';

eachEngine('the documented governed tools', (engine) => {
  toolsContract('over HTTP with a session', () => hostsOf('tools')['HTTP with a session'](engine));
});
