/** The path of the subscriptions' file, for code that must not load more while there are none. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Gateway } from '../../gateway.ts';

export const subscriptionFile = (folder: string): string => path.join(folder, 'push.json');

export const hasSubscriptions = ({ home }: Gateway): boolean => existsSync(subscriptionFile(home.access));
