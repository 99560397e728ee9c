/**
 * The shape of a bundled skill that is implemented in code. Its name, description and parameters are in its SKILL.md.
 */
import type { Resolve } from '../lib/public-address.ts';
import type { Tool } from '../runtime/contract/tool.ts';
import type { ToolScope } from '../runtime/contract/tool-scope.ts';

export type BundledTool = Omit<Tool<unknown, BundledRun>, 'name' | 'describe'>;

/** The parts of a run that a bundled skill gets. */
export interface BundledRun {
  readonly scope: ToolScope;
  readonly deps: BundledDeps;
}

export interface BundledDeps {
  web: {
    /** `skills.webOrigins`: exact origins that may be read even if they are private, not https, or on another port. */
    allowedOrigins: readonly string[];
    /** Total time limit in ms; 30 seconds when absent. */
    timeoutMs?: number;
    /** Replaces the system's resolver. */
    resolve?: Resolve;
    /** Certificates (PEM) trusted instead of the usual ones. */
    ca?: string;
  };
}

/** Lets the table hold tools with different inputs while each keeps its own types. */
export function defineBundled<Input>(
  tool: Omit<Tool<Input, BundledRun>, 'name' | 'describe'> & { about?: { argument: keyof Input & string } },
): BundledTool {
  return tool;
}
