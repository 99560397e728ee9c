/**
 * The bundled skills whose work is code of ours, by the name in their SKILL.md, which has the description and the parameters.
 * What is heavy about them is loaded when one is called.
 */
import type { ToolScope } from '../scope.ts';
import type { BundledDeps, BundledTool } from './bundled-tool.ts';
import { chart } from './chart.ts';
import { webFetch } from './web-fetch.ts';

export type { BundledDeps, BundledTool } from './bundled-tool.ts';

export const BUNDLED: Readonly<Record<string, (scope: ToolScope, deps: BundledDeps) => BundledTool>> = {
  'web-fetch': webFetch,
  chart,
};
