import { ground } from './0001-ground.ts';
import { board } from './0002-board.ts';
import { memory } from './0003-memory.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [ground, board, memory];

export const latestSchema = migrations.at(-1)!.id;
