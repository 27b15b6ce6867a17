import { behindService, routesOf } from '../../../operation/faces.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Peers } from '../../peers/peers.ts';
import type { ProjectsService } from '../../projects/projects.ts';
import type { RoomDeclaration } from '../../room.ts';
import { createHooks } from './hear.ts';

/** What clients tell by their hooks. It keeps nothing itself. */
export const hooksRoom: RoomDeclaration<
  { peers: Peers; projects: ProjectsService; memory: Memory },
  undefined
> = {
  key: 'hooks',
  needs: ['peers', 'projects', 'memory'],
  open({ acting, seats, briefings }, { peers, projects, memory }) {
    const behind = behindService('hooks', acting, createHooks({ peers, projects, memory, seats, briefings }));
    return {
      service: undefined,
      routes: async () => routesOf(behind, (await import('./operations.ts')).sessionHookOperations),
    };
  },
};
