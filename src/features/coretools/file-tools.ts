import type { WorldTool } from '../broker/broker.ts';
import { editTool } from './files/edit-tool.ts';
import type { FileParts } from './files/inputs.ts';
import { readTool } from './files/read-tool.ts';
import { writeTool } from './files/write-tool.ts';

export function fileTools(parts: FileParts): WorldTool[] {
  return [readTool(parts), editTool(parts), writeTool(parts)];
}
