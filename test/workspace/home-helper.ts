/** A new home for a test. */
import path from 'node:path';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { tempFolder } from '../helpers/temp.ts';

export function newHome(): Promise<Home> {
  return openHome(path.join(tempFolder(), 'home'));
}
