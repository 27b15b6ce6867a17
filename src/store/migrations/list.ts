import { ground } from './0001-ground.ts';
import { board } from './0002-board.ts';
import { memory } from './0003-memory.ts';
import { access } from './0004-access.ts';
import { broker } from './0005-broker.ts';
import { chatAndPeers } from './0006-chat-and-peers.ts';
import { brain } from './0007-brain.ts';
import { reservations } from './0008-reservations.ts';
import { vaultOwner } from './0009-vault-owner.ts';
import { recallEpisodes } from './0010-recall-episodes.ts';
import { peerThreads } from './0011-peer-threads.ts';
import { recallSketches } from './0012-recall-sketches.ts';
import { memoryPast } from './0013-memory-past.ts';
import { projects } from './0014-projects.ts';
import { recall } from './0015-recall.ts';
import { govern } from './0016-govern.ts';
import { doors } from './0017-doors.ts';
import { holding } from './0018-holding.ts';
import { sources } from './0019-sources.ts';
import { dispatch } from './0020-dispatch.ts';
import { being } from './0021-being.ts';
import { living } from './0022-living.ts';
import { dispatchProjects } from './0025-dispatch-projects.ts';
import { month } from './0027-month.ts';
import { runSigners } from './0028-run-signers.ts';
import { learnt } from './0029-learnt.ts';
import { longKeys } from './0034-long-keys.ts';
import { sourceDecisions } from './0035-source-decisions.ts';
import { noteTeams } from './0037-note-teams.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  ground,
  board,
  memory,
  access,
  broker,
  chatAndPeers,
  brain,
  reservations,
  vaultOwner,
  recallEpisodes,
  peerThreads,
  recallSketches,
  memoryPast,
  projects,
  recall,
  govern,
  doors,
  holding,
  sources,
  dispatch,
  being,
  living,
  dispatchProjects,
  month,
  runSigners,
  learnt,
  longKeys,
  sourceDecisions,
  noteTeams,
];

export const latestSchema = migrations.at(-1)!.id;
