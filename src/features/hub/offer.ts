import type { Event } from '../../kernel/event.ts';
import type { Principal } from '../../kernel/principal.ts';
import type {
  CompletionRequest,
  Prompt,
  PromptSource,
  Resource,
  ResourceTemplate,
} from '../../mcp/server.ts';
import type { ResourceContents } from '../../mcp/content.ts';
import type { ToolContext } from '../../mcp/define.ts';

/** What a room adds to the hub endpoint beside its tools: things to read and recipes to follow. */
export type Offer = Readonly<{
  /** A caller without it is not offered any of this. */
  scope: string;
  resources?: readonly Resource[];
  templates?: readonly ResourceTemplate[];
  /** The same, for what comes and goes while the hub runs. */
  listResources?(who: Principal): readonly Resource[];
  listTemplates?(who: Principal): readonly ResourceTemplate[];
  listPrompts?(who: Principal): readonly Prompt[];
  /** Undefined: not one of these resources, or not for this caller. */
  read?(uri: string, context: ToolContext): Promise<readonly ResourceContents[] | undefined>;
  mayWatch?(uri: string, who: Principal): Promise<boolean>;
  updatedBy?(event: Event): readonly string[];
  prompts?: readonly Prompt[];
  /** Why a prompt that is called so is not there now, where that can be told. */
  absence?: PromptSource['absence'];
  /** Undefined: the argument is not one of this offer's. */
  complete?(request: CompletionRequest): Promise<readonly string[] | undefined>;
}>;
