import { ground } from './0001-ground.ts';
import { board } from './0002-board.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [ground, board];

export const latestSchema = migrations.at(-1)!.id;
