import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { freshFolder } from './fixtures/databases.ts';
import { runHoldfast, startHub } from './fixtures/hub-process.ts';
import { newSchemaName } from './fixtures/schemas.ts';

/**
 * No container is built here: there may be no engine on the machine. What can be shown without one is: both
 * files are well formed and agree, and a hub that is started with exactly their variables and commands works
 * on a real PostgreSQL. `npm run test:pack` installs the tarball that the image installs.
 *
 * By hand, without a registry: `mmdebstrap bookworm`, Node and npm in /usr/local and a user `node` (1000) make
 * a base image for `buildah bud --isolation chroot --pull-never --format docker`; tagged as the `FROM` below,
 * it lets every instruction of the Containerfile run, and `buildah run` the hub and its health check.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const containerfile = readFileSync(join(root, 'Containerfile'), 'utf8');

type Service = {
  build?: { dockerfile: string; context: string };
  environment: Record<string, string>;
  ports?: string[];
  volumes: string[];
  depends_on?: Record<string, { condition: string }>;
};
const { services, volumes } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8')) as {
  services: Record<'hub' | 'database', Service>;
  volumes: Record<string, null>;
};

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  'scripts' | 'devDependencies',
  Record<string, string>
>;

/** [instruction, arguments] of each stage, the last one being the image. */
const stages = containerfile
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .map((stage) =>
    stage
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const),
  );
const image = stages.at(-1)!;
const valuesOf = (name: string) => image.filter(([each]) => each === name).map(([, value]) => value);
const imageEnv = Object.fromEntries(valuesOf('ENV').map((pair) => pair.split('='))) as Record<string, string>;

describe('the container files', () => {
  it('consist of instructions there are, and copy from stages there are', () => {
    const known = 'FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK CMD'.split(' ');
    for (const [name] of stages.flat()) expect(known).toContain(name);
    expect(stages).toHaveLength(2);
    const { devDependencies } = manifest;
    const base = `node:${devDependencies['node']}-bookworm-slim`;
    expect(stages.map((stage) => stage[0]![1])).toEqual([`${base} AS build`, base]);
    expect(valuesOf('COPY')).toEqual(['--from=build /packed /packed']);
  });

  it('run as nobody special, with data in a volume, and build by scripts there are', () => {
    expect(valuesOf('USER')).toEqual(['node']);
    expect(image.findIndex(([name]) => name === 'USER')).toBeGreaterThan(
      image.findLastIndex(([name]) => name === 'RUN'),
    );
    expect(valuesOf('VOLUME')).toEqual([imageEnv['HOLDFAST_HOME']]);
    expect(valuesOf('RUN').at(-1)).toBe('install --directory --owner=node --group=node --mode=700 /data');
    expect(manifest.scripts['build']).toBe('node scripts/build.mjs');
    // Secrets of compose.yaml lie in .env beside it.
    const left = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    expect(left).toEqual(expect.arrayContaining(['.env', '.git', 'dist', 'node_modules']));
  });

  it('agree with each other, and publish nothing beyond this machine', () => {
    const { hub, database } = services;
    expect(existsSync(join(root, hub.build!.context, hub.build!.dockerfile))).toBe(true);
    const [port] = valuesOf('EXPOSE');
    expect(hub.ports).toEqual([`127.0.0.1:${port}:${imageEnv['HOLDFAST_PORT']}`]);
    expect(database.ports).toBeUndefined();
    expect(hub.volumes).toEqual([`home:${imageEnv['HOLDFAST_HOME']}`]);
    expect(Object.keys(volumes).toSorted()).toEqual(['database', 'home']);
    expect(hub.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    const { username, hostname, pathname } = new URL(
      hub.environment['HOLDFAST_DATABASE_URL']!.replace(/\$\{.*?\}/, 'x'),
    );
    expect([username, pathname]).toEqual([
      database.environment['POSTGRES_USER'],
      `/${database.environment['POSTGRES_DB']}`,
    ]);
    expect(Object.keys(services)).toContain(hostname);
  });

  it('start a hub on PostgreSQL that asks everybody for the token, is healthy, and ends when it is told to', async () => {
    const token = 'a'.repeat(64);
    const { PATH } = process.env;
    const env = {
      PATH,
      ...imageEnv,
      ...services.hub.environment,
      HOLDFAST_HOME: freshFolder(),
      HOLDFAST_TOKEN: token,
      HOLDFAST_DATABASE_URL: inject('postgresUrl'),
      HOLDFAST_DATABASE_SCHEMA: newSchemaName(),
      HOLDFAST_PORT: '0',
    };
    const command = JSON.parse(valuesOf('CMD')[0]!) as string[];
    expect(command).toEqual(['holdfast', 'up']);
    const hub = await startHub(env, []);
    const at = `http://localhost:${new URL(hub.address).port}`;
    const ask = (headers = {}) => fetch(`${at}/api/board/tasks`, { headers });
    expect((await ask()).status).toBe(401);
    expect(await (await ask({ authorization: `Bearer ${token}` })).json()).toMatchObject({ tasks: [] });
    const [, health] = /CMD (\[.*\])$/.exec(valuesOf('HEALTHCHECK')[0]!)!;
    const checked = runHoldfast(env, (JSON.parse(health!) as string[]).slice(1));
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('(postgres, schema') });
    expect(await hub.stop('SIGTERM')).toBe(0);
  });
});
