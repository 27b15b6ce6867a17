/** The shortest true line per client, for the task board over HTTP. */
export function attachLines(address: string): string[] {
  const url = `${address}/api/mcp/tasks`;
  return [
    `claude mcp add --transport http clawboo-tasks ${url}`,
    `codex mcp add clawboo-tasks --url ${url}`,
    `gemini mcp add -t http clawboo-tasks ${url}`,
  ];
}
