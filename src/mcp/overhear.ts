import type { Principal } from '../kernel/principal.ts';
import type { Tool } from './define.ts';

/** Hears of every call that a tool did well, after its answer is made. Must be cheap, and must not throw. */
export type Overhear = (who: Principal, tool: Tool, args: Readonly<Record<string, unknown>>) => void;
