/**
 * The bundled skills whose work is code of ours, by the name in their SKILL.md, which has the description and the parameters.
 * What is heavy about them is loaded when one is called.
 */
import type { ToolScope } from '../runtime/contract/tool-scope.ts';
import type { BundledDeps, BundledTool } from './bundled.ts';
import { chart } from './chart/tool.ts';
import { webFetch } from './web/tool.ts';

export type { BundledDeps, BundledTool } from './bundled.ts';

export const BUNDLED: Readonly<Record<string, (scope: ToolScope, deps: BundledDeps) => BundledTool>> = {
  'web-fetch': webFetch,
  chart,
};
