/**
 * Asks a running gateway for something and shows the work as it happens: `node ask.ts "Write the release notes"`. The address and the token
 * come from the environment: VIBER_URL (ws://127.0.0.1:6009/ws) and VIBER_TOKEN (of http.token, or of a client of http.clients).
 */
import process from 'node:process';
import { type EventFrame, ViberClient, ViberError } from 'openviber-gateway/client';

const { VIBER_URL = 'ws://127.0.0.1:6009/ws', VIBER_TOKEN } = process.env;
const goal = process.argv.slice(2).join(' ').trim();

function show(event: EventFrame): void {
  if (event.type === 'task:started') process.stderr.write(`working on ${event.taskId}\n`);
  if (event.type !== 'task:progress') return;
  const { type, tool } = event.event;
  if (type === 'tool-call') process.stderr.write(`  ${String(tool)}\n`);
}

async function main(): Promise<number> {
  if (goal === '' || VIBER_TOKEN === undefined) {
    process.stderr.write('Say what to do, and put the token into VIBER_TOKEN: node ask.ts "Write the release notes"\n');
    return 2;
  }
  const client = new ViberClient({ url: VIBER_URL, token: VIBER_TOKEN });
  client.onState((state) => {
    if (state === 'waiting') process.stderr.write('The connection is lost; trying again.\n');
  });
  client.onEvent(show);
  try {
    const { taskId, result } = await client.run({ goal, live: 'events' });
    process.stdout.write(`${result.text}\n`);
    for (const { title, ref } of result.artifactRefs) process.stdout.write(`${title}: /api/${ref} (${taskId})\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ViberError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  } finally {
    client.close();
  }
}

process.exitCode = await main();
