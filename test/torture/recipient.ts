/**
 * An agent that fetches its mail, dwells on it and acks it; its parent kills it whenever it likes. Says `got <id>` before
 * it acks and `acked <id>` when the hub confirmed.
 */
const [address, token, agent] = process.argv.slice(2) as [string, string, string];
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const box = `${address}/v1/peers/${agent}/messages`;

for (;;) {
  try {
    const mail = (await (await fetch(`${box}?ack=1&lease_seconds=1&limit=5`, { headers })).json()) as {
      messages: { id: string }[];
    };
    const ids = mail.messages.map(({ id }) => id);
    for (const id of ids) process.stdout.write(`got ${id}\n`);
    await pause(Math.random() * 40);
    if (ids.length > 0) {
      const done = (await (
        await fetch(`${box}/ack`, { method: 'POST', headers, body: JSON.stringify({ ids }) })
      ).json()) as {
        acked: string[];
      };
      for (const id of done.acked) process.stdout.write(`acked ${id}\n`);
    } else await pause(30);
  } catch {
    // The hub is down or ended the connection; it will be back.
    await pause(50);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
