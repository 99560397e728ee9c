/** A gateway and the browser of its owner, who has logged in by a link from the machine. */
import fs from 'node:fs';
import path from 'node:path';
import { openWorld, type World, type WorldOptions } from '../dialogs/harness.ts';
import { viberLink } from '../helpers/board-link.ts';
import { type Browser, logIn } from './browser.ts';

export async function openOwned(options: WorldOptions = {}): Promise<{ world: World; board: Browser; port: number }> {
  const world = await openWorld(options);
  const port = world.app.port ?? 0;
  return { world, port, board: await logIn(port, await viberLink(world.home)) };
}

/** Makes all logins older, as the file of logins has them. Returns how to make them as new as before. */
export function ageLogins(home: string, minutes = 16): () => void {
  const file = path.join(home, 'access/sessions.json');
  const before = fs.readFileSync(file, 'utf8');
  const older = JSON.parse(before).map((one: { since: number }) => ({ ...one, since: one.since - minutes * 60_000 }));
  fs.writeFileSync(file, JSON.stringify(older));
  return () => fs.writeFileSync(file, before);
}
