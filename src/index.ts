/**
 * What the package offers to other programs: the documented servers, the database under them, the gateway,
 * and requests with the right headers. What the gateway's document lists has the names that it has there.
 */
export {
  createMemoryServer,
  createTasksServer,
  createTeamChatServer,
  createToolsServer,
} from './standalone.ts';
export type { BoundIdentity, BoundScope, StandaloneServer } from './standalone.ts';
export type { EmbedFunction, EmbeddingSettings } from './recall/recall.ts';
export { openDatabase } from './store/open.ts';
export type { Database } from './store/database.ts';
export type { MessageTransport } from './mcp/hosts/message-transport.ts';
export type { Context } from './kernel/context.ts';
export { connect } from './connect.ts';
export type { ConnectOptions, HubConnection } from './connect.ts';

export { buildMcpRequest, HEADER_MCP_METHOD, HEADER_MCP_NAME } from './mcp/request.ts';
export type { RequestContent } from './mcp/request.ts';
export { HEADER_MCP_METHOD as HeaderMcpMethod, HEADER_MCP_NAME as HeaderMcpName } from './mcp/request.ts';
export { buildRequestIn as BuildMCPRequest } from './mcp/request.ts';
export {
  mcpMethodFromContext as MCPMethodFromContext,
  mcpNameFromContext as MCPNameFromContext,
} from './mcp/hosts/http/asked.ts';
export { initTokenFile as InitTokenFile } from './kernel/token-file.ts';
export { serveHttp as ServeHTTP } from './gateway.ts';
export type { HTTPOptions } from './gateway.ts';
export { serveHub as ServeStdio } from './bin/serve-hub.ts';
