/** Charts: pictures of tables, drawn in a separate process. */
import type { Feature } from '../gateway.ts';
import { chart } from './tool.ts';

export const charts: Feature = { name: 'charts', natives: { chart } };
