/** The import of what other assistants have left: a command of `viber`, declared in `cli.ts`. */
import type { Feature } from '../gateway.ts';

export const imports: Feature = { name: 'imports' };
