// How the broker is opened: its secrets, its chores and what it asks of the board.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPostgresUrl } from '../../kernel/site.ts';
import { systemActor } from '../../kernel/principal.ts';
import { routesOf } from '../../operation/faces.ts';
import type { Board } from '../board/board.ts';
import type { ProjectsService } from '../projects/projects.ts';
import { hubCaller } from '../../store/calls.ts';
import { brokerPulse } from './rows/pulse.ts';
import type { RoomDeclaration } from '../room.ts';
import { approvalBrief } from './ask/brief.ts';
import { surroundingsOf } from './judge/availability.ts';
import { type Broker, createBroker } from './broker.ts';
import { createHiddenValues } from './run/hidden-values.ts';
import { createPolicyFile } from './judge/policy/file.ts';
import { createSecrets } from './secrets.ts';

const HOUR = 60 * 60_000;

export const brokerRoom: RoomDeclaration<{ board: Board; projects: ProjectsService }, Broker> = {
  key: 'broker',
  needs: ['board', 'projects'],
  open({ db, config, log, acting }, { board, projects }) {
    const { tools: settings, home } = config;
    const secrets = createSecrets({
      path: join(home, 'secrets.yaml'),
      env: process.env,
      read: (path) => readFile(path, 'utf8'),
      log,
    });
    const configured = new Set(
      [
        settings.workspace !== undefined && 'workspace',
        settings.searxngUrl !== undefined && 'search.searxng',
      ].filter((key) => key !== false),
    );
    // Looked at for every list and every call; what the process itself was given does not change.
    const env = { ...process.env };
    const broker = createBroker({
      db,
      log,
      hidden: createHiddenValues({
        files: [config.tokenFile, join(home, 'token'), join(home, 'signing.key')],
        values: () => [
          process.env['HOLDFAST_TOKEN'],
          process.env['HOLDFAST_SIGNING_KEY'],
          passwordOf(config.database),
          ...secrets.values(),
        ],
      }),
      policy: createPolicyFile({ path: join(home, 'policy.yaml'), log }),
      surroundings: () => surroundingsOf({ env, secrets: secrets.providers(), config: configured }),
      terms: {
        waitMs: settings.approvalWaitMs,
        lifeMs: settings.approvalLifeMs,
        unattended: settings.unattended,
        askClient: settings.askClient,
      },
      keyOf: (provider) => secrets.keyOf(provider),
      workplaces: projects.workplaces,
      heldTasks: async (who) => (await db.read((q) => board.heldBy(q, who))).map(({ taskId }) => taskId),
    });
    secrets.watch(() => broker.stir());
    projects.workplaces.followRules((who, place, path) => broker.mayRead(who, place, path));

    return {
      service: broker,
      brief: approvalBrief(db),
      pulse: brokerPulse,
      figures: async (q) => ({ approvals: await broker.at(q, hubCaller).countWaiting() }),
      async routes() {
        const { behindBroker, brokerOperations } = await import('./operations.ts');
        return routesOf(behindBroker(acting, broker), brokerOperations);
      },
      chores: [
        {
          name: 'approvals-sweep',
          everyMs: 30_000,
          run: () => db.write(systemActor, (tx) => broker.sweep(tx)),
        },
        {
          name: 'audit-retention',
          everyMs: HOUR,
          async run() {
            const { auditKeepMs: keep } = settings;
            while (keep > 0 && (await db.write(systemActor, (tx) => broker.prune(tx, tx.now - keep))) > 0);
            await db.write(systemActor, (tx) => broker.anchor(tx));
          },
        },
      ],
      start() {
        void broker
          .lookAhead()
          .catch((error: unknown) => log.warn('open requests were not looked at', { error }));
        return [];
      },
      settle: () => broker.settle(),
      async close() {
        secrets.close();
        await broker.close();
      },
    };
  },
};

function passwordOf(database: string): string | undefined {
  return isPostgresUrl(database) ? decodeURIComponent(URL.parse(database)?.password ?? '') : undefined;
}
