// The tools that come with the hub, each handed to the broker first, and the documented server that shows them.
import { join } from 'node:path';
import { routesOf } from '../../operation/faces.ts';
import type { Broker } from '../broker/broker.ts';
import type { RoomDeclaration } from '../room.ts';
import { createCoreTools } from './coretools.ts';
import { behindNotes } from './notes.ts';
import { toolsServer } from './server.ts';

export const coretoolsRoom: RoomDeclaration<{ broker: Broker }, undefined> = {
  key: 'coretools',
  needs: ['broker'],
  open({ db, config, acting }, { broker }) {
    const { tools: settings, home } = config;
    const keyOf = (provider: string) => {
      const key = broker.keyOf(provider);
      return key === undefined ? undefined : { key };
    };
    const core = createCoreTools({
      db,
      scratch: join(home, 'workspace'),
      closed: [home, config.tokenFile],
      checkouts: join(home, 'worktrees'),
      sandbox: settings.sandbox,
      shellEnv: settings.shellEnv,
      env: process.env,
      search: () => ({
        tavily: keyOf('tavily'),
        brave: keyOf('brave'),
        searxng: settings.searxngUrl === undefined ? undefined : { baseUrl: settings.searxngUrl },
      }),
    });
    const builtins = core.builtins.map((tool) => broker.wrap(tool));
    return {
      service: undefined,
      servers: [toolsServer(broker, builtins)],
      hubSource: broker.listOf(core.tools.map((tool) => broker.wrap(tool))),
      tasks: core.tasks({
        answer: (name, who, result) => broker.lateAnswer(name, who, result),
        workplaceOf: (who) => broker.workplaces.of(who),
      }),
      routes: async () => routesOf(behindNotes(acting), (await import('./operations.ts')).noteOperations),
      close: () => core.close(),
    };
  },
};
