/** Charts: pictures of tables, drawn in a process of their own. */
import type { Feature } from '../gateway.ts';
import { chart } from './tool.ts';

export const charts: Feature = { name: 'charts', natives: { chart } };
