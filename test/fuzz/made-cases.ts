/** Cases that broke a reader by their length, said by how they are made. The short ones lie in the corpus. */
export const MADE_CASES: Readonly<Record<string, readonly string[]>> = {
  // 32,501 mistakes in one line: telling each with the text around it took time with the square of them.
  config: [`peers: { quiet: { from: ${'" '.repeat(65_000)}`],
  // 17,998 mistakes over 4,000 lines, each of which would be told with its place.
  policy: [
    '  - { ? decide: ask }\nommand: "git *" }, decide: allow }\n'.repeat(2_000),
    `peers: { quiet: { from: ${'" '.repeat(65_000)}`,
  ],
  // A key without an end, looked at anew from each of its letters.
  'settings-toml': [`[${'mc'.repeat(36_000)}p_servers.x!]\ncommand = "y"\n`],
  // As deep as the bytes allow: whoever follows each level with a call of its own runs out of stack.
  'settings-json': ['{"a":'.repeat(26_000), `{"a":${'['.repeat(130_000)}`, '{a:'.repeat(43_000)],
};
