import { toolsContract } from '../contract/broker-server.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { hostsOf } from '../fixtures/server-hosts.ts';

eachEngine('the documented governed tools', (engine) => {
  toolsContract('over HTTP without sessions', () => hostsOf('tools')['HTTP without sessions'](engine));
});
