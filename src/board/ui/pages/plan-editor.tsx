/** Stub. */
export const PlanEditor = (_: { taskId: string; plan: unknown; onClose: () => void }) => null;
