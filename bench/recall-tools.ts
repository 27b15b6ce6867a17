/**
 * How well ToolSearch finds a tool by what it is for, beside stock FTS5, on the tools and requests of this repository.
 *
 *   npx node bench/recall-tools.ts              the requests that the ranking was chosen with
 *   npx node bench/recall-tools.ts --misses     … and those whose tool is not the first
 *   npx node bench/recall-tools.ts --set-aside  the others: once, when the work is done
 */
import { createToolCards } from '../src/features/hub/tool-cards.ts';
import type { Tool } from '../src/mcp/define.ts';
import { bareFullText } from '../test/fixtures/bare-full-text.ts';
import { readToolList, readToolRequests, TOOL_SERVERS, type ToolRequest } from '../test/fixtures/tool-lists.ts';
