import { ground } from './0001-ground.ts';
import { board } from './0002-board.ts';
import { memory } from './0003-memory.ts';
import { access } from './0004-access.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [ground, board, memory, access];

export const latestSchema = migrations.at(-1)!.id;
