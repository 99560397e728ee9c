/** The shape of a bundled skill whose work is done here. Its name, description and parameters stand in its SKILL.md. */
import type { Resolve } from '../lib/public-address.ts';
import type { Tool } from '../runtime/contract/tool.ts';
import type { ToolScope } from '../runtime/contract/tool-scope.ts';

/** A tool as data but for its name and description, which stand in its SKILL.md. */
export type BundledTool = Omit<Tool<unknown, BundledRun>, 'name' | 'describe'>;

/** What a bundled skill is handed of a run. */
export interface BundledRun {
  readonly scope: ToolScope;
  readonly deps: BundledDeps;
}

export interface BundledDeps {
  web: {
    /** `skills.webOrigins`: exact origins that may be read although they are private, not https, or on another port. */
    allowedOrigins: readonly string[];
    /** For everything together; 30 seconds when absent. */
    timeoutMs?: number;
    /** Instead of the system's resolver. */
    resolve?: Resolve;
    /** Certificates (PEM) trusted instead of the usual ones. */
    ca?: string;
  };
}

/** Lets the table hold tools of different inputs while each keeps its own types. */
export function defineBundled<Input>(
  tool: Omit<Tool<Input, BundledRun>, 'name' | 'describe'> & { about?: { argument: keyof Input & string } },
): BundledTool {
  return tool;
}
