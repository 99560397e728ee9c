/** A login link for the Board, asked from the running gateway as `viber board` does. */
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { post } from '../../src/cli/ask.ts';

export async function viberLink(home: string): Promise<string> {
  const answer = await post(path.join(home, 'run', 'gateway.sock'), '/board', { ask: 'link' });
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`there is no link: ${body}`);
  return (JSON.parse(body) as { url: string }).url;
}
